//! From the bytes of one piece to ids.
//!
//! Both semantics are one table: from a pair of ids to the rank of its merge and the id that it makes. With `"merges"` the
//! rank is the place in the merge list; with `"ranks"` it is the id of the joined bytes, for every way to cut a token in
//! two tokens. The lowest rank is merged first, and of equal ranks (the same pair) the leftmost.
//!
//! Short pieces search the lowest rank in an array. Long ones keep a heap of the pairs, so a piece of n bytes costs
//! O(n log n) whatever it holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pair_map::PairMap;
use crate::Tick;
use crate::error::{Error, Result};
use crate::spec::Semantics;
use crate::vocab::Vocabulary;

/// Longest piece, in bytes, for which the array is used.
const SHORT_BYTES: usize = 48;

/// A rank and an id as one integer, ordered by rank. No merge has this value, because ids are below 2^24.
const NO_MERGE: u64 = u64::MAX;

/// Work between two ticks, in heap entries. These ticks report nothing: whoever drives the text counts its bytes.
const TICK_ENTRIES: u32 = 1 << 18;

/// A byte-pair encoder.
#[derive(Debug)]
pub struct Bpe {
    byte_ids: [u32; 256],
    /// Rank << 32 | id of the merged token, by pair.
    merges: PairMap<u64>,
    semantics: Semantics,
}

impl Bpe {
    /// Builds the encoder. `merges` are pairs of ids in rank order and empty for `Semantics::Ranks`.
    pub fn new(vocabulary: &Vocabulary, merges: &[(u32, u32)], semantics: Semantics) -> Result<Self> {
        let mut byte_ids = [0; 256];
        for (byte, id) in (0..=u8::MAX).zip(&mut byte_ids) {
            *id = vocabulary.model_id_of(&[byte]).ok_or(Error::MissingByte { byte })?;
        }
        let merges = match semantics {
            Semantics::Merges => listed_merges(vocabulary, merges)?,
            Semantics::Ranks if merges.is_empty() => ranked_merges(vocabulary),
            Semantics::Ranks => {
                let problem = "must be empty where the semantics are \"ranks\"";
                return Err(Error::SpecArrays { array: "merges", problem });
            }
        };
        Ok(Self { byte_ids, merges, semantics })
    }

    /// Appends the ids of one piece.
    pub fn encode_piece(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        if self.semantics == Semantics::Ranks
            && let Some(id) = vocabulary.model_id_of(piece)
        {
            ids.push(id);
            return Ok(());
        }
        if piece.len() <= SHORT_BYTES {
            self.encode_short(piece, ids);
            return Ok(());
        }
        self.encode_long(piece, ids, tick)
    }

    /// What the pair becomes, as rank << 32 | id; `NO_MERGE` if it stays.
    #[inline]
    fn merge(&self, left: u32, right: u32) -> u64 {
        self.merges.get(left, right).unwrap_or(NO_MERGE)
    }

    fn encode_short(&self, piece: &[u8], ids: &mut Vec<u32>) {
        let mut symbols = [0; SHORT_BYTES];
        let mut merges = [NO_MERGE; SHORT_BYTES];
        let mut n_symbols = piece.len();
        for (symbol, byte) in symbols.iter_mut().zip(piece) {
            *symbol = self.byte_ids[usize::from(*byte)];
        }
        for at in 1..n_symbols {
            merges[at - 1] = self.merge(symbols[at - 1], symbols[at]);
        }
        loop {
            let (mut at, mut lowest) = (0, NO_MERGE);
            for (place, merge) in merges[..n_symbols].iter().enumerate() {
                if *merge < lowest {
                    (at, lowest) = (place, *merge);
                }
            }
            if lowest == NO_MERGE {
                break;
            }
            symbols[at] = lowest as u32;
            symbols.copy_within(at + 2..n_symbols, at + 1);
            merges.copy_within(at + 1..n_symbols, at);
            n_symbols -= 1;
            merges[at] = if at + 1 < n_symbols { self.merge(symbols[at], symbols[at + 1]) } else { NO_MERGE };
            if at > 0 {
                merges[at - 1] = self.merge(symbols[at - 1], symbols[at]);
            }
        }
        ids.extend_from_slice(&symbols[..n_symbols]);
    }

