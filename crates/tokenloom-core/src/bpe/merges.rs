//! The merges of a model: from a pair of ids to its rank, and from a rank to the id that the merge makes.

use super::pair_map::{DistinctPairs, PairMap, PairMapDraft, PairNumber, RANK_BITS};
use crate::Tick;
use crate::error::{Error, Result};
use crate::packed::{self, Packed, Parts, Table, le_bytes};
use crate::vocab::Vocabulary;

/// No rank.
pub const NO_RANK: u32 = u32::MAX;

/// Merges are asked for so many steps before they are entered.
const AHEAD: usize = 16;

/// Merges between two ticks.
const TICK_MERGES: usize = 1 << 18;

/// See the module.
#[derive(Debug)]
pub struct Merges {
    pairs: PairMap,
    /// Ids by rank; None if an id is the rank of its token.
    results: Option<Table<u32>>,
}

impl Merges {
    /// The merges that make tokens of tokens where an id is the rank of its token.
    pub fn ranked(pairs: DistinctPairs, tick: Tick<'_>) -> Result<Self> {
        Ok(Self { pairs: pairs.into_map(tick)?, results: None })
    }

    /// The merges of a list. A merge makes the left part and the right one without its first `n_prefix` bytes.
    pub fn listed(vocabulary: &Vocabulary, merges: &[(u32, u32)], n_prefix: usize, tick: Tick<'_>) -> Result<Self> {
        if merges.len() > 1 << RANK_BITS {
            return Err(Error::SpecArrays { array: "merges", problem: "has more than 16,777,216 pairs" });
        }
        let mut pairs = PairMapDraft::with_capacity(vocabulary.size(), merges.len());
        let (mut token, mut last) = (Vec::new(), 0);
        let mut results = Vec::with_capacity(merges.len());
        for (rank, &(left, right)) in merges.iter().enumerate() {
            if rank.is_multiple_of(TICK_MERGES) {
                tick(0)?;
            }
            if let Some((left, right)) = merges.get(rank + AHEAD) {
                pairs.prefetch(*left, *right);
            }
            token.clear();
            for (id, skipped) in [(left, 0), (right, n_prefix)] {
                let part = vocabulary.bytes_of(id).ok_or(Error::MergePart { rank, id })?;
                token.extend_from_slice(part.get(skipped..).ok_or(Error::MergePrefix { rank, id })?);
            }
            // Merges mostly make tokens in the order of ids: one after the other, or the same in several ways.
            let guess = [last + 1, last].into_iter().find(|id| vocabulary.model_bytes_of(*id) == Some(&token));
            let Some(id) = guess.or_else(|| vocabulary.model_id_of(&token)) else {
                return Err(Error::MergeResult { rank, token });
            };
            last = id;
            results.push(id);
            if let Some(first) = pairs.insert(left, right, rank as u32) {
                return Err(Error::DuplicateMerge { first: first as usize, second: rank });
            }
        }
        Ok(Self { pairs: pairs.finish(), results: Some(results.into()) })
    }

    /// Takes what `pack` has written down, for ids below `n_ids`; of a list if `n_merges` says how long it is.
    pub fn unpack(packed: &Packed, n_ids: usize, n_merges: Option<usize>) -> Result<Self> {
        let pairs = PairMap::unpack(packed, n_ids, n_merges.unwrap_or(n_ids))?;
        let Some(n_merges) = n_merges else { return Ok(Self { pairs, results: None }) };
        let results = packed.table::<u32>("results")?;
        if results.len() != n_merges {
            return Err(packed::fault("results", "has more or less ids than there are merges"));
        }
        if results.iter().max().is_some_and(|id| *id as usize >= n_ids) {
            return Err(packed::fault("results", "has an id that is none of this tokenizer"));
        }
        Ok(Self { pairs, results: Some(results) })
    }

    /// Writes the tables down.
    pub fn pack(&self, parts: &mut Parts) {
        self.pairs.pack(parts);
        if let Some(results) = &self.results {
            parts.push(("results", le_bytes(results, u32::to_le_bytes)));
        }
    }

    /// The number of a pair, see `PairMap`.
    #[inline(always)]
    pub fn number(&self, left: u32, right: u32) -> PairNumber {
        self.pairs.number(left, right)
    }

    /// Asks for the rank of a pair, see `prefetch`.
    #[inline(always)]
    pub fn prefetch(&self, number: PairNumber) {
        self.pairs.prefetch(number);
    }

    /// The rank of a pair; `NO_RANK` if it is never merged.
    #[inline(always)]
    pub fn rank_of(&self, number: PairNumber) -> u32 {
        self.pairs.rank(number).unwrap_or(NO_RANK)
    }

    /// The rank of a pair of ids.
    #[inline]
    pub fn rank(&self, left: u32, right: u32) -> Option<u32> {
        self.pairs.get(left, right)
    }

    /// The id that the merge of a rank makes.
    #[inline(always)]
    pub fn result(&self, rank: u32) -> u32 {
        match &self.results {
            None => rank,
            Some(results) => results[rank as usize],
        }
    }
}
