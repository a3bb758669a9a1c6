//! Merges chosen by score: WordPiece's training.
//!
//! The score of a pair is `count(ab) / (count(a) * count(b))`: how much likelier the two stand together than by chance. The
//! count of a pair never rises after the merge that made it, but its score does, whenever one of its parts is used up by
//! another merge. So an entry of a lazy heap may be too low, and such a heap is not exact. Here every pair whose score may
//! have changed is entered again: those that hold a part of the merge. That is all of them, since a merge changes the
//! counts of its two parts and of pairs that hold one of these, and no others.
//!
//! Cost: a merge takes as many entries as its two parts have pairs that occur often enough, a few thousand for a common
//! letter of a large corpus. Pairs that are rarer than the least count that counts now are not known at all.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use super::limits::Limits;
use super::pairs::Pair;
use super::start::Start;
use super::survey::count;
use super::ties::TieBreak;
use super::train::{State, Ties};
use super::words::Words;
use crate::Tick;
use crate::error::Result;
use crate::pretokens::counts::PretokenCounts;

/// Of the symbols of a text a pair has this share at least, while nothing else was said.
const FIRST_SHARE: u64 = 1000;

/// Entries of the heap that are not worth a look.
const FEW_ENTRIES: usize = 1 << 12;

/// Pretokens between two ticks.
const TICK_PRETOKENS: usize = 1 << 14;

/// One merge as it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreStep {
    /// The id on the left.
    pub left: u32,
    /// The id on the right.
    pub right: u32,
    /// How often the pair occurred, overlaps included.
    pub n_pairs: u64,
    /// How often its left part occurred.
    pub n_left: u64,
    /// How often its right part occurred.
    pub n_right: u64,
    /// The number of tokens in the corpus after the merge.
    pub n_tokens: u64,
}

/// How often a pair must occur to be merged.
#[derive(Clone, Copy, Debug)]
pub struct Least {
    /// At first; None for a thousandth of all symbols. Whenever no pair is left it halves.
    pub first: Option<u64>,
    /// In the end.
    pub last: u64,
}

/// Training in progress.
#[derive(Debug)]
pub struct ScoreTrainer {
    state: State,
    /// How often each symbol occurs.
    counts: Vec<u64>,
    /// The pairs that hold each symbol.
    pairs_of: Vec<Vec<u32>>,
    /// For each pair the number of its entry that holds.
    entered: Vec<u32>,
    heap: BinaryHeap<Entry>,
    tokens: Vec<Vec<u8>>,
    /// What no merge may make.
    taken: HashSet<Vec<u8>>,
    /// What a token that goes on a word begins with.
    prefix: Vec<u8>,
    least: u64,
    last_least: u64,
    n_tokens: u64,
}

/// A pair with its score. The greatest is merged: of equal scores the more frequent pair, then the smaller ids.
#[derive(Debug)]
struct Entry {
    count: u64,
    /// The product of the counts of its parts.
    parts: u128,
    left: u32,
    right: u32,
    pair: u32,
    number: u32,
}

impl ScoreTrainer {
    /// Lays out the pretokens as `start` says. No merge makes one of the tokens in `taken`.
    pub fn new(
        counts: &PretokenCounts,
        start: &dyn Start,
        prefix: &str,
        taken: Vec<Vec<u8>>,
        least: Least,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let (words, n_tokens) = Words::lay_out(counts, start, TieBreak::LowestId, tick)?;
        let tokens = start.tokens();
        let last_least = least.last.max(1);
        let first = least.first.unwrap_or(n_tokens / FIRST_SHARE).max(last_least);
        let state = State {
            pairs: count(&words, first, |_, _| true, tick)?,
            words,
            beside: Default::default(),
            ties: Ties::LowestId,
            tokens: None,
            limits: Limits::default(),
            taken: None,
            n_tied: 0,
        };
        let mut trainer = Self {
            state,
            counts: symbol_counts(counts, start, tokens.len(), tick)?,
            pairs_of: Vec::new(),
            entered: Vec::new(),
            heap: BinaryHeap::new(),
            taken: taken.into_iter().chain(tokens.iter().cloned()).collect(),
            tokens,
            prefix: prefix.as_bytes().to_vec(),
            least: first,
            last_least,
            n_tokens,
        };
        trainer.enter_all();
        Ok(trainer)
    }

    /// The tokens of the corpus as it is segmented now.
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// How often a pair must occur now.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// The bytes of the token that was made last.
    pub fn last_token(&self) -> &[u8] {
        self.tokens.last().map_or(&[], Vec::as_slice)
    }

    /// Makes the next merge; None if no pair is left that may be merged. After an error the trainer must not be used again.
    pub fn step(&mut self, tick: Tick<'_>) -> Result<Option<ScoreStep>> {
        loop {
            if let Some(entry) = self.pop() {
                return self.merge(entry.pair, tick).map(Some);
            }
            if self.least <= self.last_least {
                return Ok(None);
            }
            self.least = (self.least / 2).max(self.last_least);
            self.survey(tick)?;
        }
    }

    /// The best entry that holds.
    fn pop(&mut self) -> Option<Entry> {
        while let Some(entry) = self.heap.pop() {
            if self.entered[entry.pair as usize] == entry.number && self.state.pairs[entry.pair].count > 0 {
                return Some(entry);
            }
        }
        None
    }

