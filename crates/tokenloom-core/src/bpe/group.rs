//! Units that are looked up together, so that their waits for memory overlap.
//!
//! Most are found in the first level of the cache. For each of the others its line of the large table is asked for, and looked at when all were asked
//! for. What is done for most units has no branch that nobody can foresee: a wrong guess costs as much as all the rest.

use std::mem;
use std::ops::Range;

use super::cache::{Value, WordCache};
use super::key::{KEY_BYTES, Key, ShortKey};

/// So many are looked up together. Places in arrays of a group are taken modulo this, which they are below anyway: then the
/// compiler knows it too, and tests none of them.
pub const GROUP: usize = 128;

/// Most groups that are looked up before the ids of the first are given out.
pub const MOST_WAITING: usize = 8;

/// Most ids of a unit that come into the row.
pub const ROW_IDS: usize = 4;

/// What was found for a unit, if it is no value of the cache: packed ids of a character with this added.
pub const CHARACTER: u64 = 1 << 63;

/// This and more: the number of a new unit with this added.
pub const NEW: u64 = 3 << 62;

/// A unit without a key: a single character of three bytes between safe cuts, or a long unit.
pub const KEYLESS: u8 = 1;

/// A part of a piece: it is no token just because its bytes are one.
pub const PART: u8 = 2;

/// The number of a long unit; none that a character has.
const LONG: u64 = 1 << 16;

/// The number of a character that is looked up as such, from what stands for its key.
pub fn character(key: Key) -> Option<usize> {
    key.number().filter(|number| *number != LONG as usize)
}

/// What is special about a unit.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// It is looked up by its key.
    pub has_key: bool,
    /// It is a part of a piece, and no token just because its bytes are one.
    pub is_part: bool,
}

/// Some of the units of a group, in order.
#[derive(Debug)]
struct Chosen {
    units: [u8; GROUP],
    n_units: usize,
}

impl Chosen {
    const NONE: Self = Self { units: [0; GROUP], n_units: 0 };

    /// Adds a unit if it is one of those.
    #[inline(always)]
    fn push_if(&mut self, unit: usize, is_one: bool) {
        self.units[self.n_units % GROUP] = unit as u8;
        self.n_units += usize::from(is_one);
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.units[..self.n_units.min(GROUP)].iter().map(|unit| usize::from(*unit) % GROUP)
    }
}

/// See the module. The units follow each other: each begins where the one before it ends.
#[derive(Debug)]
pub struct Group {
    /// Their number.
    pub n_units: usize,
    /// Where the first begins.
    start: usize,
    /// Where each ends.
    ends: [usize; GROUP],
    keys: [ShortKey; GROUP],
    /// The hash of each key, or the number of a unit without one.
    hashes: [u64; GROUP],
    /// What is special about each, see `KEYLESS` and `PART`.
    marks: [u8; GROUP],
    /// Those that are not in the first level. Once their sets were asked for, only those with a short key.
    missed: Chosen,
    /// Those with a longer key, or without any.
    others: Chosen,
    /// The set of each of both.
    sets: [usize; GROUP],
}

impl Group {
    fn new() -> Self {
        Self {
            n_units: 0,
            start: 0,
            ends: [0; GROUP],
            keys: [ShortKey::default(); GROUP],
            hashes: [0; GROUP],
            marks: [0; GROUP],
            missed: Chosen::NONE,
            others: Chosen::NONE,
            sets: [0; GROUP],
        }
    }

    /// Forgets all units. The next one begins at `start`.
    pub fn clear(&mut self, start: usize) {
        (self.n_units, self.start) = (0, start);
        (self.missed.n_units, self.others.n_units) = (0, 0);
        self.marks.fill(0);
    }

    /// Adds pieces, the first of which begins at `start`, up to one that `ShortKey::of_text` finds odd. Finds those that are in
    /// the first level. Returns how many were added.
    #[inline(always)]
    pub fn push_pieces(
        &mut self,
        text: &[u8],
        mut start: usize,
        ends: &[usize],
        cache: &WordCache,
        found: &mut [u64; GROUP],
    ) -> usize {
        let (first_level, first) = (cache.first_level(), self.n_units.min(GROUP));
        let rows = self.hashes[first..].iter_mut().zip(&mut self.ends[first..]).zip(&mut found[first..]);
        let rows = self.keys[first..].iter_mut().zip(rows);
        let (seed, mut n_missed, mut unit) = (cache.seed(), self.missed.n_units, first);
        for (&end, (unit_key, ((unit_hash, unit_end), found))) in ends.iter().zip(rows) {
            let (key, is_odd) = ShortKey::of_text(text, start, end);
            if is_odd {
                break;
            }
            let hash = seed.of_u128(key.bits());
            (*unit_key, *unit_hash, *unit_end) = (key, hash, end);
            let (value, is_found) = first_level.find(key, hash);
            *found = u64::from(value);
            self.missed.units[n_missed % GROUP] = unit as u8;
            n_missed += usize::from(!is_found);
            (unit, start) = (unit + 1, end);
        }
        (self.n_units, self.missed.n_units) = (unit, n_missed);
        unit - first
    }

