//! The distinct pretokens of a corpus as training sees them: one array of symbols, with an end mark behind each pretoken.
//!
//! A merge writes the new symbol at the place of the left one and leaves the others empty, so places never move. A symbol
//! that merges have made since the last `compact` covers as many places as its parts: its span.

use super::start::{Start, WALL};
use super::ties::TieBreak;
use crate::Tick;
use crate::error::{Error, Result};
use crate::memory::{prefetch, with_large_pages};
use crate::pretokens::counts::PretokenCounts;

/// Behind the last symbol of a pretoken.
const END: u32 = u32::MAX;

/// The first place of a symbol that was merged away.
const DEAD: u32 = u32::MAX - 1;

/// Set in the last place of a symbol of two or more places; the other bits are its span. An id never has it.
const TAIL: u32 = 1 << 31;

/// Places are below this, so that a span can carry `TAIL`.
const MOST_PLACES: usize = (1 << 31) - 2;

/// Places visited between two ticks.
pub const TICK_PLACES: usize = 1 << 18;

/// See the module.
#[derive(Debug)]
pub struct Words {
    symbols: Vec<u32>,
    weights: Weights,
    /// How many places each id covers.
    spans: Vec<u32>,
    n_start: u32,
}

/// What stands beside a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The symbol before it and the place of that, if it is not the first of its pretoken.
    pub before: Option<(u32, u32)>,
    /// The symbol behind it, if it is not the last of its pretoken.
    pub after: Option<u32>,
}

impl Words {
    /// All pretokens as they begin, and the number of tokens of the corpus. What has one symbol alone, or alone between two
    /// that join no merge, has no pair and is left out.
    ///
    /// For `FirstSeen` pretokens stand in the order of their first occurrence, so that places are ordered like positions
    /// in the corpus. Otherwise those with equal counts stand together, which makes the weights short.
    pub fn lay_out(
        counts: &PretokenCounts,
        start: &dyn Start,
        tie_break: TieBreak,
        tick: Tick<'_>,
    ) -> Result<(Self, u64)> {
        let n_places = counts.bytes.len() + counts.len() * (1 + start.n_marks());
        if n_places > MOST_PLACES {
            return Err(Error::TooManyPretokens { length_bytes: counts.bytes.len() });
        }
        let n_start = start.tokens().len();
        let (mut symbols, mut weights, mut n_tokens) = (with_large_pages(n_places), Weights::default(), 0_u64);
        let mut begun = Vec::new();
        for (done, place) in order(counts, tie_break)?.into_iter().enumerate() {
            if done.is_multiple_of(TICK_PLACES) {
                tick(0)?;
            }
            let (pretoken, count) = (counts.pretoken(place as usize), counts.counts[place as usize]);
            let first = symbols.len();
            start.append(pretoken, &mut symbols, tick)?;
            let n_begun = symbols.len() - first;
            let added = (n_begun as u64).checked_mul(count).and_then(|added| n_tokens.checked_add(added));
            n_tokens = added.ok_or_else(|| Error::CountOverflow { bytes: pretoken.to_vec() })?;
            if start.has_walls() {
                begun.clear();
                begun.extend(symbols.drain(first..));
                for part in begun.split(|symbol| *symbol == WALL).filter(|part| part.len() > 1) {
                    weights.push(symbols.len() as u32, count);
                    symbols.extend_from_slice(part);
                    symbols.push(END);
                }
            } else if n_begun > 1 {
                weights.push(first as u32, count);
                symbols.push(END);
            } else {
                symbols.truncate(first);
            }
        }
        Ok((Self { symbols, weights, spans: vec![1; n_start], n_start: n_start as u32 }, n_tokens))
    }

    /// The number of ids so far.
    pub fn n_ids(&self) -> u32 {
        self.spans.len() as u32
    }

    /// The number of tokens that merges have made.
    pub fn n_merges(&self) -> usize {
        (self.n_ids() - self.n_start) as usize
    }

    /// The number of places, taken or not.
    pub fn n_places(&self) -> usize {
        self.symbols.len()
    }

    /// Takes the next id for what a merge shall make.
    pub fn enter_token(&mut self, left: u32, right: u32) -> u32 {
        self.spans.push(self.spans[left as usize] + self.spans[right as usize]);
        self.n_ids() - 1
    }

    /// Whether two symbols are neighbours, the left one at this place.
    #[inline]
    pub fn holds(&self, place: u32, left: u32, right: u32) -> bool {
        let middle = place as usize + self.spans[left as usize] as usize;
        self.symbols[place as usize] == left && self.symbols[middle] == right
    }

