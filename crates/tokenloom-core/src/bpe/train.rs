//! The merge loop: from counts of pretokens to merges.
//!
//! Every adjacent position counts, overlaps included; merging is leftmost and does not overlap. A pair knows the places
//! where it was seen. A merge visits only the places of its pair, so the work follows occurrences, not the length of words,
//! and text without blanks trains like any other. Of all pairs only frequent ones are known, see `survey`.

use std::cmp::Ordering;
use std::mem;

use super::limits::Limits;
use super::neighbours::Neighbours;
use super::pairs::{Pair, PairTable, pair_key};
use super::start::Start;
use super::survey::survey;
use super::taken::Taken;
use super::ties::{ByteOrder, Pairs, Queue, TieBreak};
use super::words::{TICK_PLACES, Words};
use crate::Tick;
use crate::error::Result;
use crate::pretokens::counts::PretokenCounts;

/// Places that are asked for ahead of the one that is merged.
const AHEAD: usize = 16;

/// What a pair that is gone still takes, in places.
const PLACES_A_PAIR: usize = 16;

/// Useless places that are not worth a survey.
const FEW_PLACES: usize = 1 << 16;

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
    /// The pair that would have been chosen if this one had not been there, and its count: where that was asked for.
    pub runner_up: Option<(u32, u32, u64)>,
}

/// Training in progress.
#[derive(Debug)]
pub struct Trainer {
    pub(super) state: State,
    pub(super) queue: Queue,
    pub(super) n_tokens: u64,
}

/// Everything but the queue.
#[derive(Debug)]
pub(super) struct State {
    pub(super) words: Words,
    pub(super) pairs: PairTable,
    /// What the merge at hand meets on the left, and on the right.
    pub(super) beside: [Neighbours; 2],
    pub(super) ties: Ties,
    /// The bytes of all tokens by id, where anything asks for them.
    pub(super) tokens: Option<Vec<Vec<u8>>>,
    pub(super) limits: Limits,
    /// What no merge may make.
    pub(super) taken: Option<Taken>,
    /// The number of pairs with `is_tied`: at a merge all that have the highest count.
    pub(super) n_tied: u64,
}

/// What the tie rule needs.
#[derive(Debug)]
pub(super) enum Ties {
    Lexicographic(ByteOrder),
    LowestId,
    FirstSeen,
}

impl Trainer {
    /// Lays out the pretokens as `start` says.
    pub fn new(
        counts: &PretokenCounts,
        start: &dyn Start,
        tie_break: TieBreak,
        limits: Limits,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let ties = match tie_break {
            TieBreak::Lexicographic => Ties::Lexicographic(ByteOrder::new(start.tokens())),
            TieBreak::LowestId => Ties::LowestId,
            TieBreak::FirstSeen => Ties::FirstSeen,
        };
        let (words, n_tokens) = Words::lay_out(counts, start, tie_break, tick)?;
        let pairs = survey(&words, u64::MAX, tick)?;
        let taken = start.taken(tick)?;
        let asks_for_bytes = tie_break == TieBreak::Lexicographic || taken.is_some() || !limits.allow_all();
        let tokens = asks_for_bytes.then(|| start.tokens());
        let state = State { words, pairs, beside: Default::default(), ties, tokens, limits, taken, n_tied: 0 };
        let mut trainer = Self { state, queue: Queue::default(), n_tokens };
        trainer.fill_queue(0);
        Ok(trainer)
    }

    /// The tokens of the corpus as it is segmented now.
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// Makes the next merge; None if no pair is left that may be merged. With `runner_up` it tells the second best pair
    /// too. After an error the trainer must not be used again.
    pub fn step(&mut self, runner_up: bool, tick: Tick<'_>) -> Result<Option<MergeStep>> {
        let Some(pair) = self.choose(tick)? else {
            return Ok(None);
        };
        let n_tied = self.state.take_tied(pair);
        if runner_up { self.merge_before_second(pair, n_tied, tick) } else { self.merge(pair, n_tied, tick) }.map(Some)
    }

    /// Takes the next pair from the queue.
    fn choose(&mut self, tick: Tick<'_>) -> Result<Option<u32>> {
        let pair = self.best(tick)?;
        if pair.is_some() {
            self.queue.pop(&mut self.state);
        }
        Ok(pair)
    }

    /// The next pair of the queue. Rarer ones are counted where that has no more, unless they would be too rare.
    pub(super) fn best(&mut self, tick: Tick<'_>) -> Result<Option<u32>> {
        let least = self.state.limits.min_pair_count.max(1);
        loop {
            match self.queue.peek(&mut self.state) {
                Some(pair) => return Ok((self.state.count(pair) >= least).then_some(pair)),
                None if self.state.pairs.least() <= least => return Ok(None),
                None => self.survey_rarer(tick)?,
            };
        }
    }

