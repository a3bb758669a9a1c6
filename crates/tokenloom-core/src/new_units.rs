//! What the cache does not know: encoded together, and remembered.
//!
//! Running text has two or three new units in a hundred. They wait until there are several, because short ones are merged at
//! the same time, so that their waits for memory overlap.

use std::mem;
use std::ops::Range;

use crate::Tick;
use crate::bpe::cache::WordCache;
use crate::bpe::group::{Traits, character};
use crate::bpe::key::{KEY_BYTES, Key};
use crate::bpe::together::{Lane, MOST_PIECES, merge_together};
use crate::encoder::{Encode, Encoder};
use crate::error::Result;
use crate::memory::reserve;
use crate::vocab::Vocabulary;

/// Parts of one piece between two ticks.
const TICK_PARTS: usize = 1 << 16;

/// What encodes: a vocabulary and its model.
pub(crate) type Model<'a> = (&'a Vocabulary, &'a Encoder);

/// How a unit is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// By itself.
    Other,
    /// Together with others, by merging.
    Merged,
    /// It is this token.
    Whole(u32),
    /// It was known at last.
    Known,
}

/// A new unit.
#[derive(Clone, Copy, Debug)]
struct New {
    /// Where it begins and ends in the text.
    start: usize,
    end: usize,
    key: Key,
    traits: Traits,
    state: State,
    /// Where its ids stand among the new ones.
    first_id: usize,
    end_id: usize,
}

impl New {
    /// Its bytes.
    fn bytes<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start..self.end]
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct NewUnits {
    units: Vec<New>,
    /// Their ids one after the other.
    ids: Vec<u32>,
    /// Room for what is merged at the same time, and for the safe cuts of one piece.
    lanes: Vec<Lane<{ KEY_BYTES + 1 }>>,
    cuts: Vec<usize>,
}

impl NewUnits {
    /// Takes a unit that lies in a range of the text, and returns its number.
    pub fn push(&mut self, key: Key, range: Range<usize>, traits: Traits) -> usize {
        let Range { start, end } = range;
        self.units.push(New { start, end, key, traits, state: State::Other, first_id: 0, end_id: 0 });
        self.units.len() - 1
    }

    /// The number of units.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether they are enough to fill all lanes.
    pub fn are_many(&self) -> bool {
        self.len() >= MOST_PIECES
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.units.clear();
    }

    /// The ids of a unit, once all are encoded.
    pub fn ids(&self, unit: usize) -> &[u32] {
        let New { first_id, end_id, .. } = self.units[unit];
        &self.ids[first_id..end_id]
    }

    /// Remembers all units, once they are encoded.
    pub fn remember(&self, text: &[u8], cache: &mut WordCache) {
        for (place, new) in self.units.iter().enumerate() {
            let (ids, traits) = (self.ids(place), new.traits);
            if traits.has_key {
                cache.remember(new.key, ids);
            } else if let Some(scalar) = character(new.key) {
                cache.remember_character(scalar, ids);
            } else if !traits.is_part && new.state != State::Known {
                cache.remember_long(new.bytes(text), ids);
            }
        }
    }

    /// Encodes all units.
    pub fn encode(&mut self, text: &[u8], model: Model<'_>, cache: &WordCache, tick: Tick<'_>) -> Result<()> {
        self.ids.clear();
        for first in (0..self.units.len()).step_by(MOST_PIECES) {
            let end = self.units.len().min(first + MOST_PIECES);
            self.merge_short(text, model, first..end);
            let mut lanes = mem::take(&mut self.lanes);
            let mut merged = lanes.iter();
            for place in first..end {
                let new = self.units[place];
                self.units[place].first_id = self.ids.len();
                match new.state {
                    State::Whole(id) => self.ids.push(id),
                    State::Merged => merged.next().into_iter().for_each(|lane| lane.finish(&mut self.ids)),
                    State::Other | State::Known => {
                        self.units[place].state = self.encode_other(new.bytes(text), new.traits, model, cache, tick)?
                    }
                }
                self.units[place].end_id = self.ids.len();
            }
            lanes.clear();
            self.lanes = lanes;
        }
        Ok(())
    }

    /// Merges those of some units that have a key, all at the same time.
    fn merge_short(&mut self, text: &[u8], (vocabulary, model): Model<'_>, range: Range<usize>) {
        let Encoder::Bytes(model) = model else { return };
        let mut pieces = [&text[..0]; MOST_PIECES];
        let mut whole = [None; MOST_PIECES];
        let units = &mut self.units[range];
        for (piece, new) in pieces.iter_mut().zip(&*units) {
            *piece = new.bytes(text);
        }
        if model.takes_whole() {
            vocabulary.model_ids_of(&pieces[..units.len()], &mut whole);
        }
        for ((new, piece), whole) in units.iter_mut().zip(pieces).zip(whole) {
            match whole {
                Some(id) if !new.traits.is_part => new.state = State::Whole(id),
                _ if new.traits.has_key || (new.traits.is_part && piece.len() <= KEY_BYTES) => {
                    new.state = State::Merged;
                    self.lanes.push(Lane::new(model, piece));
                }
                _ => {}
            }
        }
        merge_together(model.merges(), &mut self.lanes);
    }

    /// Encodes a unit by itself.
    #[inline(never)]
    fn encode_other(
        &mut self,
        bytes: &[u8],
        traits: Traits,
        (vocabulary, model): Model<'_>,
        cache: &WordCache,
        tick: Tick<'_>,
    ) -> Result<State> {
        let is_long_piece = !traits.has_key && !traits.is_part;
        if is_long_piece && let Some(ids) = cache.recall_long(bytes) {
            self.ids.extend_from_slice(ids);
            return Ok(State::Known);
        }
        match model {
            Encoder::Bytes(model) => self.encode_one(bytes, traits.is_part, (vocabulary, model), tick)?,
            Encoder::Characters(model) => self.encode_one(bytes, traits.is_part, (vocabulary, model), tick)?,
            Encoder::Scored(model) => self.encode_one(bytes, traits.is_part, (vocabulary, model), tick)?,
            Encoder::Wordpiece(model) => self.encode_one(bytes, traits.is_part, (vocabulary, model), tick)?,
            Encoder::Unigram(model) => self.encode_one(bytes, traits.is_part, (vocabulary, model), tick)?,
            Encoder::Words(model) => self.encode_one(bytes, traits.is_part, (vocabulary, model), tick)?,
        }
        Ok(State::Other)
    }

    /// Encodes a unit. A part is not a piece: where a whole piece may be one token, a part with the same bytes must be
    /// merged.
    fn encode_one(
        &mut self,
        bytes: &[u8],
        is_part: bool,
        (vocabulary, model): (&Vocabulary, &impl Encode),
        tick: Tick<'_>,
    ) -> Result<()> {
        if is_part {
            return model.merge_piece(vocabulary, bytes, &mut self.ids, tick);
        }
        if let Some(id) = model.whole_piece(vocabulary, bytes) {
            self.ids.push(id);
            return Ok(());
        }
        reserve(&mut self.ids, bytes.len() / 3);
        let mut cuts = mem::take(&mut self.cuts);
        cuts.clear();
        model.safe_cuts(bytes, &mut cuts);
        let mut start = 0;
        for ends in cuts.chunks(TICK_PARTS) {
            for &end in ends {
                model.merge_piece(vocabulary, &bytes[start..end], &mut self.ids, tick)?;
                start = end;
            }
            tick(0)?;
        }
        self.cuts = cuts;
        Ok(())
    }
}