    /// Makes one symbol of two at a place where they may be neighbours: what stands beside it. None if they are not.
    #[inline]
    pub fn merge(&mut self, place: u32, [left, right, merged]: [u32; 3]) -> Option<Site> {
        if !self.holds(place, left, right) {
            return None;
        }
        let span = self.spans[merged as usize];
        self.symbols[place as usize] = merged;
        self.symbols[(place + self.spans[left as usize]) as usize] = DEAD;
        self.symbols[(place + span) as usize - 1] = TAIL | span;
        self.site(place, merged)
    }

    /// What stands beside a symbol; None if the place holds another one.
    #[inline]
    pub fn site(&self, place: u32, symbol: u32) -> Option<Site> {
        if self.symbols[place as usize] != symbol {
            return None;
        }
        let after = self.symbols[(place + self.spans[symbol as usize]) as usize];
        Some(Site { before: self.symbol_before(place), after: (after != END).then_some(after) })
    }

    /// Asks for the symbols at a place, which will be looked at soon.
    #[inline]
    pub fn prefetch(&self, place: u32) {
        prefetch(&self.symbols[place as usize]);
    }

    /// The symbol that ends before `place`, and its place; None at the start of a pretoken.
    #[inline]
    fn symbol_before(&self, place: u32) -> Option<(u32, u32)> {
        let last = place.checked_sub(1)?;
        match self.symbols[last as usize] {
            END => None,
            tail if tail & TAIL != 0 => {
                let first = place - (tail & !TAIL);
                Some((self.symbols[first as usize], first))
            }
            symbol => Some((symbol, last)),
        }
    }

    /// The weight of a place, see `Weights::at`.
    #[inline]
    pub fn weight(&self, place: u32, run: &mut usize) -> u64 {
        self.weights.at(place, run)
    }

    /// Leaves out what is empty, and pretokens that have become one symbol. Then each symbol covers one place.
    pub fn compact(&mut self, tick: Tick<'_>) -> Result<()> {
        let (symbols, mut weights, mut run) = (&mut self.symbols, Weights::default(), 0);
        let (mut from, mut to, mut tick_at) = (0, 0, 0);
        while from < symbols.len() {
            let (word, start) = (from as u32, to);
            while symbols[from] != END {
                symbols[to] = symbols[from];
                from += self.spans[symbols[to] as usize] as usize;
                to += 1;
                if from >= tick_at {
                    tick(0)?;
                    tick_at = from + TICK_PLACES;
                }
            }
            from += 1;
            if to - start > 1 {
                weights.push(start as u32, self.weights.at(word, &mut run));
                symbols[to] = END;
                to += 1;
            } else {
                to = start;
            }
        }
        symbols.truncate(to);
        symbols.shrink_to_fit();
        self.weights = weights;
        self.spans.fill(1);
        Ok(())
    }

    /// Gives all neighbours to `take`: left, right, place of the left one, weight. Only if all symbols cover one place.
    #[inline]
    pub fn for_each_pair(&self, mut take: impl FnMut(u32, u32, u32, u64), tick: Tick<'_>) -> Result<()> {
        let ends = self.weights.starts.iter().skip(1).map(|start| *start as usize).chain([self.symbols.len()]);
        let mut tick_at = 0;
        for ((start, end), weight) in self.weights.starts.iter().zip(ends).zip(&self.weights.counts) {
            let mut from = *start as usize;
            // The last place of a run is an end mark.
            while from + 1 < end {
                let to = (end - 1).min(from + TICK_PLACES);
                for (place, window) in (from as u32..).zip(self.symbols[from..=to].windows(2)) {
                    if window[0] != END && window[1] != END {
                        take(window[0], window[1], place, *weight);
                    }
                }
                if to >= tick_at {
                    tick(0)?;
                    tick_at = to + TICK_PLACES;
                }
                from = to;
            }
        }
        Ok(())
    }
}

/// The order in which pretokens are laid out.
fn order(counts: &PretokenCounts, tie_break: TieBreak) -> Result<Vec<u32>> {
    let mut places: Vec<u32> = (0..counts.len() as u32).collect();
    match tie_break {
        TieBreak::FirstSeen if !counts.has_positions() => return Err(Error::MissingPositions),
        TieBreak::FirstSeen => places.sort_unstable_by_key(|place| counts.first_positions[*place as usize]),
        _ => places.sort_unstable_by_key(|place| (counts.counts[*place as usize], *place)),
    }
    Ok(places)
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
