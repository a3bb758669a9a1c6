//! From the bytes of one piece to ids.
//!
//! Both semantics are one table: from a pair of ids to the rank of its merge and the id that it makes. With `"merges"` the
//! rank is the place in the merge list; with `"ranks"` it is the id of the joined bytes, for every way to cut a token in
//! two tokens. The lowest rank is merged first, and of equal ranks (the same pair) the leftmost.
//!
//! Short pieces search the lowest rank in an array, several at the same time, and those of up to a thousand bytes keep a heap
//! of the pairs. Long ones are searched from left to right in linear time, see `backtrack`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, OnceLock};

use super::backtrack::{self, Lengths};
use super::cuts::SafeCuts;
use super::merges::{Merges, NO_RANK};
use super::ranked::ranked_merges;
use super::together::{Lane, SHORT, merge_together};
use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{Packed, Parts};
use crate::spec::Semantics;
use crate::vocab::Vocabulary;

/// From this length on pieces are searched. What the search needs takes a few milliseconds to make, which a text with some
/// row of signs should not pay.
const LONG: usize = 1 << 10;

/// Work between two ticks, in heap entries.
pub(super) const TICK_ENTRIES: u64 = 1 << 18;

/// A byte-pair encoder.
#[derive(Debug)]
pub struct Bpe {
    byte_ids: [u32; 256],
    merges: Merges,
    /// The ranks of pairs of bytes, which begin every piece: by left byte << 8 | right byte; `NO_RANK` for none.
    byte_ranks: Vec<u32>,
    cuts: SafeCuts,
    /// A piece that is a token as a whole is that token.
    takes_whole: bool,
    /// What the search in long pieces needs; made for the first of them.
    lengths: OnceLock<Arc<Lengths>>,
    /// Held while they are made.
    making: Mutex<()>,
}

impl Bpe {
    /// Builds the encoder. `merges` are pairs of ids in rank order and empty for `Semantics::Ranks`. With `ignore_merges` a
    /// piece that is a token is that token, as it always is with ranks.
    pub fn new(
        vocabulary: &Vocabulary,
        merges: &[(u32, u32)],
        semantics: Semantics,
        ignore_merges: bool,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let byte_ids = byte_ids(vocabulary)?;
        let merges = match semantics {
            Semantics::Merges => Merges::listed(vocabulary, merges, 0, tick)?,
            Semantics::Ranks if merges.is_empty() => ranked_merges(vocabulary, tick)?,
            Semantics::Ranks | Semantics::Scores => {
                let problem = "go with semantics \"merges\" alone";
                return Err(Error::SpecArrays { array: "merges", problem });
            }
        };
        Ok(Self::of_tables(vocabulary, byte_ids, merges, ignore_merges || semantics == Semantics::Ranks))
    }

    /// The encoder with a table of merges that was made for this vocabulary.
    fn of_tables(vocabulary: &Vocabulary, byte_ids: [u32; 256], merges: Merges, takes_whole: bool) -> Self {
        let byte_ranks = byte_ranks(vocabulary, &byte_ids, &merges);
        let (cuts, lengths, making) = (SafeCuts::new(vocabulary), OnceLock::new(), Mutex::new(()));
        Self { byte_ids, merges, byte_ranks, cuts, takes_whole, lengths, making }
    }

    /// Takes the tables that `pack` has written down. `merges` as in `new`.
    pub fn unpack(
        packed: &Packed,
        vocabulary: &Vocabulary,
        n_merges: usize,
        semantics: Semantics,
        ignore_merges: bool,
    ) -> Result<Self> {
        let n_merges = (semantics == Semantics::Merges).then_some(n_merges);
        let merges = Merges::unpack(packed, vocabulary.size(), n_merges)?;
        let takes_whole = ignore_merges || semantics == Semantics::Ranks;
        Ok(Self::of_tables(vocabulary, byte_ids(vocabulary)?, merges, takes_whole))
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, parts: &mut Parts) {
        self.merges.pack(parts);
    }

