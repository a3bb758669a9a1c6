//! From pieces to ids: what is known comes from the cache, the rest from the model.

use crate::Tick;
use crate::bpe::cache::{ID_MASK, MOST_CHARACTER_IDS, WordCache, n_ids, unpacked};
use crate::bpe::encoder::Encoder;
use crate::bpe::units::{Desk, GROUP, Group, MOST_FOUND, ROW_IDS, Units};
use crate::driver::Sink;
use crate::error::Result;
use crate::new_units::NewUnits;
use crate::search::Hit;
use crate::vocab::Vocabulary;

/// Groups of units between two ticks.
const TICK_GROUPS: usize = 1 << 11;

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
        self.extend(row[..n_ids].iter().map(|id| id & ID_MASK));
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

/// What was found for a unit, if it is no value of the cache: nothing, or packed ids of a character with this added.
const NEW: u64 = u64::MAX;
const CHARACTER: u64 = 1 << 63;

/// Looks up units, and encodes and remembers those that are not known.
struct Lookup<'a> {
    vocabulary: &'a Vocabulary,
    model: &'a Encoder,
    cache: &'a mut WordCache,
    new: NewUnits,
}

impl<'a> Lookup<'a> {
    fn new(vocabulary: &'a Vocabulary, model: &'a Encoder, cache: &'a mut WordCache) -> Self {
        Self { vocabulary, model, cache, new: NewUnits::default() }
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
            self.find(&mut desk);
            let is_last = desk.group.n_units < GROUP;
            // New units are encoded together, so they may wait for those of later groups.
            if is_last || self.new.are_many() || desk.n_found + GROUP > MOST_FOUND {
                result = self.settle(text, &mut desk, output, tick);
                self.new.clear();
                desk.n_found = 0;
            }
            if n_groups % TICK_GROUPS == 0 {
                result = result.and_then(|()| tick(0));
            }
            if is_last || result.is_err() {
                break;
            }
        }
        self.cache.give_back_desk(desk);
        result
    }

    /// Finds the units of a group that are known, and notes those that are new.
    #[inline(always)]
    fn find(&mut self, desk: &mut Desk) {
        let (cache, new) = (&*self.cache, &mut self.new);
        let Desk { group, found, n_found, .. } = desk;
        let n_units = group.n_units.min(GROUP);
        let units = group.keys[..n_units].iter().zip(&group.places[..n_units]);
        for (unit, (found, (key, place))) in found[*n_found..].iter_mut().zip(units).enumerate() {
            *found = match key.short() {
                Some(short) => match cache.find_short(*place, short) {
                    Some(value) => {
                        if n_ids(value) > 1 {
                            cache.prefetch_many(value);
                        }
                        u64::from(value)
                    }
                    None => find_elsewhere(cache, new, group, unit),
                },
                None => match key.number().map_or(0, |number| cache.character(number)) {
                    0 => find_elsewhere(cache, new, group, unit),
                    packed => packed | CHARACTER,
                },
            };
        }
        *n_found += n_units;
    }

    /// Gives the ids of what was found, and encodes the rest before. That is remembered at last, because it may displace what
    /// was found.
    fn settle<O: Output>(&mut self, text: &[u8], desk: &mut Desk, output: &mut O, tick: Tick<'_>) -> Result<()> {
        if self.new.len() > 0 {
            self.new.encode(text, (self.vocabulary, self.model), self.cache, tick)?;
        }
        let Desk { found, n_found, row, .. } = desk;
        let mut n_new = 0;
        for found in found[..*n_found].chunks(GROUP) {
            n_new = self.give(found, row, n_new, output);
        }
        self.new.remember(text, self.cache);
        Ok(())
    }

    /// Gives the ids of what was found, of which so many new units came before. Returns how many there are after it.
    ///
    /// Ids come into a row first: cheaper than copies of unknown length.
    #[inline(always)]
    fn give<O: Output>(&self, found: &[u64], row: &mut [u32], mut n_new: usize, output: &mut O) -> usize {
        let mut end = 0;
        for &place in found {
            match place {
                0..CHARACTER => {
                    let (value, n) = (place as u32, n_ids(place as u32));
                    if O::KEEPS && n == 1 {
                        row[end] = value;
                    } else if O::KEEPS {
                        let ids = self.cache.many(value);
                        if n > ROW_IDS {
                            output.take(row, end);
                            output.take_all(ids);
                            end = 0;
                            continue;
                        }
                        row[end..end + n].copy_from_slice(ids);
                    }
                    end += n;
                }
                NEW => {
                    output.take(row, end);
                    output.take_all(self.new.ids(n_new));
                    (end, n_new) = (0, n_new + 1);
                }
                _ => {
                    let (ids, n) = unpacked(place);
                    if O::KEEPS
                        && let Some(three) = row[end..].first_chunk_mut::<MOST_CHARACTER_IDS>()
                    {
                        *three = ids;
                    }
                    end += n;
                }
            }
        }
        output.take(row, end);
        n_new
    }
}

/// Finds a unit that has a longer key, or is not in its set. What is nowhere is noted as new.
#[inline(never)]
fn find_elsewhere(cache: &WordCache, new: &mut NewUnits, group: &Group, unit: usize) -> u64 {
    let (key, traits) = (group.keys[unit], group.traits(unit));
    let value = if traits.has_key { cache.find_displaced(group.places[unit], key) } else { None };
    value.map_or_else(
        || {
            new.push(key, group.start(unit)..group.ends[unit], traits);
            NEW
        },
        u64::from,
    )
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

#[cfg(test)]
mod tests {
    use super::Output;

    #[test]
    fn of_a_row_only_what_was_filled_and_only_ids_are_taken() {
        let mut ids = vec![7];
        ids.take(&[1 << 24 | 5, 1 << 24 | 0xFF_FFFF, 0xFF_FFFF, 9], 3);
        assert_eq!(ids, [7, 5, 0xFF_FFFF, 0xFF_FFFF]);
    }
}
