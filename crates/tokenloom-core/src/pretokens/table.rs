//! The counts of one thread: what is looked up for every pretoken.

use super::distinct::{Distinct, News};
use super::merge::{Source, prefix};
use super::run::Record;
use crate::bpe::cache::{KEY_BYTES, Key};
use crate::error::Result;
use crate::hash::Seed;

/// The counts of one thread.
#[derive(Debug)]
pub struct Table {
    /// Pretokens of up to 15 bytes: one look at one slot. At most two thirds full; a count of 0 marks an empty slot.
    short: Vec<ShortSlot>,
    n_short: usize,
    /// Longer pretokens: places in `long`, at most half full.
    long_slots: Vec<u32>,
    long: Vec<LongEntry>,
    long_bytes: Vec<u8>,
    seed: Seed,
    /// Where new pretokens are noted, once somebody has asked how many there are.
    news: Option<News>,
}

/// A pretoken with a key, or an empty slot.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortSlot {
    /// The bytes of a `Key`.
    key: [u8; 16],
    count: u64,
    first: u64,
}

impl ShortSlot {
    fn bytes(&self) -> &[u8] {
        &self.key[..usize::from(self.key[KEY_BYTES])]
    }
}

/// A longer pretoken.
#[derive(Debug)]
pub struct LongEntry {
    /// The hash of its bytes; once sorted, the first of them.
    hash: u64,
    start: usize,
    end: usize,
    count: u64,
    first: u64,
}

const EMPTY: u32 = u32::MAX;

impl Table {
    /// A table without counts.
    pub fn new() -> Self {
        Self {
            short: vec![ShortSlot::default(); 1 << 12],
            n_short: 0,
            long_slots: vec![EMPTY; 1 << 8],
            long: Vec::new(),
            long_bytes: Vec::new(),
            seed: Seed::random(),
            news: None,
        }
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.n_short + self.long.len()
    }

    /// The memory that it takes, a growth included.
    pub fn memory_bytes(&self) -> usize {
        let short = self.short.len() * size_of::<ShortSlot>() * 3;
        let long = self.long_slots.len() * 3 * size_of::<u32>() + self.long.len() * 3 * size_of::<LongEntry>();
        short + long + self.long_bytes.len() * 3
    }

    /// What is new since the last call; at the first one all.
    pub fn news(&mut self, distinct: &Distinct) -> &mut News {
        let (short, long, long_bytes) = (&self.short, &self.long, &self.long_bytes);
        self.news.get_or_insert_with(|| {
            let mut news = distinct.news();
            short.iter().filter(|slot| slot.count > 0).for_each(|slot| news.note_short(Key::of_bytes(slot.key)));
            long.iter().for_each(|entry| news.note_long(&long_bytes[entry.start..entry.end]));
            news
        })
    }

    /// Counts `text[start..end]`, which stands at this position of the corpus.
    #[inline]
    pub fn add(&mut self, text: &[u8], start: usize, end: usize, position: u64) {
        match Key::new(text, start, end) {
            Some(key) => self.add_short(key, position),
            None => self.add_long(&text[start..end], position),
        }
    }

    #[inline]
    fn add_short(&mut self, key: Key, position: u64) {
        let at = short_slot(&self.short, self.seed, key);
        let slot = &mut self.short[at];
        if slot.count > 0 {
            slot.count += 1;
            slot.first = slot.first.min(position);
            return;
        }
        *slot = ShortSlot { key: key.to_bytes(), count: 1, first: position };
        self.n_short += 1;
        if let Some(news) = &mut self.news {
            news.note_short(key);
        }
        if self.n_short * 3 > self.short.len() * 2 {
            self.grow_short();
        }
    }

    fn grow_short(&mut self) {
        let mut larger = vec![ShortSlot::default(); self.short.len() * 2];
        for slot in self.short.iter().filter(|slot| slot.count > 0) {
            let at = short_slot(&larger, self.seed, Key::of_bytes(slot.key));
            larger[at] = *slot;
        }
        self.short = larger;
    }

    fn add_long(&mut self, piece: &[u8], position: u64) {
        let hash = self.seed.of_bytes(piece);
        let mask = self.long_slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.long_slots[at] != EMPTY {
            let entry = &mut self.long[self.long_slots[at] as usize];
            if entry.hash == hash && self.long_bytes[entry.start..entry.end] == *piece {
                entry.count += 1;
                entry.first = entry.first.min(position);
                return;
            }
            at = (at + 1) & mask;
        }
        self.long_slots[at] = self.long.len() as u32;
        if let Some(news) = &mut self.news {
            news.note_long(piece);
        }
        let start = self.long_bytes.len();
        self.long_bytes.extend_from_slice(piece);
        self.long.push(LongEntry { hash, start, end: self.long_bytes.len(), count: 1, first: position });
        if self.long.len() * 2 > self.long_slots.len() {
            self.grow_long();
        }
    }

    fn grow_long(&mut self) {
        let mask = self.long_slots.len() * 2 - 1;
        self.long_slots = vec![EMPTY; mask + 1];
        for (place, entry) in self.long.iter().enumerate() {
            let mut at = entry.hash as usize & mask;
            while self.long_slots[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.long_slots[at] = place as u32;
        }
    }

    /// The counts in the order of the bytes: short pretokens, and longer ones.
    pub fn into_sorted(self) -> [Sorted; 2] {
        let (mut short, mut long, bytes) = (self.short, self.long, self.long_bytes);
        short.retain(|slot| slot.count > 0);
        // Bytes that a key does not have are zeros, and its length stands last.
        short.sort_unstable_by_key(|slot| u128::from_be_bytes(slot.key));
        for entry in &mut long {
            entry.hash = prefix(&bytes[entry.start..entry.end]);
        }
        let rest = |entry: &LongEntry| &bytes[entry.start + size_of::<u64>()..entry.end];
        long.sort_unstable_by(|one, other| one.hash.cmp(&other.hash).then_with(|| rest(one).cmp(rest(other))));
        [Sorted::Short { slots: short, at: 0 }, Sorted::Long { entries: long, bytes, at: 0 }]
    }
}

/// The counts of a table in the order of the bytes, from `at` on.
#[derive(Debug)]
pub enum Sorted {
    /// Pretokens with a key.
    Short {
        /// Their slots.
        slots: Vec<ShortSlot>,
        /// The place of the next one.
        at: usize,
    },
    /// Longer ones.
    Long {
        /// What is known of each.
        entries: Vec<LongEntry>,
        /// Their bytes.
        bytes: Vec<u8>,
        /// The place of the next one.
        at: usize,
    },
}

impl Source for Sorted {
    #[inline]
    fn record(&self) -> Option<Record<'_>> {
        match self {
            Self::Short { slots, at } => {
                slots.get(*at).map(|slot| Record { bytes: slot.bytes(), count: slot.count, first: slot.first })
            }
            Self::Long { entries, bytes, at } => entries.get(*at).map(|entry| {
                let bytes = &bytes[entry.start..entry.end];
                Record { bytes, count: entry.count, first: entry.first }
            }),
        }
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        let (Self::Short { at, .. } | Self::Long { at, .. }) = self;
        *at += 1;
        Ok(())
    }
}

/// The slot that holds a short pretoken, or the empty one where it belongs.
#[inline]
fn short_slot(slots: &[ShortSlot], seed: Seed, key: Key) -> usize {
    let mask = slots.len() - 1;
    let mut at = seed.of_u128(key.bits()) as usize & mask;
    while slots[at].count > 0 && Key::of_bytes(slots[at].key) != key {
        at = (at + 1) & mask;
    }
    at
}
