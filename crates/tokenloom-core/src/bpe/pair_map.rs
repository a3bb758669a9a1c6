//! A hash map from a pair of ids to a small value: the table that both training and encoding look into all the time.
//!
//! Open addressing with linear probing, at most half full, never deletes. The key of an empty slot is `EMPTY`, which no
//! pair has, because ids stay below 2^24.

use crate::hash::Seed;

const EMPTY: u64 = u64::MAX;

/// A pair as one integer; sorts by left id, then by right id.
#[inline]
pub fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// Values by pair of ids.
#[derive(Debug)]
pub struct PairMap<V> {
    slots: Vec<(u64, V)>,
    len: usize,
    seed: Seed,
}

impl<V: Copy + Default> PairMap<V> {
    /// An empty map that takes `capacity` pairs without growing.
    pub fn with_capacity(capacity: usize) -> Self {
        let size = (capacity * 2).next_power_of_two().max(16);
        Self { slots: vec![(EMPTY, V::default()); size], len: 0, seed: Seed::random() }
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
    pub fn get(&self, left: u32, right: u32) -> Option<V> {
        let (key, value) = self.slots[self.slot(pair_key(left, right))];
        (key != EMPTY).then_some(value)
    }

    /// The value of a pair, set to `new` first if the pair has none. The flag says whether it was set.
    #[inline]
    pub fn get_or_insert(&mut self, left: u32, right: u32, new: V) -> (V, bool) {
        if (self.len + 1) * 2 > self.slots.len() {
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
        let old = std::mem::replace(&mut self.slots, vec![(EMPTY, V::default()); size]);
        for (key, value) in old.into_iter().filter(|slot| slot.0 != EMPTY) {
            let at = self.slot(key);
            self.slots[at] = (key, value);
        }
    }
}
