//! From pieces to ids: what is known comes from the cache, the rest from the model.

use std::mem;
use std::ops::Range;

use crate::Tick;
use crate::bpe::cache::{ID_BITS, KEY_BYTES, MOST_IDS, WordCache, n_ids, unpacked};
use crate::bpe::encoder::{Encode, Encoder};
use crate::bpe::together::{Lane, MOST_PIECES, merge_together};
use crate::bpe::units::{Desk, GROUP, Group, Traits, Units};
use crate::driver::Sink;
use crate::error::Result;
use crate::search::Hit;
use crate::vocab::Vocabulary;

/// Groups of units between two ticks.
const TICK_GROUPS: usize = 1 << 11;

/// Parts of one piece between two ticks.
const TICK_PARTS: usize = 1 << 16;

/// Takes the ids of units, in order.
trait Output {
    /// Whether it looks at ids, not only at their number.
    const KEEPS: bool;
    /// Takes so many ids of a row, whose highest byte is foreign.
    fn take(&mut self, row: &[u32], n_ids: usize);
    /// Takes ids.
    fn take_all(&mut self, ids: &[u32]);
}

impl Output for Vec<u32> {
    const KEEPS: bool = true;

    #[inline]
    fn take(&mut self, row: &[u32], n_ids: usize) {
        self.extend(row[..n_ids].iter().map(|id| id & (u32::MAX >> (32 - ID_BITS))));
    }

    fn take_all(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }
}

/// A number of ids.
impl Output for u64 {
    const KEEPS: bool = false;

    #[inline]
    fn take(&mut self, _row: &[u32], n_ids: usize) {
        *self += n_ids as u64;
    }

    fn take_all(&mut self, ids: &[u32]) {
        *self += ids.len() as u64;
    }
}

/// What was found for a unit, if no slot: nothing, or packed ids of a character with this added.
const NEW: u64 = u64::MAX;
const CHARACTER: u64 = 1 << 63;

/// How a new unit is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// By itself.
    #[default]
    Other,
    /// Together with others, by merging.
    Merged,
    /// It is this token.
    Whole(u32),
    /// It was known at last.
    Known,
}

/// A new unit of a group.
#[derive(Clone, Copy, Debug, Default)]
struct New {
    unit: usize,
    state: State,
    /// Where its ids stand among the new ones.
    start: usize,
    end: usize,
}

impl New {
    /// Its ids.
    fn of<'a>(&self, new_ids: &'a [u32]) -> &'a [u32] {
        &new_ids[self.start..self.end]
    }
}

/// Looks up units, and encodes and remembers those that are not known.
struct Lookup<'a> {
    vocabulary: &'a Vocabulary,
    model: &'a Encoder,
    cache: &'a mut WordCache,
    /// The new units of a group, and their ids one after the other.
    new_units: Vec<New>,
    new_ids: Vec<u32>,
    /// Room for what is merged at the same time, and for the safe cuts of one piece.
    lanes: Vec<Lane<{ KEY_BYTES + 1 }>>,
    cuts: Vec<usize>,
}

