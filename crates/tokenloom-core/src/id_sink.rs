//! From pieces to ids: what is known comes from the cache, the rest from the model.

use std::mem;

use crate::Tick;
use crate::bpe::cache::{ID_BITS, MOST_IDS, WordCache};
use crate::bpe::encoder::{Encode, Encoder};
use crate::bpe::together::{Lane, MOST_PIECES, merge_together};
use crate::bpe::units::{GROUP, Group, Units};
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
        self.extend(row[..n_ids].iter().map(|id| id & ID_BITS));
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

/// Looks up units, and encodes and remembers those that are not known.
struct Lookup<'a> {
    vocabulary: &'a Vocabulary,
    model: &'a Encoder,
    cache: &'a mut WordCache,
    /// Room for the ids of one unit, and for the safe cuts of one piece.
    new_ids: Vec<u32>,
    cuts: Vec<usize>,
    /// Room for what is merged at the same time.
    lanes: Vec<Lane>,
}

impl<'a> Lookup<'a> {
    fn new(vocabulary: &'a Vocabulary, model: &'a Encoder, cache: &'a mut WordCache) -> Self {
        Self { vocabulary, model, cache, new_ids: Vec::new(), cuts: Vec::new(), lanes: Vec::new() }
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
        let mut group = Group::new();
        for n_groups in 1.. {
            units.next_group(self.cache, &mut group);
            self.recall_group(text, &group, output, tick)?;
            if group.n_units < GROUP {
                break;
            }
            if n_groups % TICK_GROUPS == 0 {
                tick(0)?;
            }
        }
        Ok(())
    }

    /// Gives the ids of a group.
    ///
    /// They come into a row first, four at a time, of which the next four overwrite the foreign ones: cheaper than copies of
    /// unknown length.
    #[inline(always)]
    fn recall_group<O: Output>(&mut self, text: &[u8], group: &Group, output: &mut O, tick: Tick<'_>) -> Result<()> {
        let mut row = [0; (GROUP + 1) * MOST_IDS];
        let (mut n_ids, mut is_learned) = (0, false);
        for unit in 0..group.n_units.min(GROUP) {
            let known = match self.cache.recall(group.places[unit], group.keys[unit]) {
                None => group.character(unit).and_then(|place| self.cache.recall_character(place)),
                known => known,
            };
            match known {
                Some((ids, n)) if n <= MOST_IDS => {
                    if O::KEEPS && let Some(place) = row[n_ids..].first_chunk_mut() {
                        *place = ids;
                    }
                    n_ids += n;
                }
                _ => {
                    output.take(&row, n_ids);
                    n_ids = 0;
                    if !is_learned {
                        self.learn_together(text, group, unit);
                        is_learned = true;
                    }
                    output.take_all(self.learn(text, group, unit, tick)?);
                }
            }
        }
        output.take(&row, n_ids);
        Ok(())
    }

    /// Learns the first units of a group, from `first` on, that the table of pieces should know and does not.
    #[inline(never)]
    fn learn_together(&mut self, text: &[u8], group: &Group, first: usize) {
        let Encoder::Bytes(model) = self.model else { return };
        let (mut units, mut pieces) = ([0; MOST_PIECES], [&text[..0]; MOST_PIECES]);
        let mut n_pieces = 0;
        for unit in first..group.n_units {
            let (key, place) = (group.keys[unit], group.places[unit]);
            let is_new = || self.cache.recall(place, key).is_none() && self.cache.recall_anywhere(key).is_none();
            if n_pieces < MOST_PIECES && group.traits(unit).0 && is_new() {
                (units[n_pieces], pieces[n_pieces]) = (unit, &text[group.start(unit)..group.ends[unit]]);
                n_pieces += 1;
            }
        }
        let mut whole = [None; MOST_PIECES];
        if model.takes_whole() {
            self.vocabulary.model_ids_of(&pieces[..n_pieces], &mut whole);
        }
        self.lanes.clear();
        for place in 0..n_pieces {
            let (unit, key) = (units[place], group.keys[units[place]]);
            match whole[place] {
                Some(id) if !group.traits(unit).1 => self.cache.remember(key, &[id]),
                _ => self.lanes.push(Lane::new(model, key, pieces[place])),
            }
        }
        merge_together(model, &mut self.lanes);
        for lane in &self.lanes {
            self.new_ids.clear();
            lane.finish(&mut self.new_ids);
            self.cache.remember(lane.key, &self.new_ids);
        }
    }

    /// The ids of a unit that no table of short ones knows.
    #[inline(never)]
    fn learn(&mut self, text: &[u8], group: &Group, unit: usize, tick: Tick<'_>) -> Result<&[u32]> {
        let bytes = &text[group.start(unit)..group.ends[unit]];
        let ((has_key, is_part), key) = (group.traits(unit), group.keys[unit]);
        self.new_ids.clear();
        if has_key && let Some((ids, n_ids)) = self.cache.recall_anywhere(key) {
            self.new_ids.extend_from_slice(if n_ids <= MOST_IDS { &ids[..n_ids] } else { self.cache.many(ids, n_ids) });
            self.new_ids[0] &= ID_BITS;
            return Ok(&self.new_ids);
        }
        if !has_key && !is_part && let Some(ids) = self.cache.recall_long(bytes) {
            self.new_ids.extend_from_slice(ids);
            return Ok(&self.new_ids);
        }
        match self.model {
            Encoder::Bytes(model) => self.encode(model, bytes, is_part, tick)?,
            Encoder::Characters(model) => self.encode(model, bytes, is_part, tick)?,
        }
        if has_key {
            self.cache.remember(key, &self.new_ids);
        } else if !is_part {
            self.cache.remember_long(bytes, &self.new_ids);
        } else if let Some(place) = group.character(unit) {
            self.cache.remember_character(place, &self.new_ids);
        }
        Ok(&self.new_ids)
    }

    /// Encodes a unit. A part is not a piece: where a whole piece may be one token, a part with the same bytes must be
    /// merged.
    fn encode(&mut self, model: &impl Encode, bytes: &[u8], is_part: bool, tick: Tick<'_>) -> Result<()> {
        if is_part {
            return model.merge_piece(bytes, &mut self.new_ids, tick);
        }
        if let Some(id) = model.whole_piece(self.vocabulary, bytes) {
            self.new_ids.push(id);
            return Ok(());
        }
        let mut cuts = mem::take(&mut self.cuts);
        cuts.clear();
        model.safe_cuts(bytes, &mut cuts);
        let mut start = 0;
        let mut result = Ok(());
        for ends in cuts.chunks(TICK_PARTS) {
            for &end in ends {
                result = result.and_then(|()| model.merge_piece(&bytes[start..end], &mut self.new_ids, tick));
                start = end;
            }
            result = result.and_then(|()| tick(0));
        }
        self.cuts = cuts;
        result
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
