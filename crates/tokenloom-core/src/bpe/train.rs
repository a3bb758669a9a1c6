//! The merge loop: from counts of pretokens to merges.
//!
//! Every adjacent position counts, overlaps included; merging is leftmost and does not overlap. All distinct pretokens lie
//! in one array of symbols, each with an end mark behind it; a symbol of n bytes covers n places, so places never move. A
//! pair knows the places where it was seen. A merge visits only the places of its pair, so the work follows occurrences,
//! not the length of words, and text without blanks trains like any other.

use std::cmp::Ordering;
use std::mem;

use super::pairs::{Pair, PairTable, pair_key};
use super::ties::{ByteOrder, Pairs, Queue, TieBreak};
use crate::Tick;
use crate::error::{Error, Result};
use crate::pretokens::counts::PretokenCounts;

/// Behind the last symbol of a pretoken.
const END: u32 = u32::MAX;

/// The first place of a symbol that was merged away.
const DEAD: u32 = u32::MAX - 1;

/// Set in the last place of a symbol of two or more bytes; the other bits are its length. An id never has it.
const TAIL: u32 = 1 << 31;

/// Places are below this, so that a length can carry `TAIL`.
const MOST_PLACES: usize = (1 << 31) - 2;

/// Places visited between two ticks.
const TICK_PLACES: u64 = 1 << 18;

/// One merge as it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeStep {
    /// The id on the left.
    pub left: u32,
    /// The id on the right.
    pub right: u32,
    /// How often the pair occurred, overlaps included.
    pub count: u64,
    /// The number of tokens in the corpus after the merge.
    pub n_tokens: u64,
    /// How many other pairs occurred as often.
    pub n_tied: u64,
}

/// Training in progress.
#[derive(Debug)]
pub struct Trainer {
    state: State,
    queue: Queue,
    n_tokens: u64,
}

/// Everything but the queue.
#[derive(Debug)]
struct State {
    symbols: Vec<u32>,
    weights: Weights,
    pairs: PairTable,
    /// The length in bytes of each token.
    lengths: Vec<u32>,
    ties: Ties,
    /// The number of pairs with `is_tied`: at a merge all that have the highest count.
    n_tied: u64,
}

/// What the tie rule needs.
#[derive(Debug)]
enum Ties {
    Lexicographic { order: ByteOrder, tokens: Vec<Vec<u8>> },
    LowestId,
    FirstSeen,
}

impl Trainer {
    /// Lays out the pretokens. `byte_order` are the 256 bytes in id order.
    pub fn new(counts: &PretokenCounts, byte_order: &[u8; 256], tie_break: TieBreak, tick: Tick<'_>) -> Result<Self> {
        let ties = match tie_break {
            TieBreak::Lexicographic => {
                let tokens: Vec<_> = byte_order.iter().map(|byte| vec![*byte]).collect();
                Ties::Lexicographic { order: ByteOrder::new(tokens.iter().cloned()), tokens }
            }
            TieBreak::LowestId => Ties::LowestId,
            TieBreak::FirstSeen => Ties::FirstSeen,
        };
        let (symbols, weights, n_tokens) = lay_out(counts, byte_order, tie_break, tick)?;
        let lengths = vec![1; 256];
        let mut state = State { symbols, weights, pairs: PairTable::default(), lengths, ties, n_tied: 0 };
        state.enter_byte_pairs(tick)?;
        let mut queue = Queue::default();
        for pair in 0..state.pairs.n_pairs() {
            queue.push(pair, &mut state);
        }
        Ok(Self { state, queue, n_tokens })
    }

    /// Makes the next merge; None if no pair is left. After an error the trainer must not be used again.
    pub fn step(&mut self, tick: Tick<'_>) -> Result<Option<MergeStep>> {
        let Some(pair) = self.queue.pop(&mut self.state) else {
            return Ok(None);
        };
        let n_tied = self.state.take_tied(pair);
        self.merge(pair, n_tied, tick).map(Some)
    }

    /// Makes a merge that was chosen before. After an error the trainer must not be used again.
    pub fn apply(&mut self, left: u32, right: u32, tick: Tick<'_>) -> Result<MergeStep> {
        let rank = self.state.lengths.len() - 256;
        let found = self.state.pairs.find(left, right).filter(|pair| self.state.pairs[*pair].count > 0);
        let pair = found.ok_or(Error::MissingPair { rank, left, right })?;
        let n_tied = match self.queue.pop(&mut self.state) {
            Some(chosen) if chosen == pair => self.state.take_tied(pair),
            chosen => {
                // A choice that this rule would not have made.
                let n_tied = self.state.n_with_count(self.state.pairs[pair].count) - 1;
                self.state.take_tied(pair);
                if let Some(chosen) = chosen {
                    self.state.take_tied(chosen);
                    self.queue.push(chosen, &mut self.state);
                }
                n_tied
            }
        };
        self.merge(pair, n_tied, tick)
    }