    /// Adds a part of a piece that is a character of three bytes, by its number, and asks for its ids.
    #[inline(always)]
    pub fn push_character(&mut self, number: usize, end: usize, cache: &WordCache) {
        debug_assert!(self.n_units < GROUP);
        let unit = self.n_units % GROUP;
        (self.hashes[unit], self.ends[unit], self.marks[unit]) = (number as u64, end, KEYLESS | PART);
        self.others.push_if(unit, true);
        self.n_units += 1;
        cache.prefetch_character(number);
    }

    /// Adds a unit that the first level does not have.
    #[inline(always)]
    pub fn push_unit(&mut self, key: ShortKey, end: usize, mark: u8, cache: &WordCache) {
        debug_assert!(self.n_units < GROUP);
        let unit = self.n_units % GROUP;
        (self.keys[unit], self.hashes[unit]) = (key, cache.hash_of(key));
        (self.ends[unit], self.marks[unit]) = (end, mark);
        self.missed.push_if(unit, true);
        self.n_units += 1;
    }

    /// Where a unit begins and ends.
    pub fn range(&self, unit: usize) -> Range<usize> {
        unit.checked_sub(1).map_or(self.start, |before| self.ends[before])..self.ends[unit]
    }

    /// What is special about a unit.
    pub fn traits(&self, unit: usize) -> Traits {
        Traits { has_key: self.marks[unit] & KEYLESS == 0, is_part: self.marks[unit] & PART > 0 }
    }

    /// The key of a unit, or what stands for it.
    pub fn key(&self, text: &[u8], unit: usize) -> Key {
        let Traits { has_key, is_part } = self.traits(unit);
        let range = self.range(unit);
        match Key::new(text, range.start, range.end).filter(|_| has_key) {
            Some(key) if is_part => key.of_part(),
            Some(key) => key,
            None => Key::keyless(self.hashes[unit] as usize),
        }
    }

    /// Asks for what is needed of the cache for the units that are not in the first level.
    #[inline(always)]
    pub fn prefetch(&mut self, text: &[u8], cache: &WordCache) {
        let (n_missed, n_asked) = (mem::take(&mut self.missed.n_units), self.others.n_units);
        for place in 0..n_missed.min(GROUP) {
            let unit = usize::from(self.missed.units[place]) % GROUP;
            let (set, is_long) = (cache.set_of_hash(self.hashes[unit]), self.keys[unit].is_long());
            self.sets[unit] = set;
            cache.prefetch(set);
            self.missed.push_if(unit, !is_long);
            self.others.push_if(unit, is_long);
        }
        for place in n_asked..self.others.n_units.min(GROUP) {
            self.prefetch_long(usize::from(self.others.units[place]) % GROUP, text, cache);
        }
    }

    /// Asks for the set of a unit with a longer key, if it has any.
    #[inline]
    fn prefetch_long(&mut self, unit: usize, text: &[u8], cache: &WordCache) {
        if self.range(unit).len() > KEY_BYTES {
            (self.marks[unit], self.hashes[unit]) = (self.marks[unit] | KEYLESS, LONG);
        } else {
            self.sets[unit] = cache.set_of(self.key(text, unit));
            cache.prefetch(self.sets[unit]);
        }
    }

    /// Finds the units that are not in the first level. What is nowhere goes to `new`, which returns its number.
    #[inline(always)]
    pub fn find(&self, text: &[u8], cache: &WordCache, found: &mut [u64; GROUP], mut new: impl FnMut(usize) -> usize) {
        for unit in self.missed.iter() {
            let (set, key) = (self.sets[unit], self.keys[unit]);
            let value = cache.find_short(set, key).or_else(|| cache.find_displaced(set, key));
            found[unit] = match value {
                Some(value) => {
                    cache.prefetch_many(value);
                    u64::from(value)
                }
                None => NEW + new(unit) as u64,
            };
        }
        for unit in self.others.iter() {
            let known = match self.marks[unit] & KEYLESS {
                0 => cache.find_long(self.sets[unit], self.key(text, unit)).map(u64::from),
                _ => Some(cache.character(self.hashes[unit] as usize))
                    .filter(|packed| *packed > 0)
                    .map(|packed| packed | CHARACTER),
            };
            found[unit] = known.unwrap_or_else(|| NEW + new(unit) as u64);
        }
    }

    /// A piece that was found in its set, with its hash and value. The more often a piece comes, the sooner it is this one.
    #[inline]
    pub fn found_in_set(&self, found: &[u64; GROUP]) -> Option<(ShortKey, u64, Value)> {
        let unit = self.missed.iter().next()?;
        (found[unit] < CHARACTER).then(|| (self.keys[unit], self.hashes[unit], found[unit] as Value))
    }
}

/// Room to look up a group. To clear it for each call would cost more than a short text.
#[derive(Debug)]
pub struct Scratch {
    /// The units.
    pub group: Group,
    /// What was found for each.
    pub found: [[u64; GROUP]; MOST_WAITING],
    /// Ids of several units in a row.
    pub row: [u32; (GROUP + 1) * ROW_IDS],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { group: Group::new(), found: [[0; GROUP]; MOST_WAITING], row: [0; (GROUP + 1) * ROW_IDS] }
    }
}
