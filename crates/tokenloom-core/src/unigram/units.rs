//! What was found for units of text, and how far from the start of a text it holds.
//!
//! The table grows to the limit it is given, and is emptied when that is reached: words come back, and are found again.

use crate::hash::Seed;

/// Longer units are not kept: they hardly come twice.
pub const MOST_UNIT_BYTES: usize = 64;

/// The first table has so many slots.
const FIRST_SLOTS: usize = 1 << 10;

/// Where the tokens of a unit are.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    first: u32,
    n_ids: u8,
    /// They are right where the sum before the unit is no farther from zero.
    pub most_before: f32,
}

/// The tokens of units, by their bytes.
#[derive(Debug)]
pub struct UnitCache {
    seed: Seed,
    slots: Vec<Slot>,
    n_units: usize,
    /// The bytes of all units.
    keys: Vec<u8>,
    /// The tokens of all units.
    ids: Vec<u32>,
    most_bytes: usize,
}

/// A unit, or none where `n_ids` is 0.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: u32,
    key: u32,
    ids: u32,
    most_before: f32,
    n_key_bytes: u8,
    n_ids: u8,
}

impl UnitCache {
    /// An empty cache that takes so much memory at most.
    pub fn new(most_bytes: usize) -> Self {
        let slots = if most_bytes < 2 * FIRST_SLOTS * size_of::<Slot>() { 0 } else { FIRST_SLOTS };
        Self {
            seed: Seed::random(),
            slots: vec![Slot::default(); slots],
            n_units: 0,
            keys: Vec::new(),
            ids: Vec::new(),
            most_bytes,
        }
    }

    /// The hash of a unit.
    #[inline]
    pub fn hash(&self, unit: &[u8]) -> u64 {
        self.seed.of_bytes(unit)
    }

    /// What was found for a unit with this hash.
    #[inline]
    pub fn get(&self, unit: &[u8], hash: u64) -> Option<Known> {
        if self.slots.is_empty() {
            return None;
        }
        let mut place = self.first_place(hash);
        loop {
            let slot = self.slots[place];
            if slot.n_ids == 0 {
                return None;
            }
            let key = slot.key as usize;
            if slot.tag == hash as u32
                && usize::from(slot.n_key_bytes) == unit.len()
                && self.keys[key..key + unit.len()] == *unit
            {
                return Some(Known { first: slot.ids, n_ids: slot.n_ids, most_before: slot.most_before });
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// The tokens, see `Unigram`; of what was found since the last `insert`.
    #[inline]
    pub fn ids(&self, known: Known) -> &[u32] {
        &self.ids[known.first as usize..][..usize::from(known.n_ids)]
    }

    /// Keeps the tokens of a unit that is not known, and is short.
    pub fn insert(&mut self, unit: &[u8], hash: u64, ids: &[u32], most_before: f32) {
        let (Ok(n_key_bytes), Ok(n_ids)) = (u8::try_from(unit.len()), u8::try_from(ids.len())) else { return };
        if self.slots.is_empty() || n_ids == 0 {
            return;
        }
        if (self.n_units + 1) * 2 > self.slots.len() || 2 * self.n_bytes() > self.most_bytes {
            self.make_room();
        }
        let slot = Slot {
            tag: hash as u32,
            key: self.keys.len() as u32,
            ids: self.ids.len() as u32,
            most_before,
            n_key_bytes,
            n_ids,
        };
        self.keys.extend_from_slice(unit);
        self.ids.extend_from_slice(ids);
        self.enter(slot, hash);
        self.n_units += 1;
    }

    fn enter(&mut self, slot: Slot, hash: u64) {
        let mut place = self.first_place(hash);
        while self.slots[place].n_ids > 0 {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = slot;
    }

    #[inline]
    fn first_place(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// What is in use. Lists have up to twice as much, and keep that when they are emptied.
    fn n_bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.keys.len() + self.ids.len() * size_of::<u32>()
    }

    /// Twice as many slots, or none taken where that is too much.
    fn make_room(&mut self) {
        // While a table grows the old one is there too.
        if 2 * self.n_bytes() + 2 * self.slots.len() * size_of::<Slot>() > self.most_bytes {
            self.slots.fill(Slot::default());
            self.n_units = 0;
            self.keys.clear();
            self.ids.clear();
            return;
        }
        let n_slots = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); n_slots]);
        for slot in old.into_iter().filter(|slot| slot.n_ids > 0) {
            let key = slot.key as usize;
            let hash = self.seed.of_bytes(&self.keys[key..key + usize::from(slot.n_key_bytes)]);
            self.enter(slot, hash);
        }
    }
}
