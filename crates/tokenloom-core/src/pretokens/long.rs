//! Pretokens that are too long for a key.
//!
//! Clauses of Chinese are most of them, and most of those never come again. So a slot holds enough of the hash to tell
//! that a pretoken is new by one look, and what is known of a new one is written behind that of the last.

use std::ops::Range;

use super::merge::prefix;
use crate::hash::Seed;
use crate::memory::{Large, prefetch};

/// The number of slots of an empty table, as a power of two.
const FIRST_BITS: u32 = 8;

/// The least room for values that are written one behind the other.
const FIRST_ROOM: usize = 1 << 10;

/// The bytes that are sorted by first.
const PREFIX_BYTES: usize = size_of::<u64>();

/// Pretokens that are asked for ahead of the one that is read.
const AHEAD: usize = 8;

/// What is known of a pretoken.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where its bytes begin.
    start: usize,
    /// Their number.
    length: usize,
    count: u64,
    first: u64,
}

/// The upper half of a hash, and one more than the place of an entry; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    number: u32,
}

/// The counts of pretokens that have no key.
#[derive(Debug)]
pub struct LongTable {
    /// A power of two, at most half of them taken. A pretoken belongs where the highest bits of its hash say, or behind.
    slots: Large<Slot>,
    entries: Large<Entry>,
    bytes: Large<u8>,
    /// The bits of a hash that say no place.
    shift: u32,
    seed: Seed,
}

impl LongTable {
    /// No counts.
    pub fn new() -> Self {
        let (entries, bytes) = (Large::with_capacity(FIRST_ROOM), Large::with_capacity(FIRST_ROOM));
        let slots = Large::filled(Slot::default(), 1 << FIRST_BITS);
        Self { slots, entries, bytes, shift: u32::BITS - FIRST_BITS, seed: Seed::random() }
    }

    /// Makes room for so many more.
    #[inline]
    pub fn reserve(&mut self, n_more: usize) {
        while (self.entries.len() + n_more) * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// The half of the hash of a pretoken that says its place. Asks for its slot, which will be looked at soon.
    #[inline]
    pub fn hash(&self, pretoken: &[u8]) -> u32 {
        let hash = (self.seed.of_bytes(pretoken) >> u32::BITS) as u32;
        prefetch(&self.slots[(hash >> self.shift) as usize]);
        hash
    }

    /// Counts a pretoken. Positions must ascend, and there must be room.
    pub fn add(&mut self, pretoken: &[u8], hash: u32, position: u64) {
        let (mut at, mask) = ((hash >> self.shift) as usize, self.slots.len() - 1);
        while self.slots[at].number > 0 {
            if self.slots[at].hash == hash {
                let entry = &mut self.entries[self.slots[at].number as usize - 1];
                if self.bytes[entry.range()] == *pretoken {
                    entry.count += 1;
                    return;
                }
            }
            at = (at + 1) & mask;
        }
        let start = self.bytes.len();
        self.bytes.push_all(pretoken);
        self.entries.push_all(&[Entry { start, length: pretoken.len(), count: 1, first: position }]);
        self.slots[at] = Slot { hash, number: self.entries.len() as u32 };
    }

    /// The most memory that it takes while so many more come, which have so many bytes together.
    pub fn memory_bytes(&self, n_more: usize, n_bytes_more: usize) -> usize {
        let n_slots = ((self.entries.len() + n_more) * 2).next_power_of_two().max(self.slots.len());
        let n_copied = if n_slots > self.slots.len() { n_slots / 2 } else { 0 };
        let slots = (n_slots + n_copied) * size_of::<Slot>();
        slots + self.entries.memory_bytes(n_more) + self.bytes.memory_bytes(n_bytes_more)
    }

    #[cold]
    fn grow(&mut self) {
        self.shift -= 1;
        let mut larger = Large::filled(Slot::default(), self.slots.len() * 2);
        let mask = larger.len() - 1;
        for slot in self.slots.iter().filter(|slot| slot.number > 0) {
            let mut at = (slot.hash >> self.shift) as usize;
            while larger[at].number > 0 {
                at = (at + 1) & mask;
            }
            larger[at] = *slot;
        }
        self.slots = larger;
    }

    /// The counts in the order of the bytes.
    pub fn into_sorted(self) -> SortedLong {
        let Self { slots, entries, bytes, .. } = self;
        // What follows takes no more memory than they did.
        drop(slots);
        let mut order = Large::with_capacity(entries.len());
        order.extend((0..).zip(entries.iter()).map(|(place, entry)| (prefix(&bytes[entry.range()]), place)));
        order.sort_unstable();
        let behind = |place: u32| &bytes[entries[place as usize].range()][PREFIX_BYTES..];
        for group in order.chunk_by_mut(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            group.iter_mut().for_each(|(word, place)| *word = prefix(behind(*place)));
            group.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| behind(one.1).cmp(behind(other.1))));
        }
        SortedLong { entries, bytes, order }
    }
}

impl Entry {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.length
    }
}

/// The counts of a table in the order of the bytes.
#[derive(Debug)]
pub struct SortedLong {
    entries: Large<Entry>,
    bytes: Large<u8>,
    /// Places in `entries`, each with some bytes that were sorted by.
    order: Large<(u64, u32)>,
}

impl SortedLong {
    /// The number of pretokens.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The pretoken at a place.
    #[inline]
    pub fn pretoken(&self, at: usize) -> &[u8] {
        &self.bytes[self.entry(at).range()]
    }

    /// Count and first position of the pretoken at a place.
    #[inline]
    pub fn count(&self, at: usize) -> (u64, u64) {
        let entry = self.entry(at);
        (entry.count, entry.first)
    }

    /// Asks for pretokens ahead of a place.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        if let Some((_, place)) = self.order.get(at + AHEAD * 2) {
            prefetch(&self.entries[*place as usize]);
        }
        if let Some((_, place)) = self.order.get(at + AHEAD) {
            prefetch(&self.bytes[self.entries[*place as usize].start]);
        }
    }

    fn entry(&self, at: usize) -> &Entry {
        &self.entries[self.order[at].1 as usize]
    }
}
