//! What lower ranks join the bytes of each token to, for all tokens at once.
//!
//! The rank of a token is its id. Its bytes are joined as a piece is, lowest rank first and from the left, but only by the
//! ranks below its own. Two parts are left where a merge can stand for the rank. All pairs are looked up in the table that
//! encoding uses, and a heap keeps them, so a token of n bytes costs O(n log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::encode::{Chain, TICK_ENTRIES};
use super::merges::Merges;
use super::ranked::ranked_merges;
use crate::Tick;
use crate::error::{Error, Result};
use crate::vocab::Vocabulary;

/// The parts of tokens.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Halves {
    /// Both parts of each token of two or more bytes, in the order of ids, up to the first token that has not two.
    pub pairs: Vec<(u32, u32)>,
    /// The parts of that token; empty if all have two.
    pub others: Vec<u32>,
}

/// Finds the parts of all tokens of two or more bytes. Each of their bytes must be a token.
pub fn halves(vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<Halves> {
    let mut joiner = Joiner { merges: ranked_merges(vocabulary, tick)?, byte_ids: [None; 256], since_tick: 0 };
    for (byte, id) in (0..=u8::MAX).zip(&mut joiner.byte_ids) {
        *id = vocabulary.model_id_of(&[byte]);
    }
    let mut found = Halves::default();
    for (rank, token) in vocabulary.model_tokens().filter(|(_, token)| token.len() > 1) {
        let chain = joiner.join(token, rank, tick)?;
        let mut parts = chain.symbols();
        match (parts.next(), parts.next(), parts.next()) {
            (Some(left), Some(right), None) => found.pairs.push((left, right)),
            _ => {
                found.others = chain.symbols().collect();
                break;
            }
        }
    }
    Ok(found)
}

struct Joiner {
    merges: Merges,
    byte_ids: [Option<u32>; 256],
    since_tick: u64,
}

impl Joiner {
    /// The bytes of a token, joined by the ranks below its own.
    fn join(&mut self, token: &[u8], rank: u32, tick: Tick<'_>) -> Result<Chain> {
        let n_bytes = u32::try_from(token.len()).ok().filter(|length| *length <= u32::MAX >> 1);
        let n_bytes = n_bytes.ok_or(Error::PieceTooLong { length_bytes: token.len() })?;
        let id_of = |byte: &u8| self.byte_ids[usize::from(*byte)].ok_or(Error::MissingByte { byte: *byte });
        let bytes = token.iter().map(id_of).collect::<Result<Vec<_>>>()?;
        let mut chain = Chain::new(bytes.into_iter(), n_bytes);
        let entries: Vec<_> = (0..n_bytes - 1).filter_map(|at| self.entry(&chain, at, rank)).collect();
        self.since_tick += u64::from(n_bytes);
        let mut heap = BinaryHeap::from(entries);
        while let Some(Reverse((id, at))) = heap.pop() {
            self.since_tick += 1;
            if self.since_tick >= TICK_ENTRIES {
                self.since_tick = 0;
                tick(0)?;
            }
            // An entry is out of date if the pair at its place has been joined or has another partner now.
            if self.entry(&chain, at, rank) == Some(Reverse((id, at))) {
                chain.merge(at, id);
                heap.extend(self.entry(&chain, at, rank));
                heap.extend(chain.left_of(at).and_then(|left| self.entry(&chain, left, rank)));
            }
        }
        Ok(chain)
    }

    /// What the pair that begins at `at` becomes, with its place, if that has a rank below this one.
    fn entry(&self, chain: &Chain, at: u32, rank: u32) -> Option<Reverse<(u32, u32)>> {
        let joined = self.merges.rank(chain.symbol(at), chain.symbol(chain.right_of(at)?))?;
        (joined < rank).then_some(Reverse((joined, at)))
    }
}