impl<'a> Lookup<'a> {
    fn new(vocabulary: &'a Vocabulary, model: &'a Encoder, cache: &'a mut WordCache) -> Self {
        let (new_units, new_ids, lanes, cuts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { vocabulary, model, cache, new_units, new_ids, lanes, cuts }
    }

    /// Gives the ids of pieces, the first of which begins at `start`.
    #[inline]
    fn run(
        &mut self,
        text: &[u8],
        start: usize,
        ends: &[usize],
        output: &mut impl Output,
        tick: Tick<'_>,
    ) -> Result<()> {
        let wide_cuts = match self.model {
            Encoder::Bytes(model) => Some(model.cuts()),
            Encoder::Characters(_) => None,
        };
        let mut units = Units::new(text, start, ends, wide_cuts);
        let mut desk = self.cache.take_desk();
        let mut result = Ok(());
        for n_groups in 1.. {
            units.next_group(self.cache, &mut desk.group);
            result = self.recall_group(text, &mut desk, output, tick);
            if n_groups % TICK_GROUPS == 0 {
                result = result.and_then(|()| tick(0));
            }
            if desk.group.n_units < GROUP || result.is_err() {
                break;
            }
        }
        self.cache.give_back_desk(desk);
        result
    }

    /// Gives the ids of a group: finds what is known, encodes the rest, and remembers that at last, because it may displace
    /// what was found.
    #[inline(always)]
    fn recall_group<O: Output>(&mut self, text: &[u8], desk: &mut Desk, output: &mut O, tick: Tick<'_>) -> Result<()> {
        let Desk { group, found, row } = desk;
        let n_units = group.n_units.min(GROUP);
        self.new_units.clear();
        for (unit, found) in found.iter_mut().enumerate().take(n_units) {
            let key = group.keys[unit];
            *found = match key.number() {
                None => match self.cache.find(group.places[unit], key) {
                    Some(slot) => slot as u64,
                    None => self.find_elsewhere(group, unit),
                },
                Some(number) => match self.cache.character(number) {
                    0 => self.find_elsewhere(group, unit),
                    packed => packed | CHARACTER,
                },
            };
        }
        if !self.new_units.is_empty() {
            self.encode_new(text, group, tick)?;
        }
        // Ids come into a row first, four at a time, of which the next four overwrite the foreign ones: cheaper than copies
        // of unknown length.
        let (mut end, mut n_new) = (0, 0);
        for &place in &found[..n_units] {
            let ids = match place {
                0..CHARACTER => self.cache.ids(place as usize),
                NEW => {
                    output.take(row, end);
                    output.take_all(self.new_units[n_new].of(&self.new_ids));
                    (end, n_new) = (0, n_new + 1);
                    continue;
                }
                _ => unpacked(place),
            };
            let n = n_ids(ids);
            if n > MOST_IDS {
                output.take(row, end);
                output.take_all(self.cache.many(ids));
                end = 0;
                continue;
            }
            if O::KEEPS
                && let Some(four) = row[end..].first_chunk_mut()
            {
                let (low, high) = ids;
                *four = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
            }
            end += n;
        }
        output.take(row, end);
        if !self.new_units.is_empty() {
            self.remember_new(text, group);
        }
        Ok(())
    }

    /// Finds a unit that is not in its set. What is nowhere is noted as new.
    #[inline(never)]
    fn find_elsewhere(&mut self, group: &Group, unit: usize) -> u64 {
        let displaced = if group.traits(unit).has_key { self.cache.find_displaced(group.keys[unit]) } else { None };
        displaced.map_or_else(
            || {
                self.new_units.push(New { unit, ..New::default() });
                NEW
            },
            |slot| slot as u64,
        )
    }

    /// Encodes the new units of a group.
    fn encode_new(&mut self, text: &[u8], group: &Group, tick: Tick<'_>) -> Result<()> {
        self.new_ids.clear();
        for first in (0..self.new_units.len()).step_by(MOST_PIECES) {
            let end = self.new_units.len().min(first + MOST_PIECES);
            self.merge_short(text, group, first..end);
            let mut lanes = mem::take(&mut self.lanes);
            let mut merged = lanes.iter();
            for place in first..end {
                let New { unit, state, .. } = self.new_units[place];
                self.new_units[place].start = self.new_ids.len();
                let bytes = &text[group.start(unit)..group.ends[unit]];
                match state {
                    State::Whole(id) => self.new_ids.push(id),
                    State::Merged => merged.next().into_iter().for_each(|lane| lane.finish(&mut self.new_ids)),
                    State::Other | State::Known => {
                        self.new_units[place].state = self.encode_other(bytes, group.traits(unit), tick)?
                    }
                }
                self.new_units[place].end = self.new_ids.len();
            }
            lanes.clear();
            self.lanes = lanes;
        }
        Ok(())
    }

    /// Merges those of some new units that have a key, all at the same time.
    fn merge_short(&mut self, text: &[u8], group: &Group, range: Range<usize>) {
        let Encoder::Bytes(model) = self.model else { return };
        let mut pieces = [&text[..0]; MOST_PIECES];
        let mut whole = [None; MOST_PIECES];
        let new_units = &mut self.new_units[range];
        for (piece, new) in pieces.iter_mut().zip(&*new_units) {
            *piece = &text[group.start(new.unit)..group.ends[new.unit]];
        }
        if model.takes_whole() {
            self.vocabulary.model_ids_of(&pieces[..new_units.len()], &mut whole);
        }
        for ((new, piece), whole) in new_units.iter_mut().zip(pieces).zip(whole) {
            let traits = group.traits(new.unit);
            match whole {
                Some(id) if !traits.is_part => new.state = State::Whole(id),
                _ if traits.has_key || (traits.is_part && piece.len() <= KEY_BYTES) => {
                    new.state = State::Merged;
                    self.lanes.push(Lane::new(model, piece));
                }
                _ => {}
            }
        }
        merge_together(model, &mut self.lanes);
    }

    /// Encodes a new unit by itself.
    #[inline(never)]
    fn encode_other(&mut self, bytes: &[u8], traits: Traits, tick: Tick<'_>) -> Result<State> {
        let is_long_piece = !traits.has_key && !traits.is_part;
        if is_long_piece && let Some(ids) = self.cache.recall_long(bytes) {
            self.new_ids.extend_from_slice(ids);
            return Ok(State::Known);
        }
        match self.model {
            Encoder::Bytes(model) => self.encode(model, bytes, traits.is_part, tick)?,
            Encoder::Characters(model) => self.encode(model, bytes, traits.is_part, tick)?,
        }
        Ok(State::Other)
    }

    /// Remembers the new units of a group.
    fn remember_new(&mut self, text: &[u8], group: &Group) {
        for new in &self.new_units {
            let (unit, ids) = (new.unit, new.of(&self.new_ids));
            let traits = group.traits(unit);
            if traits.has_key {
                self.cache.remember(group.keys[unit], ids);
            } else if let Some(scalar) = group.character(unit) {
                self.cache.remember_character(scalar, ids);
            } else if !traits.is_part && new.state != State::Known {
                self.cache.remember_long(&text[group.start(unit)..group.ends[unit]], ids);
            }
        }
    }

    /// Encodes a unit. A part is not a piece: where a whole piece may be one token, a part with the same bytes must be
    /// merged.
    fn encode(&mut self, model: &impl Encode, bytes: &[u8], is_part: bool, tick: Tick<'_>) -> Result<()> {
        if is_part {
            return model.merge_piece(self.vocabulary, bytes, &mut self.new_ids, tick);
        }
        if let Some(id) = model.whole_piece(self.vocabulary, bytes) {
            self.new_ids.push(id);
            return Ok(());
        }
        let mut cuts = mem::take(&mut self.cuts);
        cuts.clear();
        model.safe_cuts(bytes, &mut cuts);
        let mut start = 0;
        for ends in cuts.chunks(TICK_PARTS) {
            for &end in ends {
                model.merge_piece(self.vocabulary, &bytes[start..end], &mut self.new_ids, tick)?;
                start = end;
            }
            tick(0)?;
        }
        self.cuts = cuts;
        Ok(())
    }
}

/// Turns pieces into ids.
pub(crate) struct IdSink<'a> {
    lookup: Lookup<'a>,
    pub(crate) ids: &'a mut Vec<u32>,
}

