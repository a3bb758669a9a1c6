//! BPE-dropout: byte-pair encoding in which each merge that could be made is left out by chance, at every step anew.
//!
//! A step looks at all places where a pair stands that can be merged, the lowest rank first and of equal ranks the
//! leftmost, and throws a die for each until one is not left out: that one is merged. The piece is done when all of them
//! are left out at once. This is the paper's algorithm, in which a die is thrown for every place before the best of those
//! that are left is taken: what lies behind the first that stays changes nothing.
//!
//! The dice are SplitMix64, begun anew for each piece from the seed, the bytes of the text and the number of the piece in
//! it, so that neither threads nor other texts change them. No cache is asked: the same word comes out in many ways.
//!
//! Work is O(n log n) for a piece of n symbols, times the 1 / (1 - p) dice that a merge takes on average.
//!
//! Source: Provilkov, Emelianenko and Voita 2020, "BPE-Dropout: Simple and Effective Subword Regularization", algorithm 1.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::encode::{Chain, TICK_ENTRIES};
use super::encoder::Encoder;
use super::merges::Merges;
use crate::Tick;
use crate::error::{Error, Result};
use crate::hash::{GOLDEN, splitmix64};

/// With which probability merges are left out, and which dice say so.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// A merge is left out if its number is below this; 2^64 leaves out all.
    below: u128,
    seed: u64,
}

impl Dropout {
    /// None if the probability is not from 0 to 1.
    pub fn new(probability: f64, seed: u64) -> Option<Self> {
        // The product is exact, since only the exponent changes.
        let below = (probability * 2_f64.powi(64)) as u128;
        (0.0..=1.0).contains(&probability).then_some(Self { below, seed })
    }

    /// What the dice of all pieces of a text are made of.
    pub fn of_text(self, text: &[u8]) -> TextDropout {
        let mut key = splitmix64(self.seed ^ splitmix64(text.len() as u64));
        for chunk in text.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            key = splitmix64(key ^ u64::from_le_bytes(word));
        }
        TextDropout { below: self.below, key, n_pieces: 0, symbols: Vec::new(), left_out: Vec::new() }
    }
}

/// Encodes the pieces of one text, in their order.
#[derive(Debug)]
pub struct TextDropout {
    below: u128,
    key: u64,
    n_pieces: u64,
    symbols: Vec<u32>,
    left_out: Vec<Entry>,
}

/// Rank and place of a pair that can be merged.
type Entry = Reverse<(u32, u32)>;

impl TextDropout {
    /// Appends the ids of the next piece.
    pub fn encode(&mut self, model: &Encoder, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let mut dice = Dice { state: splitmix64(self.key ^ splitmix64(self.n_pieces)), below: self.below };
        self.n_pieces += 1;
        self.symbols.clear();
        let merges = match model {
            Encoder::Bytes(bpe) => {
                self.symbols.extend(piece.iter().map(|byte| bpe.byte_id(*byte)));
                bpe.merges()
            }
            Encoder::Characters(bpe) => {
                self.symbols = bpe.start_ids(piece, tick)?;
                bpe.merges()
            }
        };
        self.merge(merges, &mut dice, ids, tick)
    }

    fn merge(&mut self, merges: &Merges, dice: &mut Dice, ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let too_long = || Error::PieceTooLong { length_bytes: self.symbols.len() };
        let n_symbols = u32::try_from(self.symbols.len()).ok().filter(|length| *length <= u32::MAX >> 1);
        let n_symbols = n_symbols.ok_or_else(too_long)?;
        let mut chain = Chain::new(self.symbols.iter().copied(), n_symbols);
        let mut heap: BinaryHeap<Entry> = (0..n_symbols).filter_map(|at| entry(merges, &chain, at)).collect();
        self.left_out.clear();
        let mut since_tick = 0;
        while let Some(best) = heap.pop() {
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
            // An entry is out of date if its pair has been merged or changed, and has one die even if it comes twice.
            let Reverse((rank, at)) = best;
            if entry(merges, &chain, at) != Some(best) || self.left_out.last() == Some(&best) {
                continue;
            }
            if dice.leave_out() {
                self.left_out.push(best);
                continue;
            }
            chain.merge(at, merges.result(rank));
            heap.extend(self.left_out.drain(..));
            heap.extend(entry(merges, &chain, at));
            heap.extend(chain.left_of(at).and_then(|left| entry(merges, &chain, left)));
        }
        ids.extend(chain.symbols());
        Ok(())
    }
}

/// Rank and place of the pair that begins at a place, if it can be merged.
fn entry(merges: &Merges, chain: &Chain, at: u32) -> Option<Entry> {
    let rank = chain.right_of(at).and_then(|right| merges.rank(chain.symbol(at), chain.symbol(right)));
    rank.map(|rank| Reverse((rank, at)))
}

/// The dice of one piece.
struct Dice {
    state: u64,
    below: u128,
}

impl Dice {
    fn leave_out(&mut self) -> bool {
        let number = splitmix64(self.state);
        self.state = self.state.wrapping_add(GOLDEN);
        u128::from(number) < self.below
    }
}

#[cfg(test)]
mod tests {
    use super::{Dice, Dropout};

    #[test]
    fn a_share_that_is_none_is_refused() {
        for share in [-0.1, 1.000_001, f64::NAN, f64::INFINITY, -f64::INFINITY] {
            assert!(Dropout::new(share, 0).is_none(), "{share}");
        }
    }

    #[test]
    fn so_many_are_left_out_as_was_said() {
        for (share, least, most) in [(0.0, 0, 0), (0.1, 900, 1100), (0.9, 8900, 9100), (1.0, 10_000, 10_000)] {
            let below = Dropout::new(share, 0).map_or(0, |dropout| dropout.below);
            let mut dice = Dice { state: 7, below };
            let n_left_out = (0..10_000).filter(|_| dice.leave_out()).count();
            assert!((least..=most).contains(&n_left_out), "{n_left_out} of 10,000 with {share}");
        }
    }

    #[test]
    fn dice_follow_from_seed_and_text() {
        let key = |seed, text: &[u8]| Dropout::new(0.5, seed).map(|dropout| dropout.of_text(text).key);
        assert_eq!(key(1, b"some text"), key(1, b"some text"));
        assert_ne!(key(1, b"some text"), key(2, b"some text"));
        assert_ne!(key(1, b"some text"), key(1, b"some texT"));
        assert_ne!(key(1, b"a\0"), key(1, b"a"), "what fills the last word is no text");
    }
}
