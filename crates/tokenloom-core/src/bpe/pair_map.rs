//! A hash map from a pair of ids to a merge: the table that encoding looks into all the time.
//!
//! Open addressing with linear probing, at most three quarters full, never deletes. The key of an empty slot is `EMPTY`,
//! which no pair has, because ids stay below 2^24.

use crate::Tick;
use crate::error::Result;
use crate::hash::Seed;
use crate::prefetch::prefetch;

const EMPTY: u64 = u64::MAX;

/// Slots of a part of the table that fits into a near cache.
const PART_SLOTS: usize = 1 << 14;

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
}

impl PairMap {
    /// An empty map that takes `capacity` pairs without growing.
    pub fn with_capacity(capacity: usize) -> Self {
        let size = (capacity + capacity / 3 + 1).next_power_of_two().max(16);
        Self { slots: vec![(EMPTY, 0); size], len: 0, seed: Seed::random() }
    }

    /// A map of pairs none of which comes twice, at most half full; `value` makes the value of a pair of its third number.
    ///
    /// The pairs are dealt out by the part of the table that they belong to, and one part is filled after the other: in
    /// any other order, each pair waits for memory that is far away.
    pub fn of_distinct(pairs: &[(u32, u32, u32)], value: impl Fn(u32) -> u64, tick: Tick<'_>) -> Result<Self> {
        let n_slots = (pairs.len() * 2).next_power_of_two().max(16);
        let part_slots = n_slots.min(PART_SLOTS);
        let seed = Seed::random();
        let place = |left, right| seed.of_u64(pair_key(left, right)) as usize & (n_slots - 1);
        let mut ends = vec![0; n_slots / part_slots];
        pairs.iter().for_each(|(left, right, _)| ends[place(*left, *right) / part_slots] += 1);
        let mut n_dealt = 0;
        for end in &mut ends {
            n_dealt += std::mem::replace(end, n_dealt);
        }
        let mut dealt = vec![(0, 0, 0); n_dealt];
        for pair in pairs {
            let end = &mut ends[place(pair.0, pair.1) / part_slots];
            dealt[*end] = *pair;
            *end += 1;
        }
        let (mut slots, mut left_over, mut start) = (Vec::with_capacity(n_slots), Vec::new(), 0);
        for end in ends {
            tick(0)?;
            slots.resize(slots.len() + part_slots, (EMPTY, 0));
            for &(left, right, number) in &dealt[start..end] {
                match slots[place(left, right)..].iter_mut().find(|slot| slot.0 == EMPTY) {
                    Some(slot) => *slot = (pair_key(left, right), value(number)),
                    None => left_over.push((left, right, number)),
                }
            }
            start = end;
        }
        let mut map = Self { slots, len: pairs.len() - left_over.len(), seed };
        for (left, right, number) in left_over {
            map.get_or_insert(left, right, value(number));
        }
        Ok(map)
    }

    /// The slot that holds `key`, or the empty one where it belongs.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.seed.of_u64(key) as usize & mask;
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
        let at = self.seed.of_u64(pair_key(left, right)) as usize & (self.slots.len() - 1);
        prefetch(&self.slots[at]);
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
        let old = std::mem::replace(&mut self.slots, vec![(EMPTY, 0); size]);
        for (key, value) in old.into_iter().filter(|slot| slot.0 != EMPTY) {
            let at = self.slot(key);
            self.slots[at] = (key, value);
        }
    }
}