    /// Merges a pair that was taken from the queue, or that the queue will find gone.
    fn merge(&mut self, pair: u32, n_tied: u64, tick: Tick<'_>) -> Result<MergeStep> {
        let Pair { left, right, count, .. } = self.state.pairs[pair];
        let first_new = self.state.pairs.n_pairs();
        self.n_tokens -= self.state.merge(pair, tick)?;
        self.state.enter_token(left, right);
        for new in first_new..self.state.pairs.n_pairs() {
            self.queue.push(new, &mut self.state);
        }
        Ok(MergeStep { left, right, count, n_tokens: self.n_tokens, n_tied })
    }
}

impl State {
    /// Counts the pairs of bytes and writes down their places: one pass to know how many, one to write. No sum can
    /// overflow: a pair occurs less often than there are tokens, and their number was checked.
    fn enter_byte_pairs(&mut self, tick: Tick<'_>) -> Result<()> {
        let cell = |window: &[u32]| (window[0] < 256 && window[1] < 256).then(|| (window[0] << 8 | window[1]) as usize);
        let mut n_places = vec![0_usize; 1 << 16];
        for cell in self.symbols.windows(2).filter_map(cell) {
            n_places[cell] += 1;
        }
        let mut pair_of = vec![0; 1 << 16];
        for (cell, n_places) in n_places.iter().enumerate().filter(|(_, n_places)| **n_places > 0) {
            pair_of[cell] = self.pairs.enter(cell as u32 >> 8, cell as u32 & 255);
            self.pairs[pair_of[cell]].places.reserve_exact(*n_places);
        }
        let mut run = 0;
        for (place, window) in (0..).zip(self.symbols.windows(2)) {
            if place % TICK_PLACES as u32 == 0 {
                tick(0)?;
            }
            let Some(cell) = cell(window) else { continue };
            let pair = &mut self.pairs[pair_of[cell]];
            pair.places.push(place);
            pair.count += self.weights.at(place, &mut run);
        }
        Ok(())
    }

    /// Merges a pair everywhere into the next id. Returns how many tokens the corpus has lost.
    fn merge(&mut self, pair: u32, tick: Tick<'_>) -> Result<u64> {
        let Pair { left, right, .. } = self.pairs[pair];
        let places = mem::take(&mut self.pairs[pair].places);
        let merged = self.lengths.len() as u32;
        let (left_length, right_length) = (self.lengths[left as usize], self.lengths[right as usize]);
        let (mut run, mut n_merged) = (0, 0);
        for (done, &place) in (1..).zip(&places) {
            let middle = place + left_length;
            if self.symbols[place as usize] != left || self.symbols[middle as usize] != right {
                continue;
            }
            let weight = self.weights.at(place, &mut run);
            let end = middle + right_length;
            if let Some(before) = self.symbol_before(place) {
                let symbol = self.symbols[before as usize];
                self.lose(symbol, left, weight);
                self.gain(symbol, merged, weight, before);
            }
            let after = self.symbols[end as usize];
            if after != END {
                self.lose(right, after, weight);
                self.gain(merged, after, weight, place);
            }
            self.symbols[place as usize] = merged;
            self.symbols[middle as usize] = DEAD;
            self.symbols[end as usize - 1] = TAIL | (left_length + right_length);
            n_merged += weight;
            if done % TICK_PLACES == 0 {
                tick(0)?;
            }
        }
        self.pairs[pair].count = 0;
        Ok(n_merged)
    }

    /// The place of the symbol that ends before `place`; None at the start of a pretoken.
    #[inline]
    fn symbol_before(&self, place: u32) -> Option<u32> {
        let last = place.checked_sub(1)?;
        match self.symbols[last as usize] {
            END => None,
            symbol if symbol & TAIL != 0 => Some(place - (symbol & !TAIL)),
            _ => Some(last),
        }
    }

    /// A pair occurs less often.
    #[inline]
    fn lose(&mut self, left: u32, right: u32, weight: u64) {
        let Some(pair) = self.pairs.find(left, right) else {
            return;
        };
        let pair = &mut self.pairs[pair];
        pair.count -= weight;
        if pair.is_tied {
            pair.is_tied = false;
            self.n_tied -= 1;
        }
        if pair.count == 0 {
            pair.places = Vec::new();
            pair.n_stale = 0;
        }
    }

    /// Takes a pair, which is about to be merged, from those with the highest count. Returns how many are left.
    fn take_tied(&mut self, pair: u32) -> u64 {
        self.n_tied -= u64::from(mem::take(&mut self.pairs[pair].is_tied));
        self.n_tied
    }

    /// The number of pairs with this count.
    fn n_with_count(&self, count: u64) -> u64 {
        (0..self.pairs.n_pairs()).filter(|pair| self.pairs[*pair].count == count).count() as u64
    }

    /// A pair with the new token occurs, at this place. Its count stays below that of the pair that is merged.
    #[inline]
    fn gain(&mut self, left: u32, right: u32, weight: u64, place: u32) {
        let pair = self.pairs.enter(left, right);
        let pair = &mut self.pairs[pair];
        pair.count += weight;
        pair.places.push(place);
    }

