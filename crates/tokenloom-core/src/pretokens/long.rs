//! Pretokens that are too long for a key.
//!
//! Clauses of Chinese are most of them, and most of those never come again. So a slot holds enough of the hash to tell
//! that a pretoken is new by one look, and what is known of a new one is written behind that of the last.

use std::ops::Range;

use super::merge::{Source, prefix};
use super::run::Record;
use crate::error::Result;
use crate::hash::Seed;
use crate::memory::{prefetch, with_large_pages};

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
    slots: Vec<Slot>,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// The bits of a hash that say no place.
    shift: u32,
    seed: Seed,
}

impl LongTable {
    /// No counts.
    pub fn new() -> Self {
        let (entries, bytes) = (Vec::new(), Vec::new());
        let slots = vec![Slot::default(); 1 << FIRST_BITS];
        Self { slots, entries, bytes, shift: u32::BITS - FIRST_BITS, seed: Seed::random() }
    }

    /// The number of pretokens.
    pub fn len(&self) -> usize {
        self.entries.len()
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

    /// Counts a pretoken; true if it is new. Positions must ascend, and there must be room.
    pub fn add(&mut self, pretoken: &[u8], hash: u32, position: u64) -> bool {
        let (mut at, mask) = ((hash >> self.shift) as usize, self.slots.len() - 1);
        while self.slots[at].number > 0 {
            if self.slots[at].hash == hash {
                let entry = &mut self.entries[self.slots[at].number as usize - 1];
                if self.bytes[entry.range()] == *pretoken {
                    entry.count += 1;
                    return false;
                }
            }
            at = (at + 1) & mask;
        }
        let start = self.bytes.len();
        push_all(&mut self.bytes, pretoken);
        push_all(&mut self.entries, &[Entry { start, length: pretoken.len(), count: 1, first: position }]);
        self.slots[at] = Slot { hash, number: self.entries.len() as u32 };
        true
    }

    /// The pretokens.
    pub fn pretokens(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.iter().map(|entry| &self.bytes[entry.range()])
    }

    /// The most memory that it takes while so many more come, which have so many bytes together.
    pub fn memory_bytes(&self, n_more: usize, n_bytes_more: usize) -> usize {
        let n_slots = ((self.entries.len() + n_more) * 2).next_power_of_two().max(self.slots.len());
        let n_copied = if n_slots > self.slots.len() { n_slots / 2 } else { 0 };
        let entries = with_growth(&self.entries, n_more) * size_of::<Entry>();
        (n_slots + n_copied) * size_of::<Slot>() + entries + with_growth(&self.bytes, n_bytes_more)
    }

    #[cold]
    fn grow(&mut self) {
        self.shift -= 1;
        let mut larger = with_large_pages(self.slots.len() * 2);
        larger.resize(self.slots.len() * 2, Slot::default());
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
        let mut order: Vec<_> =
            (0..).zip(&entries).map(|(place, entry)| (prefix(&bytes[entry.range()]), place)).collect();
        order.sort_unstable();
        let behind = |place: u32| &bytes[entries[place as usize].range()][PREFIX_BYTES..];
        for group in order.chunk_by_mut(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            group.iter_mut().for_each(|(word, place)| *word = prefix(behind(*place)));
            group.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| behind(one.1).cmp(behind(other.1))));
        }
        SortedLong { entries, bytes, order, at: 0 }
    }
}

impl Entry {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.length
    }
}

/// Appends values; where there is no room for them the next memory is on large pages.
#[inline]
fn push_all<T: Copy>(values: &mut Vec<T>, more: &[T]) {
    if values.capacity() - values.len() < more.len() {
        let mut larger = with_large_pages((values.capacity() * 2).max(values.len() + more.len()).max(FIRST_ROOM));
        larger.extend_from_slice(values);
        *values = larger;
    }
    values.extend_from_slice(more);
}

/// How many values there is memory for while so many more come: untouched memory is none, and a larger Vec is filled from
/// the one that it replaces.
fn with_growth<T>(values: &Vec<T>, n_more: usize) -> usize {
    let n_values = values.len() + n_more;
    if n_values > values.capacity() { n_values * 2 } else { n_values }
}

/// The counts of a table in the order of the bytes.
#[derive(Debug)]
pub struct SortedLong {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Places in `entries`, each with some bytes that were sorted by.
    order: Vec<(u64, u32)>,
    at: usize,
}

impl SortedLong {
    fn entry(&self, at: usize) -> Option<&Entry> {
        self.order.get(at).map(|(_, place)| &self.entries[*place as usize])
    }
}

impl Source for SortedLong {
    #[inline]
    fn record(&self) -> Option<Record<'_>> {
        let entry = self.entry(self.at)?;
        Some(Record { bytes: &self.bytes[entry.range()], count: entry.count, first: entry.first })
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.at += 1;
        if let Some(entry) = self.entry(self.at + AHEAD * 2) {
            prefetch(entry);
        }
        if let Some(entry) = self.entry(self.at + AHEAD) {
            prefetch(&self.bytes[entry.start]);
        }
        Ok(())
    }
}