impl<'a> IdSink<'a> {
    /// Appends the ids of pieces to `ids`.
    pub(crate) fn new(
        vocabulary: &'a Vocabulary,
        model: &'a Encoder,
        cache: &'a mut WordCache,
        ids: &'a mut Vec<u32>,
    ) -> Self {
        Self { lookup: Lookup::new(vocabulary, model, cache), ids }
    }

    pub(crate) fn vocabulary(&self) -> &'a Vocabulary {
        self.lookup.vocabulary
    }

    pub(crate) fn model(&self) -> &'a Encoder {
        self.lookup.model
    }
}

impl Sink for IdSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        self.lookup.run(text, start, ends, self.ids, tick)
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        self.ids.push(hit.id);
    }
}

/// Counts ids without keeping them.
pub(crate) struct CountSink<'a> {
    lookup: Lookup<'a>,
    pub(crate) n_tokens: u64,
}

impl<'a> CountSink<'a> {
    pub(crate) fn new(vocabulary: &'a Vocabulary, model: &'a Encoder, cache: &'a mut WordCache) -> Self {
        Self { lookup: Lookup::new(vocabulary, model, cache), n_tokens: 0 }
    }
}

impl Sink for CountSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        self.lookup.run(text, start, ends, &mut self.n_tokens, tick)
    }

    fn added(&mut self, _text: &[u8], _hit: Hit) {
        self.n_tokens += 1;
    }
}