    fn encode_long(&self, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let n_bytes = u32::try_from(piece.len()).ok().filter(|length| *length <= u32::MAX >> 1);
        let n_bytes = n_bytes.ok_or(Error::PieceTooLong { length_bytes: piece.len() })?;
        let mut chain = Chain::new(piece, &self.byte_ids, n_bytes);
        let mut heap = BinaryHeap::with_capacity(piece.len());
        let mut since_tick = 0;
        for at in 0..n_bytes - 1 {
            self.offer(&chain, at, &mut heap);
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
        }
        while let Some(Reverse((rank, at))) = heap.pop() {
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
            // An entry is out of date if the pair at its place has been merged or has another partner now.
            let merge = chain.right_of(at).map_or(NO_MERGE, |right| self.merge(chain.symbol(at), chain.symbol(right)));
            if merge == NO_MERGE || (merge >> 32) as u32 != rank {
                continue;
            }
            chain.merge(at, merge as u32);
            self.offer(&chain, at, &mut heap);
            if let Some(left) = chain.left_of(at) {
                self.offer(&chain, left, &mut heap);
            }
        }
        ids.extend(chain.symbols());
        Ok(())
    }

    /// Puts the pair that begins at `at` on the heap, if it can be merged.
    #[inline]
    fn offer(&self, chain: &Chain, at: u32, heap: &mut BinaryHeap<Reverse<(u32, u32)>>) {
        let Some(right) = chain.right_of(at) else {
            return;
        };
        let merge = self.merge(chain.symbol(at), chain.symbol(right));
        if merge != NO_MERGE {
            heap.push(Reverse(((merge >> 32) as u32, at)));
        }
    }
}

/// The symbols of a long piece as a linked list; a symbol is named by the place of its first byte.
struct Chain {
    /// Id, previous and next of each symbol; a merged-away symbol has `next` = itself.
    links: Vec<(u32, u32, u32)>,
}

impl Chain {
    const NONE: u32 = u32::MAX;

    fn new(piece: &[u8], byte_ids: &[u32; 256], n_bytes: u32) -> Self {
        let link = |(at, byte): (u32, &u8)| {
            let next = if at + 1 < n_bytes { at + 1 } else { Self::NONE };
            (byte_ids[usize::from(*byte)], at.checked_sub(1).unwrap_or(Self::NONE), next)
        };
        Self { links: (0..n_bytes).zip(piece).map(link).collect() }
    }

    #[inline]
    fn symbol(&self, at: u32) -> u32 {
        self.links[at as usize].0
    }

    #[inline]
    fn left_of(&self, at: u32) -> Option<u32> {
        let left = self.links[at as usize].1;
        (left != Self::NONE).then_some(left)
    }

    /// The next symbol; None at the end, and for a symbol that was merged away.
    #[inline]
    fn right_of(&self, at: u32) -> Option<u32> {
        let right = self.links[at as usize].2;
        (right != Self::NONE && right != at).then_some(right)
    }

    /// Joins the symbol at `at` with the next one.
    fn merge(&mut self, at: u32, id: u32) {
        let Some(right) = self.right_of(at) else {
            return;
        };
        let after = self.links[right as usize].2;
        self.links[right as usize].2 = right;
        self.links[at as usize].0 = id;
        self.links[at as usize].2 = after;
        if after != Self::NONE {
            self.links[after as usize].1 = at;
        }
    }

    fn symbols(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors((!self.links.is_empty()).then_some(0), |at| self.right_of(*at)).map(|at| self.symbol(at))
    }
}

/// The table of a merge list.
fn listed_merges(vocabulary: &Vocabulary, merges: &[(u32, u32)]) -> Result<PairMap<u64>> {
    let mut table = PairMap::with_capacity(merges.len());
    let mut token = Vec::new();
    for (rank, &(left, right)) in merges.iter().enumerate() {
        token.clear();
        for id in [left, right] {
            token.extend_from_slice(vocabulary.bytes_of(id).ok_or(Error::MergePart { rank, id })?);
        }
        let Some(id) = vocabulary.model_id_of(&token) else {
            return Err(Error::MergeResult { rank, token });
        };
        let (known, new) = table.get_or_insert(left, right, (rank as u64) << 32 | u64::from(id));
        if !new {
            return Err(Error::DuplicateMerge { first: (known >> 32) as usize, second: rank });
        }
    }
    Ok(table)
}

/// The table of all ways to make a token of two tokens.
fn ranked_merges(vocabulary: &Vocabulary) -> PairMap<u64> {
    let mut table = PairMap::with_capacity(vocabulary.size() * 4);
    for id in 0..vocabulary.size() as u32 {
        let Some(token) = vocabulary.bytes_of(id) else {
            continue;
        };
        if vocabulary.model_id_of(token).is_none() {
            continue;
        }
        for cut in 1..token.len() {
            let (left, right) = token.split_at(cut);
            if let (Some(left), Some(right)) = (vocabulary.model_id_of(left), vocabulary.model_id_of(right)) {
                table.get_or_insert(left, right, u64::from(id) << 32 | u64::from(id));
            }
        }
    }
    table
}
