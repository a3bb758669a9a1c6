//! A hash map from a pair of ids to a merge: the table that encoding looks into all the time.
//!
//! Open addressing with linear probing, at most three quarters full, filled once. The key of an empty slot is `EMPTY`,
//! which no pair has, because ids stay below 2^24.

use crate::Tick;
use crate::error::Result;
use crate::hash::Seed;
use crate::memory::{prefetch, with_large_pages};
use crate::packed::{self, Packed, Parts, Table, checksum, le_bytes};

const EMPTY: u64 = u64::MAX;

/// Parts of a table that are filled one after the other; a power of two.
const N_PARTS: usize = 64;

/// A pair as one integer; sorts by left id, then by right id.
#[inline]
pub fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// A key and its value.
type Slot = [u64; 2];

/// Values by pair of ids, 16 bytes a slot.
#[derive(Debug)]
pub struct PairMap {
    slots: Table<Slot>,
    seed: Seed,
    /// The highest bits of a hash, shifted down by so many, say where a pair belongs.
    shift: u32,
}

impl PairMap {
    /// Where the slot of a key is looked for first.
    #[inline]
    fn place(&self, key: u64) -> usize {
        (self.seed.of_u64(key) >> self.shift) as usize
    }

    /// The value of a pair.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Option<u64> {
        let key = pair_key(left, right);
        let [found, value] = self.slots[slot(&self.slots, key, self.place(key))];
        (found != EMPTY).then_some(value)
    }

    /// Asks for the slot of a pair, see `prefetch`.
    #[inline]
    pub fn prefetch(&self, left: u32, right: u32) {
        prefetch(&self.slots[self.place(pair_key(left, right))]);
    }

    /// Writes the table down, equal ones for equal pairs.
    pub fn pack(&self, parts: &mut Parts) {
        let mut pairs: Vec<Slot> = self.slots.iter().filter(|slot| slot[0] != EMPTY).copied().collect();
        pairs.sort_unstable();
        let seed = Seed::of_checksum(checksum(&le_bytes(pairs.as_flattened(), u64::to_le_bytes)));
        let mut draft = PairMapDraft::new((pairs.len() * 5 / 3).next_power_of_two().max(16), seed);
        for [key, value] in pairs {
            draft.insert((key >> 32) as u32, key as u32, value);
        }
        parts.push(("pair_seed", le_bytes(&seed.parts(), u64::to_le_bytes)));
        parts.push(("pairs", le_bytes(draft.slots.as_flattened(), u64::to_le_bytes)));
    }

    /// Takes a table that was written down. The ids of its values must be below `n_ids`, their ranks below `n_ranks`. Keys
    /// are not looked at: nobody asks for one that is no pair.
    pub fn unpack(packed: &Packed, n_ids: usize, n_ranks: usize) -> Result<Self> {
        let (slots, seed) = (packed.table::<Slot>("pairs")?, packed.seed("pair_seed")?);
        packed::check_slots("pairs", &slots, |slot| slot[0] == EMPTY)?;
        if slots.len() < 2 {
            return Err(packed::fault("pairs", "has too few slots for a bit of a hash"));
        }
        // An empty slot has the value 0; all slots alike are looked through faster.
        let (id, rank) =
            slots.iter().fold((0, 0), |(id, rank), [_, value]| (id.max(*value as u32), rank.max(value >> 32)));
        let is_empty = slots.iter().all(|slot| slot[0] == EMPTY);
        if !is_empty && (id as usize >= n_ids || rank >= n_ranks as u64) {
            return Err(packed::fault("pairs", "has an id or a rank that is none of this tokenizer"));
        }
        let shift = shift_of(slots.len());
        Ok(Self { slots, seed, shift })
    }
}

/// The slot that holds `key`, or the empty one where it belongs; looked for from `at` on.
#[inline]
fn slot(slots: &[Slot], key: u64, mut at: usize) -> usize {
    let mask = slots.len() - 1;
    while slots[at][0] != key && slots[at][0] != EMPTY {
        at = (at + 1) & mask;
    }
    at
}

/// A map that is being filled, with room for so many pairs as were announced.
#[derive(Debug)]
pub struct PairMapDraft {
    slots: Vec<Slot>,
    seed: Seed,
    shift: u32,
}

impl PairMapDraft {
    /// No pairs, and room for so many.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::new((capacity + capacity / 3 + 1).next_power_of_two().max(16), Seed::random())
    }

    fn new(size: usize, seed: Seed) -> Self {
        let mut slots = with_large_pages(size);
        slots.resize(size, [EMPTY, 0]);
        Self { slots, seed, shift: shift_of(size) }
    }

    /// Asks for the slot of a pair, see `prefetch`.
    #[inline]
    pub fn prefetch(&self, left: u32, right: u32) {
        prefetch(&self.slots[self.place(pair_key(left, right))]);
    }

    /// Sets the value of a pair; the one that it has already, if it has one.
    #[inline]
    pub fn insert(&mut self, left: u32, right: u32, value: u64) -> Option<u64> {
        let key = pair_key(left, right);
        let at = slot(&self.slots, key, self.place(key));
        let [known, old] = std::mem::replace(&mut self.slots[at], [key, value]);
        (known == key).then_some(old)
    }

    /// The map.
    pub fn finish(self) -> PairMap {
        PairMap { slots: self.slots.into(), seed: self.seed, shift: self.shift }
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        (self.seed.of_u64(key) >> self.shift) as usize
    }
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
        let mut map = PairMapDraft { slots, seed, shift: shift_of(n_slots) };
        let mut left_over = Vec::new();
        for part in self.parts {
            tick(0)?;
            map.slots.resize(map.slots.len() + n_slots / N_PARTS, [EMPTY, 0]);
            for (left, right, number) in part {
                let key = pair_key(left, right);
                let at = map.place(key);
                match map.slots[at..].iter_mut().find(|slot| slot[0] == EMPTY) {
                    Some(slot) => *slot = [key, value(number)],
                    None => left_over.push((left, right, value(number))),
                }
            }
        }
        // What found its part full goes where it would have gone in the whole table.
        for (left, right, value) in left_over {
            map.insert(left, right, value);
        }
        Ok(map.finish())
    }
}