    /// Where pieces may be cut.
    pub fn cuts(&self) -> &SafeCuts {
        &self.cuts
    }

    /// Whether a piece that is a token is that token, before anything is merged.
    pub fn takes_whole(&self) -> bool {
        self.takes_whole
    }

    /// The id of a byte.
    #[inline]
    pub(super) fn byte_id(&self, byte: u8) -> u32 {
        self.byte_ids[usize::from(byte)]
    }

    /// The rank of two bytes; `NO_RANK` if they are never merged.
    #[inline]
    pub(super) fn byte_rank(&self, left: u8, right: u8) -> u32 {
        self.byte_ranks[usize::from(left) << 8 | usize::from(right)]
    }

    /// The merges.
    #[inline]
    pub(crate) fn merges(&self) -> &Merges {
        &self.merges
    }

    /// The lengths of tokens. Nobody waits for them: a lock that was held when the process was forked stays locked. Once they
    /// are there no lock is asked for, or threads that meet at it would make their own, which takes milliseconds.
    fn lengths(&self, vocabulary: &Vocabulary) -> Arc<Lengths> {
        if let Some(lengths) = self.lengths.get() {
            return Arc::clone(lengths);
        }
        let make = || Arc::new(Lengths::new(vocabulary));
        match self.making.try_lock() {
            Ok(_making) => Arc::clone(self.lengths.get_or_init(make)),
            Err(_) => make(),
        }
    }

    /// Appends the ids of a piece by merging the lowest rank again and again, as byte-pair encoding is defined.
    pub(super) fn merge_by_rank(&self, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        if piece.len() <= SHORT {
            let mut lane = [Lane::<SHORT>::new(self, piece)];
            merge_together(&self.merges, &mut lane);
            lane[0].finish(ids);
            return Ok(());
        }
        self.encode_long(piece, ids, tick)
    }

    fn encode_long(&self, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let n_bytes = u32::try_from(piece.len()).ok().filter(|length| *length <= u32::MAX >> 1);
        let n_bytes = n_bytes.ok_or(Error::PieceTooLong { length_bytes: piece.len() })?;
        let mut chain = Chain::new(piece.iter().map(|byte| self.byte_ids[usize::from(*byte)]), n_bytes);
        let mut entries = Vec::new();
        for at in 0..n_bytes - 1 {
            if u64::from(at).is_multiple_of(TICK_ENTRIES) {
                tick(0)?;
            }
            entries.extend(self.entry(&chain, at));
        }
        let mut heap = BinaryHeap::from(entries);
        let mut since_tick = 0;
        while let Some(Reverse((rank, at))) = heap.pop() {
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
            // An entry is out of date if the pair at its place has been merged or has another partner now.
            if self.rank_at(&chain, at) != Some(rank) {
                continue;
            }
            chain.merge(at, self.merges.result(rank));
            heap.extend(self.entry(&chain, at));
            heap.extend(chain.left_of(at).and_then(|left| self.entry(&chain, left)));
        }
        ids.extend(chain.symbols());
        Ok(())
    }

    /// The rank of the pair that begins at `at`, if it is ever merged.
    #[inline]
    fn rank_at(&self, chain: &Chain, at: u32) -> Option<u32> {
        chain.right_of(at).and_then(|right| self.merges.rank(chain.symbol(at), chain.symbol(right)))
    }

    /// The entry of the heap for the pair that begins at `at`, if it can be merged.
    #[inline]
    fn entry(&self, chain: &Chain, at: u32) -> Option<Reverse<(u32, u32)>> {
        self.rank_at(chain, at).map(|rank| Reverse((rank, at)))
    }
}