    /// Counts pairs that were too rare up to now; false if there are none.
    pub(super) fn survey_rarer(&mut self, tick: Tick<'_>) -> Result<bool> {
        match self.state.pairs.least() - 1 {
            0 => Ok(false),
            highest => self.survey(highest, tick).map(|()| true),
        }
    }

    /// Counts all pairs anew.
    pub(super) fn survey(&mut self, highest: u64, tick: Tick<'_>) -> Result<()> {
        self.forget_pairs();
        self.state.words.compact(tick)?;
        self.state.pairs = survey(&self.state.words, highest, tick)?;
        self.fill_queue(0);
        Ok(())
    }

    pub(super) fn forget_pairs(&mut self) {
        self.state.pairs = PairTable::new(1);
        self.state.n_tied = 0;
        if let Some(taken) = &mut self.state.taken {
            taken.forget_pairs();
        }
        self.queue = Queue::default();
    }

    /// Puts pairs into the queue that may be merged, from one on.
    fn fill_queue(&mut self, first: u32) {
        for pair in first..self.state.pairs.n_pairs() {
            if self.state.allows(pair) {
                self.state.note_waiting(pair);
                self.queue.push(pair, &mut self.state);
            }
        }
    }

    /// Merges a pair that was taken from the queue, or that the queue will find gone.
    pub(super) fn merge(&mut self, pair: u32, n_tied: u64, tick: Tick<'_>) -> Result<MergeStep> {
        let Pair { left, right, count, .. } = self.state.pairs[pair];
        let first_new = self.state.pairs.n_pairs();
        let merged = self.state.enter_token(left, right);
        self.n_tokens -= self.state.merge(pair, merged, tick)?;
        self.fill_queue(first_new);
        if self.state.is_littered() {
            self.survey(count, tick)?;
        }
        Ok(MergeStep { left, right, count, n_tokens: self.n_tokens, n_tied, runner_up: None })
    }
}

impl State {
    /// Whether a pair may be merged, if it occurs often enough.
    pub(super) fn allows(&self, pair: u32) -> bool {
        if self.taken.is_none() && self.limits.allow_all() {
            return true;
        }
        let Pair { left, right, .. } = self.pairs[pair];
        self.joined(left, right).is_none_or(|token| {
            self.limits.allow(&token) && self.taken.as_ref().is_none_or(|taken| !taken.holds(&token))
        })
    }

    /// Notes a pair that may be merged until another has made its bytes.
    fn note_waiting(&mut self, pair: u32) {
        let Pair { left, right, .. } = self.pairs[pair];
        if self.taken.as_ref().is_some_and(Taken::has_ambiguous_pairs)
            && let Some(token) = self.joined(left, right)
            && let Some(taken) = &mut self.taken
        {
            taken.wait(pair, &token);
        }
    }

    /// The bytes of a pair, where anything asks for them.
    fn joined(&self, left: u32, right: u32) -> Option<Vec<u8>> {
        let tokens = self.tokens.as_ref()?;
        Some([tokens[left as usize].as_slice(), tokens[right as usize].as_slice()].concat())
    }

    /// Merges a pair everywhere. Returns how many tokens the corpus has lost.
    pub(super) fn merge(&mut self, pair: u32, merged: u32, tick: Tick<'_>) -> Result<u64> {
        let Pair { left, right, .. } = self.pairs[pair];
        let ids = [left, right, merged];
        let [before, after] = &mut self.beside;
        before.reserve(merged + 1);
        after.reserve(merged + 1);
        let (mut run, mut n_merged) = (0, 0);
        let places = self.pairs.places(pair);
        for (done, &place) in (1..).zip(places) {
            if let Some(ahead) = places.get(done + AHEAD) {
                self.words.prefetch(*ahead);
            }
            let Some(site) = self.words.merge(place, ids) else { continue };
            let weight = self.words.weight(place, &mut run);
            if let Some((symbol, _)) = site.before {
                before.note(symbol, weight);
            }
            if let Some(symbol) = site.after {
                after.note(symbol, weight);
            }
            n_merged += weight;
            if done % TICK_PLACES == 0 {
                tick(0)?;
            }
        }
        self.pairs.remove(pair);
        self.lose_neighbours(ids);
        if self.gain_neighbours(ids) {
            self.place_neighbours(pair, merged, tick)?;
        }
        self.beside.iter_mut().for_each(Neighbours::clear);
        Ok(n_merged)
    }

    /// Takes the places of a merge from the pairs that were there before.
    fn lose_neighbours(&mut self, [left, right, merged]: [u32; 3]) {
        let [before, after] = &self.beside;
        let mut n_tied = 0;
        let mut lose = |left, right, weight, n_places| {
            if let Some(pair) = self.pairs.find(left, right) {
                n_tied += u64::from(self.pairs.lose(pair, weight, n_places));
            }
        };
        // Before a place may be the token that this merge has just made: then the pair is lost to the right of that.
        for neighbour in before.iter().filter(|neighbour| neighbour.symbol != merged) {
            lose(neighbour.symbol, left, neighbour.weight, neighbour.n_places);
        }
        for neighbour in after.iter() {
            lose(right, neighbour.symbol, neighbour.weight, neighbour.n_places);
        }
        self.n_tied -= n_tied;
    }