    /// Gives the next id to the token that a merge has made.
    fn enter_token(&mut self, left: u32, right: u32) {
        self.lengths.push(self.lengths[left as usize] + self.lengths[right as usize]);
        if let Ties::Lexicographic { order, tokens } = &mut self.ties {
            let token = [tokens[left as usize].as_slice(), tokens[right as usize].as_slice()].concat();
            tokens.push(token.clone());
            order.insert(token);
        }
    }
}

impl Pairs for State {
    fn count(&self, pair: u32) -> u64 {
        self.pairs[pair].count
    }

    fn note_tied(&mut self, pair: u32) {
        self.pairs[pair].is_tied = true;
        self.n_tied += 1;
    }

    fn tie(&mut self, pair: u32) -> u64 {
        let pair = &mut self.pairs[pair];
        if !matches!(self.ties, Ties::FirstSeen) {
            return pair_key(pair.left, pair.right);
        }
        let length = self.lengths[pair.left as usize];
        let is_stale = |place: &u32| {
            self.symbols[*place as usize] != pair.left || self.symbols[(*place + length) as usize] != pair.right
        };
        let n_stale = pair.places[pair.n_stale as usize..].iter().take_while(|place| is_stale(place)).count();
        pair.n_stale += n_stale as u32;
        pair.places.get(pair.n_stale as usize).map_or(u64::MAX, |place| u64::from(*place))
    }

    #[inline]
    fn precedence(&self, one: u64, other: u64) -> Ordering {
        match &self.ties {
            Ties::LowestId | Ties::FirstSeen => other.cmp(&one),
            Ties::Lexicographic { order, .. } => {
                let labels = |tie: u64| (order.label((tie >> 32) as u32), order.label(tie as u32));
                labels(one).cmp(&labels(other))
            }
        }
    }
}

/// The weight of a place: the count of its pretoken. Neighbouring pretokens with the same count are one run.
#[derive(Debug, Default)]
struct Weights {
    starts: Vec<u32>,
    counts: Vec<u64>,
}

impl Weights {
    fn push(&mut self, start: u32, count: u64) {
        if self.counts.last() != Some(&count) {
            self.starts.push(start);
            self.counts.push(count);
        }
    }

    /// The weight at `place`. `run` is where the search begins and ends: for ascending places start with 0 and keep it.
    #[inline]
    fn at(&self, place: u32, run: &mut usize) -> u64 {
        let mut step = 1;
        while self.starts.get(*run + step).is_some_and(|start| *start <= place) {
            *run += step;
            step *= 2;
        }
        let within = &self.starts[*run..self.starts.len().min(*run + step)];
        *run += within.partition_point(|start| *start <= place) - 1;
        self.counts[*run]
    }
}

/// The symbols of all pretokens with an end mark behind each, their weights, and the number of tokens of the corpus.
///
/// For `FirstSeen` pretokens stand in the order of their first occurrence, so that places are ordered like positions in
/// the corpus. Otherwise those with equal counts stand together, which makes the weights short.
fn lay_out(
    counts: &PretokenCounts,
    byte_order: &[u8; 256],
    tie_break: TieBreak,
    tick: Tick<'_>,
) -> Result<(Vec<u32>, Weights, u64)> {
    let n_places = counts.bytes.len() + counts.len();
    if n_places > MOST_PLACES {
        return Err(Error::TooManyPretokens { length_bytes: counts.bytes.len() });
    }
    if tie_break == TieBreak::FirstSeen && !counts.has_positions() {
        return Err(Error::MissingPositions);
    }
    let mut ids = [0; 256];
    for (id, byte) in (0..).zip(byte_order) {
        ids[usize::from(*byte)] = id;
    }
    let mut places: Vec<u32> = (0..counts.len() as u32).collect();
    match tie_break {
        TieBreak::FirstSeen => places.sort_by_key(|place| counts.first_positions[*place as usize]),
        _ => places.sort_by_key(|place| counts.counts[*place as usize]),
    }
    let (mut symbols, mut weights, mut n_tokens) = (Vec::with_capacity(n_places), Weights::default(), 0_u64);
    for (done, place) in places.into_iter().enumerate() {
        if (done as u64).is_multiple_of(TICK_PLACES) {
            tick(0)?;
        }
        let (pretoken, count) = (counts.pretoken(place as usize), counts.counts[place as usize]);
        weights.push(symbols.len() as u32, count);
        symbols.extend(pretoken.iter().map(|byte| ids[usize::from(*byte)]));
        symbols.push(END);
        let added = (pretoken.len() as u64).checked_mul(count).and_then(|added| n_tokens.checked_add(added));
        n_tokens = added.ok_or_else(|| Error::CountOverflow { bytes: pretoken.to_vec() })?;
    }
    Ok((symbols, weights, n_tokens))
}
