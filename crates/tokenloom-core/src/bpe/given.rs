//! What a training can be asked beside the next merge: to make a merge that somebody else chose, and which pair comes second.

use std::collections::HashSet;

use super::pairs::Pair;
use super::survey::count;
use super::ties::Pairs;
use super::train::{MergeStep, Trainer};
use crate::Tick;
use crate::error::{Error, Result};

impl Trainer {
    /// Makes a merge that was chosen before. After an error the trainer must not be used again.
    pub fn apply(&mut self, left: u32, right: u32, runner_up: bool, tick: Tick<'_>) -> Result<MergeStep> {
        let pair = self.find(left, right, tick)?.ok_or_else(|| self.missing(left, right))?;
        self.apply_found(pair, runner_up, tick)
    }

    /// As `apply`, but a pair that does not occur gets its token too, with a count of 0.
    pub fn apply_or_enter(&mut self, left: u32, right: u32, runner_up: bool, tick: Tick<'_>) -> Result<MergeStep> {
        if let Some(pair) = self.find(left, right, tick)? {
            return self.apply_found(pair, runner_up, tick);
        }
        self.check_ids(left, right)?;
        let runner_up = if runner_up { self.best_beside(left, right, tick)? } else { None };
        self.state.enter_token(left, right);
        Ok(MergeStep { left, right, count: 0, n_tokens: self.n_tokens, n_tied: 0, runner_up })
    }

    /// Makes merges that are wanted whether their pairs occur or not, before any other. Nothing is told of other pairs, of
    /// which none is counted: these merges ask for few places, however rare their pairs are.
    pub fn give(&mut self, merges: &[(u32, u32)], tick: Tick<'_>) -> Result<Vec<MergeStep>> {
        let wanted: HashSet<(u32, u32)> = merges.iter().copied().collect();
        let mut is_left = vec![false; self.state.words.n_ids() as usize];
        for (left, _) in merges {
            if let Some(is_left) = is_left.get_mut(*left as usize) {
                *is_left = true;
            }
        }
        let is_wanted = |left: u32, right: u32| is_left[left as usize] && wanted.contains(&(left, right));
        self.forget_pairs();
        self.state.words.compact(tick)?;
        self.state.pairs = count(&self.state.words, 1, is_wanted, tick)?;
        let steps = merges.iter().map(|(left, right)| self.give_one(*left, *right, tick)).collect::<Result<_>>()?;
        self.survey(u64::MAX, tick)?;
        Ok(steps)
    }

    /// Makes a merge, and counts what it brings side by side.
    fn give_one(&mut self, left: u32, right: u32, tick: Tick<'_>) -> Result<MergeStep> {
        self.check_ids(left, right)?;
        let pair = self.state.pairs.find(left, right);
        let merged = self.state.enter_token(left, right);
        let count = pair.map_or(0, |pair| self.state.count(pair));
        if let Some(pair) = pair.filter(|_| count > 0) {
            self.n_tokens -= self.state.merge(pair, merged, tick)?;
        }
        Ok(MergeStep { left, right, count, n_tokens: self.n_tokens, n_tied: 0, runner_up: None })
    }

    /// Merges a pair, whatever the queue would choose.
    fn apply_found(&mut self, pair: u32, runner_up: bool, tick: Tick<'_>) -> Result<MergeStep> {
        let n_tied = if self.queue.peek(&mut self.state) == Some(pair) {
            self.queue.pop(&mut self.state);
            self.state.take_tied(pair)
        } else {
            // A choice that this rule would not have made.
            self.state.take_tied(pair);
            self.n_others_with_count_of(pair)
        };
        if runner_up { self.merge_before_second(pair, n_tied, tick) } else { self.merge(pair, n_tied, tick) }
    }

    /// Merges a pair that was taken from the queue, or that the queue will find gone, after a look at the second best.
    pub(super) fn merge_before_second(&mut self, pair: u32, n_tied: u64, tick: Tick<'_>) -> Result<MergeStep> {
        let Pair { left, right, .. } = self.state.pairs[pair];
        let runner_up = self.best_beside(left, right, tick)?;
        // Rarer pairs may have been counted, which gives all pairs new places.
        let pair = self.state.pairs.find(left, right).ok_or_else(|| self.missing(left, right))?;
        let step = self.merge(pair, n_tied, tick)?;
        Ok(MergeStep { runner_up, ..step })
    }

    /// The pair that would be chosen if one were not there, and its count. Takes that one from the queue.
    fn best_beside(&mut self, left: u32, right: u32, tick: Tick<'_>) -> Result<Option<(u32, u32, u64)>> {
        while let Some(best) = self.best(tick)? {
            if self.state.pairs.find(left, right) != Some(best) {
                let Pair { left, right, count, .. } = self.state.pairs[best];
                return Ok(Some((left, right, count)));
            }
            self.queue.pop(&mut self.state);
            self.state.take_tied(best);
        }
        Ok(None)
    }

    /// A pair by its ids, however rare; None if it does not occur.
    fn find(&mut self, left: u32, right: u32, tick: Tick<'_>) -> Result<Option<u32>> {
        loop {
            let pair = self.state.pairs.find(left, right).filter(|pair| self.state.count(*pair) > 0);
            if pair.is_some() || !self.survey_rarer(tick)? {
                return Ok(pair);
            }
        }
    }

    /// How many other pairs that may be merged occur as often as one.
    fn n_others_with_count_of(&self, pair: u32) -> u64 {
        let pairs = &self.state.pairs;
        let has_its_count = |other: &u32| *other != pair && pairs[*other].count == pairs[pair].count;
        (0..pairs.n_pairs()).filter(has_its_count).filter(|other| self.state.allows(*other)).count() as u64
    }

    fn check_ids(&self, left: u32, right: u32) -> Result<()> {
        if left.max(right) < self.state.words.n_ids() { Ok(()) } else { Err(self.missing(left, right)) }
    }

    fn missing(&self, left: u32, right: u32) -> Error {
        Error::MissingPair { rank: self.state.words.n_merges(), left, right }
    }
}