    /// Enters the pairs with the new token that are frequent enough; whether there are any.
    fn gain_neighbours(&mut self, [left, _, merged]: [u32; 3]) -> bool {
        let (least, first_new) = (self.pairs.least(), self.pairs.n_pairs());
        let [before, after] = &mut self.beside;
        // Where the new token stands before another, what was noted behind the first has become part of the second.
        let (weight, n_places) = before.find(merged).map_or((0, 0), |twice| (twice.weight, twice.n_places));
        for neighbour in after.iter_mut().filter(|neighbour| neighbour.symbol == left) {
            neighbour.weight -= weight;
            neighbour.n_places -= n_places;
        }
        for neighbour in before.iter_mut().filter(|neighbour| neighbour.weight >= least) {
            let pair = [neighbour.symbol, merged];
            neighbour.room = Some(self.pairs.add(pair, neighbour.weight, neighbour.n_places));
        }
        for neighbour in after.iter_mut().filter(|neighbour| neighbour.weight >= least) {
            let pair = [merged, neighbour.symbol];
            neighbour.room = Some(self.pairs.add(pair, neighbour.weight, neighbour.n_places));
        }
        self.pairs.n_pairs() > first_new
    }

    /// Writes down the places of the pairs with the new token, which stands where the merged pair was.
    fn place_neighbours(&mut self, pair: u32, merged: u32, tick: Tick<'_>) -> Result<()> {
        let [before, after] = &mut self.beside;
        for (done, at) in (1..).zip(self.pairs[pair].range()) {
            if done % TICK_PLACES == 0 {
                tick(0)?;
            }
            let place = self.pairs.place(at);
            let Some(site) = self.words.site(place, merged) else { continue };
            if let Some((symbol, place)) = site.before
                && let Some(room) = before.next_room(symbol)
            {
                self.pairs.put_place(room, place);
            }
            // A new token behind this one will note the pair of both.
            if let Some(symbol) = site.after.filter(|symbol| *symbol != merged)
                && let Some(room) = after.next_room(symbol)
            {
                self.pairs.put_place(room, place);
            }
        }
        Ok(())
    }

    /// Whether most of the memory of pairs holds what is gone.
    pub(super) fn is_littered(&self) -> bool {
        let n_useless = self.pairs.n_stale_places() + self.pairs.n_gone() * PLACES_A_PAIR;
        n_useless > self.words.n_places() + FEW_PLACES
    }

    /// Takes a pair, which is about to be merged, from those with the highest count. Returns how many are left.
    pub(super) fn take_tied(&mut self, pair: u32) -> u64 {
        self.n_tied -= u64::from(mem::take(&mut self.pairs[pair].is_tied));
        self.n_tied
    }

    /// Gives the next id to the token that a merge makes. Other pairs with its bytes are gone from now on.
    pub(super) fn enter_token(&mut self, left: u32, right: u32) -> u32 {
        if let Some(token) = self.joined(left, right) {
            if let Ties::Lexicographic(order) = &mut self.ties {
                order.insert(token.clone());
            }
            self.take(&token, [left, right]);
            if let Some(tokens) = &mut self.tokens {
                tokens.push(token);
            }
        }
        self.words.enter_token(left, right)
    }

    /// Takes the bytes of a new token from all pairs but the one that becomes it.
    fn take(&mut self, token: &[u8], merged: [u32; 2]) {
        let Some(taken) = &mut self.taken else { return };
        for pair in taken.enter(token.to_vec()) {
            let Pair { left, right, count, .. } = self.pairs[pair];
            if [left, right] != merged && count > 0 && self.joined(left, right).as_deref() == Some(token) {
                self.take_tied(pair);
                self.pairs.remove(pair);
            }
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

    fn forget_tied(&mut self, pair: u32) {
        self.take_tied(pair);
    }

    fn tie(&mut self, pair: u32) -> u64 {
        let Pair { left, right, .. } = self.pairs[pair];
        if !matches!(self.ties, Ties::FirstSeen) {
            return pair_key(left, right);
        }
        let is_stale = |place: &&u32| !self.words.holds(**place, left, right);
        let n_stale = self.pairs.places(pair).iter().take_while(is_stale).count();
        self.pairs.skip_places(pair, n_stale);
        self.pairs.places(pair).first().map_or(u64::MAX, |place| u64::from(*place))
    }

    #[inline]
    fn precedence(&self, one: u64, other: u64) -> Ordering {
        match &self.ties {
            Ties::LowestId | Ties::FirstSeen => other.cmp(&one),
            Ties::Lexicographic(order) => {
                let labels = |tie: u64| (order.label((tie >> 32) as u32), order.label(tie as u32));
                labels(one).cmp(&labels(other))
            }
        }
    }
}