    fn merge(&mut self, pair: u32, tick: Tick<'_>) -> Result<ScoreStep> {
        let Pair { left, right, count: n_pairs, .. } = self.state.pairs[pair];
        let (n_left, n_right) = (self.counts[left as usize], self.counts[right as usize]);
        let first_new = self.state.pairs.n_pairs();
        let token = self.joined(left, right);
        let merged = self.state.words.enter_token(left, right);
        self.taken.insert(token.clone());
        self.tokens.push(token);
        let n_merged = self.state.merge(pair, merged, tick)?;
        self.n_tokens -= n_merged;
        self.counts[left as usize] -= n_merged;
        self.counts[right as usize] -= n_merged;
        self.counts.push(n_merged);
        if self.state.is_littered() {
            self.survey(tick)?;
        } else {
            self.enter_changed(first_new, left, right);
        }
        Ok(ScoreStep { left, right, n_pairs, n_left, n_right, n_tokens: self.n_tokens })
    }

    /// Counts all pairs anew.
    fn survey(&mut self, tick: Tick<'_>) -> Result<()> {
        self.state.words.compact(tick)?;
        self.state.pairs = count(&self.state.words, self.least, |_, _| true, tick)?;
        self.enter_all();
        Ok(())
    }

    fn enter_all(&mut self) {
        self.pairs_of = vec![Vec::new(); self.tokens.len()];
        self.entered.clear();
        self.heap.clear();
        self.note_pairs(0);
        for pair in 0..self.state.pairs.n_pairs() {
            self.enter(pair);
        }
    }

    /// Notes the pairs from one on with their parts.
    fn note_pairs(&mut self, first: u32) {
        for pair in first..self.state.pairs.n_pairs() {
            let Pair { left, right, .. } = self.state.pairs[pair];
            self.entered.push(0);
            self.pairs_of[left as usize].push(pair);
            if left != right {
                self.pairs_of[right as usize].push(pair);
            }
        }
    }

    /// Enters the pairs that a merge has made or whose score it has changed.
    fn enter_changed(&mut self, first_new: u32, left: u32, right: u32) {
        self.pairs_of.push(Vec::new());
        self.note_pairs(first_new);
        for symbol in [left, right] {
            let mut pairs = std::mem::take(&mut self.pairs_of[symbol as usize]);
            pairs.retain(|pair| self.state.pairs[*pair].count > 0);
            pairs.iter().filter(|pair| **pair < first_new).for_each(|pair| self.enter(*pair));
            self.pairs_of[symbol as usize] = pairs;
        }
        for pair in first_new..self.state.pairs.n_pairs() {
            self.enter(pair);
        }
        let n_live = self.state.pairs.n_pairs() as usize - self.state.pairs.n_gone();
        if self.heap.len() > n_live * 4 + FEW_ENTRIES {
            let (entered, pairs) = (&self.entered, &self.state.pairs);
            self.heap.retain(|entry| entered[entry.pair as usize] == entry.number && pairs[entry.pair].count > 0);
        }
    }

    fn enter(&mut self, pair: u32) {
        let Pair { left, right, count, .. } = self.state.pairs[pair];
        self.entered[pair as usize] += 1;
        if count == 0 || self.taken.contains(&self.joined(left, right)) {
            return;
        }
        let parts = u128::from(self.counts[left as usize]) * u128::from(self.counts[right as usize]);
        self.heap.push(Entry { count, parts, left, right, pair, number: self.entered[pair as usize] });
    }

    /// The bytes of a pair: those of its parts, without the prefix of the right one.
    fn joined(&self, left: u32, right: u32) -> Vec<u8> {
        let (left, right) = (&self.tokens[left as usize], &self.tokens[right as usize]);
        [left.as_slice(), right.strip_prefix(self.prefix.as_slice()).unwrap_or(right)].concat()
    }
}

/// How often each symbol occurs, alone in its pretoken or not.
fn symbol_counts(counts: &PretokenCounts, start: &dyn Start, n_symbols: usize, tick: Tick<'_>) -> Result<Vec<u64>> {
    let (mut found, mut symbols) = (vec![0; n_symbols], Vec::new());
    for place in 0..counts.len() {
        if place.is_multiple_of(TICK_PRETOKENS) {
            tick(0)?;
        }
        symbols.clear();
        start.append(counts.pretoken(place), &mut symbols, tick)?;
        symbols.iter().for_each(|symbol| found[*symbol as usize] += counts.counts[place]);
    }
    Ok(found)
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, two) = (product(other.parts, self.count), product(self.parts, other.count));
        let ids = (other.left, other.right).cmp(&(self.left, self.right));
        one.cmp(&two).then(self.count.cmp(&other.count)).then(ids).then(self.number.cmp(&other.number))
    }
}

/// A product of up to 192 bits, the upper 128 first: fractions are compared without rounding.
fn product(one: u128, two: u64) -> (u128, u64) {
    let low = u128::from(one as u64) * u128::from(two);
    ((one >> 64) * u128::from(two) + (low >> 64), low as u64)
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn fractions_are_compared_beyond_128_bits() {
        let large = u128::MAX;
        assert!(product(large, u64::MAX) > product(large, u64::MAX - 1));
        assert!(product(large, u64::MAX) > product(large - 1, u64::MAX));
        assert_eq!(product(1 << 64, 1), (1, 0));
    }
}
