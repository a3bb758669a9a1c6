//! From pieces to ids: what is known comes from the cache, the rest from the model.

use crate::Tick;
use crate::bpe::cache::{ID_MASK, MOST_CHARACTER_IDS, WordCache, n_ids, unpacked};
use crate::bpe::group::{CHARACTER, GROUP, Group, MOST_WAITING, NEW, ROW_IDS, Scratch};
use crate::bpe::units::Units;
use crate::driver::Sink;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::memory::reserve;
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
        reserve(self, n_ids);
        self.extend(row[..n_ids].iter().map(|id| id & ID_MASK));
    }

    fn take_all(&mut self, ids: &[u32]) {
        reserve(self, ids.len());
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
        let mut units = Units::new(text, start, ends, self.model.wide_cuts());
        let mut scratch = self.cache.take_scratch();
        let (mut result, mut n_waiting) = (Ok(()), 0);
        for n_groups in 1.. {
            let Scratch { group, found, .. } = &mut *scratch;
            units.next_group(self.cache, group, &mut found[n_waiting]);
            self.find(text, group, &mut found[n_waiting]);
            n_waiting += 1;
            let is_last = scratch.group.n_units < GROUP;
            // New units are encoded together, so they may wait for those of later groups.
            if is_last || self.new.are_many() || n_waiting == MOST_WAITING {
                result = self.settle(text, &mut scratch, n_waiting, output, tick);
                self.new.clear();
                n_waiting = 0;
            }
            if n_groups % TICK_GROUPS == 0 {
                result = result.and_then(|()| tick(0));
            }
            if is_last || result.is_err() {
                break;
            }
        }
        self.cache.give_back_scratch(scratch);
        result
    }

    /// Finds the units of a group that are known, and notes those that are new.
    #[inline(always)]
    fn find(&mut self, text: &[u8], group: &Group, found: &mut [u64; GROUP]) {
        let new = &mut self.new;
        group.find(text, self.cache, found, |unit| note_new(text, group, unit, new));
        if let Some((key, hash, value)) = group.found_in_set(found) {
            self.cache.promote(key, hash, value);
        }
    }

    /// Gives the ids of what was found, and encodes the rest before. That is remembered at last, because it may displace what
    /// was found.
    fn settle<O: Output>(
        &mut self,
        text: &[u8],
        scratch: &mut Scratch,
        n_groups: usize,
        output: &mut O,
        tick: Tick<'_>,
    ) -> Result<()> {
        if self.new.len() > 0 {
            self.new.encode(text, (self.vocabulary, self.model), self.cache, tick)?;
        }
        let Scratch { group, found, row } = scratch;
        for (later, found) in (1..=n_groups).rev().zip(found) {
            let n_units = if later == 1 { group.n_units.min(GROUP) } else { GROUP };
            self.write_ids(&found[..n_units], row, output);
        }
        self.new.remember(text, self.cache);
        Ok(())
    }

    /// Gives the ids of what was found. They come into a row first: cheaper than copies of unknown length.
    #[inline(always)]
    fn write_ids<O: Output>(&self, found: &[u64], row: &mut [u32; (GROUP + 1) * ROW_IDS], output: &mut O) {
        let mut end = 0;
        for &found in found {
            match found {
                0..CHARACTER => {
                    let (value, n) = (found as u32, n_ids(found as u32));
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
                CHARACTER..NEW => {
                    let (ids, n) = unpacked(found);
                    debug_assert!(end + MOST_CHARACTER_IDS <= row.len());
                    // A copy of a slice would be a call.
                    if O::KEEPS
                        && let Some(three) = row[end..].first_chunk_mut()
                    {
                        *three = ids;
                    }
                    end += n;
                }
                NEW.. => {
                    output.take(row, end);
                    output.take_all(self.new.ids((found - NEW) as usize));
                    end = 0;
                }
            }
        }
        output.take(row, end);
    }
}

/// Notes that a unit is new, and returns its number.
#[inline(never)]
fn note_new(text: &[u8], group: &Group, unit: usize, new: &mut NewUnits) -> usize {
    new.push(group.key(text, unit), group.range(unit), group.traits(unit))
}

/// Turns pieces into ids.
pub(crate) struct IdSink<'a> {
    lookup: Lookup<'a>,
    pub(crate) ids: &'a mut Vec<u32>,
    /// The first id of the text.
    first: usize,
}

impl<'a> IdSink<'a> {
    /// Appends the ids of pieces to `ids`.
    pub(crate) fn new(
        vocabulary: &'a Vocabulary,
        model: &'a Encoder,
        cache: &'a mut WordCache,
        ids: &'a mut Vec<u32>,
    ) -> Self {
        let first = ids.len();
        Self { lookup: Lookup::new(vocabulary, model, cache), ids, first }
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
        let n_before = self.ids.len();
        self.lookup.run(text, start, ends, self.ids, tick)?;
        if let Some(unknown) = self.model().fused_unknown() {
            fuse(self.ids, n_before.saturating_sub(1).max(self.first), unknown);
        }
        Ok(())
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        self.ids.push(hit.id);
    }
}

/// Makes neighbouring ids of the unknown token one, from a place on.
fn fuse(ids: &mut Vec<u32>, from: usize, unknown: u32) {
    let is_double = |pair: &[u32]| pair[0] == unknown && pair[1] == unknown;
    let Some(first) = ids[from..].windows(2).position(is_double) else { return };
    let start = from + first + 1;
    let mut n_kept = start;
    for at in start..ids.len() {
        if ids[at] != unknown || ids[n_kept - 1] != unknown {
            ids[n_kept] = ids[at];
            n_kept += 1;
        }
    }
    ids.truncate(n_kept);
}

/// Counts ids without keeping them.
pub(crate) struct CountSink<'a> {
    lookup: Lookup<'a>,
    pub(crate) n_tokens: u64,
    /// The last ids, where they have to be looked at.
    last: Vec<u32>,
}

impl<'a> CountSink<'a> {
    pub(crate) fn new(vocabulary: &'a Vocabulary, model: &'a Encoder, cache: &'a mut WordCache) -> Self {
        Self { lookup: Lookup::new(vocabulary, model, cache), n_tokens: 0, last: Vec::new() }
    }
}

impl Sink for CountSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        let Some(unknown) = self.lookup.model.fused_unknown() else {
            return self.lookup.run(text, start, ends, &mut self.n_tokens, tick);
        };
        // Of the pieces before only the last id may become one with the first.
        self.last.drain(..self.last.len().saturating_sub(1));
        let n_before = self.last.len();
        self.lookup.run(text, start, ends, &mut self.last, tick)?;
        fuse(&mut self.last, 0, unknown);
        self.n_tokens += (self.last.len() - n_before) as u64;
        Ok(())
    }

    fn added(&mut self, _text: &[u8], _hit: Hit) {
        self.last.clear();
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
