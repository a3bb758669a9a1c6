//! What a training can be asked beside the next merge: to make a merge that somebody else chose, and which pair comes second.

use super::pairs::Pair;
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
        let runner_up = if runner_up { self.best_beside(left, right, tick)? } else { None };
        self.state.enter_token(left, right);
        Ok(MergeStep { left, right, count: 0, n_tokens: self.n_tokens, n_tied: 0, runner_up })
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

    /// The pair that the queue would choose if one were not there, and its count. Takes that one from the queue.
    fn best_beside(&mut self, left: u32, right: u32, tick: Tick<'_>) -> Result<Option<(u32, u32, u64)>> {
        loop {
            match self.queue.peek(&mut self.state) {
                Some(best) if Some(best) == self.state.pairs.find(left, right) => {
                    self.queue.pop(&mut self.state);
                    self.state.take_tied(best);
                }
                Some(best) => {
                    let Pair { left, right, count, .. } = self.state.pairs[best];
                    return Ok(Some((left, right, count)));
                }
                None if self.survey_rarer(tick)? => {}
                None => return Ok(None),
            }
        }
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

    /// How many other pairs occur as often as one.
    fn n_others_with_count_of(&self, pair: u32) -> u64 {
        let pairs = &self.state.pairs;
        let has_its_count = |other: &u32| *other != pair && pairs[*other].count == pairs[pair].count;
        (0..pairs.n_pairs()).filter(has_its_count).count() as u64
    }

    fn missing(&self, left: u32, right: u32) -> Error {
        Error::MissingPair { rank: self.state.words.n_merges(), left, right }
    }
}
