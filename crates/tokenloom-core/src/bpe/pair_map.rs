//! A hash map from a pair of ids to a merge: the table that encoding looks into all the time.
//!
//! Open addressing with linear probing, at most three quarters full, never deletes. The key of an empty slot is `EMPTY`,
//! which no pair has, because ids stay below 2^24.

use crate::Tick;
use crate::error::Result;
use crate::hash::Seed;
use crate::memory::{prefetch, with_large_pages};

const EMPTY: u64 = u64::MAX;

/// Parts of a table that are filled one after the other; a power of two.
const N_PARTS: usize = 64;

/// A pair as one integer; sorts by left id, then by right id.
#[inline]
pub fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// Values by pair of ids, 16 bytes a slot.
#[derive(Debug)]
pub struct PairMap {
    slots: Vec<(u64, u64)>,
    len: usize,
    seed: Seed,
    /// The highest bits of a hash, shifted down by so many, say where a pair belongs.
    shift: u32,
}

impl PairMap {
    /// An empty map that takes `capacity` pairs without growing.
    pub fn with_capacity(capacity: usize) -> Self {
        let size = (capacity + capacity / 3 + 1).next_power_of_two().max(16);
        Self { slots: empty_slots(size), len: 0, seed: Seed::random(), shift: shift_of(size) }
    }

    /// Where the slot of a key is looked for first.
    #[inline]
    fn place(&self, key: u64) -> usize {
        (self.seed.of_u64(key) >> self.shift) as usize
    }

    /// The slot that holds `key`, or the empty one where it belongs.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.place(key);
        while self.slots[at].0 != key && self.slots[at].0 != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    /// The value of a pair.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Option<u64> {
        let (key, value) = self.slots[self.slot(pair_key(left, right))];
        (key != EMPTY).then_some(value)
    }

    /// Asks for the slot of a pair, see `prefetch`.
    #[inline]
    pub fn prefetch(&self, left: u32, right: u32) {
        prefetch(&self.slots[self.place(pair_key(left, right))]);
    }

    /// The value of a pair, set to `new` first if the pair has none. The flag says whether it was set.
    #[inline]
    pub fn get_or_insert(&mut self, left: u32, right: u32, new: u64) -> (u64, bool) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let key = pair_key(left, right);
        let at = self.slot(key);
        if self.slots[at].0 == key {
            return (self.slots[at].1, false);
        }
        self.slots[at] = (key, new);
        self.len += 1;
        (new, true)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, empty_slots(size));
        self.shift = shift_of(size);
        for (key, value) in old.into_iter().filter(|slot| slot.0 != EMPTY) {
            let at = self.slot(key);
            self.slots[at] = (key, value);
        }
    }
}

fn empty_slots(size: usize) -> Vec<(u64, u64)> {
    let mut slots = with_large_pages(size);
    slots.resize(size, (EMPTY, 0));
    slots
}

fn shift_of(size: usize) -> u32 {
    u64::BITS - size.ilog2()
}

/// Pairs on their way into a map, none of them twice.
///
/// They are kept by the part of the table that they belong to, and one part is filled after the other. In any other order
/// each pair waits for memory that is far away.
#[derive(Debug)]
pub struct DistinctPairs {
    parts: Vec<Vec<(u32, u32, u32)>>,
    seed: Seed,
}

impl DistinctPairs {
    /// No pairs yet, and room for about so many.
    pub fn with_capacity(capacity: usize) -> Self {
        let part = || Vec::with_capacity(capacity / N_PARTS);
        Self { parts: (0..N_PARTS).map(|_| part()).collect(), seed: Seed::random() }
    }

    /// Takes a pair and a number that stands for its value.
    #[inline]
    pub fn push(&mut self, left: u32, right: u32, number: u32) {
        let part = self.seed.of_u64(pair_key(left, right)) >> shift_of(N_PARTS);
        self.parts[part as usize].push((left, right, number));
    }

    /// The map of all pairs, at most half full; `value` makes the value of a pair of its number.
    pub fn into_map(self, value: impl Fn(u32) -> u64, tick: Tick<'_>) -> Result<PairMap> {
        let n_pairs: usize = self.parts.iter().map(Vec::len).sum();
        let n_slots = (n_pairs * 2).next_power_of_two().max(N_PARTS);
        let (slots, seed) = (with_large_pages(n_slots), self.seed);
        let mut map = PairMap { slots, len: n_pairs, seed, shift: shift_of(n_slots) };
        let mut left_over = Vec::new();
        for part in self.parts {
            tick(0)?;
            map.slots.resize(map.slots.len() + n_slots / N_PARTS, (EMPTY, 0));
            for (left, right, number) in part {
                let key = pair_key(left, right);
                let at = map.place(key);
                match map.slots[at..].iter_mut().find(|slot| slot.0 == EMPTY) {
                    Some(slot) => *slot = (key, value(number)),
                    None => left_over.push((key, value(number))),
                }
            }
        }
        // What found its part full goes where it would have gone in the whole table.
        for (key, value) in left_over {
            let at = map.slot(key);
            map.slots[at] = (key, value);
        }
        Ok(map)
    }
}