impl Encode for Bpe {
    /// The id of a piece that is a token as a whole, where that is asked for before anything is merged.
    #[inline]
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        if self.takes_whole { vocabulary.model_id_of(piece) } else { None }
    }

    /// Appends the ends of the parts of a piece that may be merged each by itself; the last is the end of the piece.
    fn safe_cuts(&self, piece: &[u8], ends: &mut Vec<usize>) {
        self.cuts.split(piece, ends);
    }

    /// A whole piece may be one token, and then no border in it counts.
    fn is_safe_border(&self, text: &[u8], at: usize) -> bool {
        !self.takes_whole && self.cuts.is_safe(text, at)
    }

    /// Appends the ids of a piece, or of what lies between two safe cuts, by merging.
    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        if piece.len() < LONG {
            return self.merge_by_rank(piece, ids, tick);
        }
        backtrack::encode(self, &self.lengths(vocabulary), vocabulary, piece, ids, tick)
    }
}

/// The symbols of a long piece as a linked list; a symbol is named by the place of its first part.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Id, previous and next of each symbol; a merged-away symbol has `next` = itself.
    links: Vec<(u32, u32, u32)>,
}

impl Chain {
    const NONE: u32 = u32::MAX;

    /// A chain of `length` symbols, which is half of 2^32 at most.
    pub(super) fn new(symbols: impl Iterator<Item = u32>, length: u32) -> Self {
        let mut chain = Self::default();
        chain.refill(symbols, length);
        chain
    }

    /// Becomes the chain of other symbols, in the same memory.
    pub(super) fn refill(&mut self, symbols: impl Iterator<Item = u32>, length: u32) {
        let link = |(at, symbol): (u32, u32)| {
            let next = if at + 1 < length { at + 1 } else { Self::NONE };
            (symbol, at.checked_sub(1).unwrap_or(Self::NONE), next)
        };
        self.links.clear();
        self.links.extend((0..length).zip(symbols).map(link));
    }

    #[inline]
    pub(super) fn symbol(&self, at: u32) -> u32 {
        self.links[at as usize].0
    }

    #[inline]
    pub(super) fn left_of(&self, at: u32) -> Option<u32> {
        let left = self.links[at as usize].1;
        (left != Self::NONE).then_some(left)
    }

    /// The next symbol; None at the end, and for a symbol that was merged away.
    #[inline]
    pub(super) fn right_of(&self, at: u32) -> Option<u32> {
        let right = self.links[at as usize].2;
        (right != Self::NONE && right != at).then_some(right)
    }

    /// Joins the symbol at `at` with the next one.
    pub(super) fn merge(&mut self, at: u32, id: u32) {
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

    pub(super) fn symbols(&self) -> impl Iterator<Item = u32> + '_ {
        self.places().map(|(_, symbol)| symbol)
    }

    /// The symbols, each with its name.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let first = (!self.links.is_empty()).then_some(0);
        std::iter::successors(first, |at| self.right_of(*at)).map(|at| (at, self.symbol(at)))
    }
}

/// The tokens of single bytes.
fn byte_ids(vocabulary: &Vocabulary) -> Result<[u32; 256]> {
    let mut ids = [0; 256];
    for (byte, id) in (0..=u8::MAX).zip(&mut ids) {
        *id = vocabulary.model_id_of(&[byte]).ok_or(Error::MissingByte { byte })?;
    }
    Ok(ids)
}

/// The rank of each pair of bytes: only tokens of two bytes are made of such pairs.
fn byte_ranks(vocabulary: &Vocabulary, byte_ids: &[u32; 256], merges: &Merges) -> Vec<u32> {
    let mut table = vec![NO_RANK; 1 << 16];
    for (_, token) in vocabulary.model_tokens() {
        if let [left, right] = *token {
            let rank = merges.rank(byte_ids[usize::from(left)], byte_ids[usize::from(right)]);
            table[usize::from(left) << 8 | usize::from(right)] = rank.unwrap_or(NO_RANK);
        }
    }
    table
}
