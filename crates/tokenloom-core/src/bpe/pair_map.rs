//! A hash map from a pair of ids to a merge: the table that encoding looks into all the time.
//!
//! Open addressing with linear probing, at most three quarters full, never deletes. The key of an empty slot is `EMPTY`,
//! which no pair has, because ids stay below 2^24.

use crate::hash::Seed;
use crate::prefetch::prefetch;

const EMPTY: u64 = u64::MAX;

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

    /// An empty map for as many pairs, at most half full with all of them.
    pub fn with_room_for(n_pairs: usize) -> Self {
        Self::with_capacity(n_pairs + n_pairs / 2)
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
