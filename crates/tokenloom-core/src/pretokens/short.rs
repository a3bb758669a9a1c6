//! Pretokens that have a key, which are most of running text: one look at one slot.
//!
//! A slot is half a cache line, and a pretoken belongs at the place that the highest bits of its hash say, or behind it. So
//! a table that grows is read and written from beginning to end.

use crate::bpe::key::{KEY_BYTES, Key};
use crate::hash::Seed;
use crate::memory::{Large, prefetch};

/// The number of slots of an empty table, as a power of two.
const FIRST_BITS: u32 = 12;

/// A pretoken with its count, or an empty slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct Slot {
    key: Key,
    count: u64,
    first: u64,
}

/// The counts of pretokens that have a key.
#[derive(Debug)]
pub struct ShortTable {
    /// A power of two, at most two thirds of them taken.
    slots: Large<Slot>,
    n_taken: usize,
    /// The bits of a hash that say no place.
    shift: u32,
    seed: Seed,
}

impl ShortTable {
    /// No counts.
    pub fn new() -> Self {
        Self { slots: empty(FIRST_BITS), n_taken: 0, shift: u64::BITS - FIRST_BITS, seed: Seed::random() }
    }

    /// Makes room for so many more, so that places stay what they are while they come.
    #[inline]
    pub fn reserve(&mut self, n_more: usize) {
        while (self.n_taken + n_more) * 3 > self.slots.len() * 2 {
            self.grow();
        }
    }

    /// Where a pretoken belongs.
    #[inline(always)]
    pub fn place(&self, key: Key) -> usize {
        (self.seed.of_u128(key.bits()) >> self.shift) as usize
    }

    /// Asks for a place, which will be looked at soon.
    #[inline(always)]
    pub fn prefetch(&self, place: usize) {
        prefetch(&self.slots[place]);
    }

    /// Counts a pretoken at its place. Positions must ascend, and there must be room.
    #[inline(always)]
    pub fn add(&mut self, place: usize, key: Key, position: u64) {
        let slot = &mut self.slots[place];
        if slot.key == key {
            slot.count += 1;
        } else {
            self.add_behind(place, key, position);
        }
    }

    /// The same where the slot at the place holds another one, or none.
    #[inline(never)]
    fn add_behind(&mut self, place: usize, key: Key, position: u64) {
        let at = find(&self.slots, place, key);
        let slot = &mut self.slots[at];
        slot.count += 1;
        if slot.count == 1 {
            *slot = Slot { key, count: 1, first: position };
            self.n_taken += 1;
        }
    }

    /// The most memory that it takes while so many more come.
    pub fn memory_bytes(&self, n_more: usize) -> usize {
        let n_slots = ((self.n_taken + n_more) * 3).div_ceil(2).next_power_of_two().max(self.slots.len());
        let n_copied = if n_slots > self.slots.len() { n_slots / 2 } else { 0 };
        (n_slots + n_copied) * size_of::<Slot>()
    }

    #[cold]
    fn grow(&mut self) {
        self.shift -= 1;
        let mut larger = empty(u64::BITS - self.shift);
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            let at = find(&larger, self.place(slot.key), slot.key);
            larger[at] = *slot;
        }
        self.slots = larger;
    }

    /// The counts in the order of the bytes.
    pub fn into_sorted(mut self) -> SortedShort {
        self.slots.retain(|slot| slot.count > 0);
        // Bytes that a key does not have are zeros, and its length stands last.
        self.slots.sort_unstable_by_key(|slot| u128::from_be_bytes(slot.key.to_bytes()));
        SortedShort { slots: self.slots }
    }
}

fn empty(bits: u32) -> Large<Slot> {
    Large::filled(Slot::default(), 1 << bits)
}

/// The slot that holds a pretoken, or the empty one where it belongs.
#[inline]
fn find(slots: &[Slot], place: usize, key: Key) -> usize {
    let (mut at, mask) = (place, slots.len() - 1);
    while slots[at].count > 0 && slots[at].key != key {
        at = (at + 1) & mask;
    }
    at
}

/// The counts of a table in the order of the bytes.
#[derive(Debug)]
pub struct SortedShort {
    slots: Large<Slot>,
}

impl SortedShort {
    /// The number of pretokens.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The bytes of the key at a place, with its length behind them.
    #[inline]
    pub fn key(&self, at: usize) -> [u8; KEY_BYTES + 1] {
        self.slots[at].key.to_bytes()
    }

    /// Count and first position of the pretoken at a place.
    #[inline]
    pub fn count(&self, at: usize) -> (u64, u64) {
        (self.slots[at].count, self.slots[at].first)
    }
}

/// The pretoken of the bytes of a key.
#[inline]
pub fn pretoken(key: &[u8; KEY_BYTES + 1]) -> &[u8] {
    &key[..usize::from(key[KEY_BYTES])]
}
