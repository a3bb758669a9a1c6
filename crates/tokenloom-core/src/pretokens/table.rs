//! The counts of one thread: what is looked up for every pretoken.
//!
//! A large table is in no cache, and a look at it would be a wait. So pretokens come in groups: the places of all are asked
//! for before the first is looked at, and the waits overlap.

use super::long::LongTable;
use super::short::ShortTable;
use super::sorted::Sorted;
use crate::bpe::key::Key;

/// So many are looked up together.
pub const GROUP: usize = 128;

/// The counts of one thread.
#[derive(Debug)]
pub struct Table {
    short: ShortTable,
    long: LongTable,
    desk: Box<Desk>,
}

/// Room for a group.
#[derive(Debug)]
struct Desk {
    /// Key, place in the table and start of each short pretoken.
    short: [(Key, usize, usize); GROUP],
    /// Start, end and hash of each long one.
    long: [(usize, usize, u32); GROUP],
}

impl Table {
    /// A table without counts.
    pub fn new() -> Self {
        let desk = Desk { short: [(Key::NONE, 0, 0); GROUP], long: [(0, 0, 0); GROUP] };
        Self { short: ShortTable::new(), long: LongTable::new(), desk: Box::new(desk) }
    }

    /// The most memory that it takes while so many bytes more are counted, and `n_long` bytes in `n_parts` parts.
    pub fn memory_bytes(&self, n_bytes: usize, n_parts: usize, n_long: usize) -> usize {
        let short = self.short.memory_bytes(n_bytes / BYTES_A_SHORT_PRETOKEN + n_parts);
        let long = self.long.memory_bytes(n_bytes / BYTES_A_LONG_PRETOKEN + n_parts, n_bytes + n_long);
        short + long + size_of::<Desk>()
    }

    /// Counts pretokens, the first of which begins at `start`. `text` stands at `offset` in the corpus, behind all that was
    /// counted before.
    pub fn add_all(&mut self, text: &[u8], mut start: usize, ends: &[usize], offset: u64) {
        for group in ends.chunks(GROUP) {
            self.add_group(text, start, group, offset);
            start = group[group.len() - 1];
        }
    }

    #[inline]
    fn add_group(&mut self, text: &[u8], mut start: usize, ends: &[usize], offset: u64) {
        let Self { short, long, desk } = self;
        short.reserve(ends.len());
        let (mut n_short, mut n_long) = (0, 0);
        for &end in ends {
            match Key::new(text, start, end) {
                Some(key) => {
                    let place = short.place(key);
                    short.prefetch(place);
                    desk.short[n_short] = (key, place, start);
                    n_short += 1;
                }
                None => {
                    desk.long[n_long] = (start, end, 0);
                    n_long += 1;
                }
            }
            start = end;
        }
        if n_long > 0 {
            long.reserve(n_long);
            for (start, end, hash) in &mut desk.long[..n_long] {
                *hash = long.hash(&text[*start..*end]);
            }
        }
        for &(key, place, start) in &desk.short[..n_short] {
            short.add(place, key, offset + start as u64);
        }
        for &(start, end, hash) in &desk.long[..n_long] {
            long.add(&text[start..end], hash, offset + start as u64);
        }
    }

    /// The counts in the order of the bytes: short pretokens, and longer ones.
    pub fn into_sorted(self) -> [Sorted; 2] {
        [Sorted::Short(self.short.into_sorted()), Sorted::Long(self.long.into_sorted())]
    }
}

/// Most new pretokens come with more text than this. Only lists of short numbers, and the like, come near.
const BYTES_A_SHORT_PRETOKEN: usize = 8;
const BYTES_A_LONG_PRETOKEN: usize = 16;
