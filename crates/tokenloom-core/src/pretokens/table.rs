//! The counts of one thread: what is looked up for every pretoken.
//!
//! A large table is in no cache, and a look at it would be a wait. So pretokens come in groups: the places of all are asked
//! for before the first is looked at, and the waits overlap.

use super::distinct::{Distinct, News};
use super::long::{LongTable, SortedLong};
use super::merge::Source;
use super::run::Record;
use super::short::{ShortTable, SortedShort};
use crate::bpe::key::Key;
use crate::error::Result;

/// So many are looked up together.
pub const GROUP: usize = 128;

/// The counts of one thread.
#[derive(Debug)]
pub struct Table {
    short: ShortTable,
    long: LongTable,
    desk: Box<Desk>,
    /// Where new pretokens are noted, once somebody has asked how many there are.
    news: Option<News>,
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
        Self { short: ShortTable::new(), long: LongTable::new(), desk: Box::new(desk), news: None }
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// The most memory that it takes while so many bytes more are counted, and `n_long` bytes in `n_parts` parts.
    pub fn memory_bytes(&self, n_bytes: usize, n_parts: usize, n_long: usize) -> usize {
        let short = self.short.memory_bytes(n_bytes / BYTES_A_SHORT_PRETOKEN + n_parts);
        let news = self.news.as_ref().map_or(0, News::memory_bytes);
        let long = self.long.memory_bytes(n_bytes / BYTES_A_LONG_PRETOKEN + n_parts, n_bytes + n_long);
        short + long + news + size_of::<Desk>()
    }

    /// What is new since the last call; at the first one all.
    pub fn news(&mut self, distinct: &Distinct) -> &mut News {
        let (short, long) = (&self.short, &self.long);
        self.news.get_or_insert_with(|| {
            let mut news = distinct.news();
            short.keys().for_each(|key| news.note_short(key));
            long.pretokens().for_each(|pretoken| news.note_long(pretoken));
            news
        })
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
        let Self { short, long, desk, news } = self;
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
            if short.add(place, key, offset + start as u64)
                && let Some(news) = news
            {
                news.note_short(key);
            }
        }
        for &(start, end, hash) in &desk.long[..n_long] {
            let pretoken = &text[start..end];
            if long.add(pretoken, hash, offset + start as u64)
                && let Some(news) = news
            {
                news.note_long(pretoken);
            }
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

/// Half the counts of a table in the order of the bytes.
#[derive(Debug)]
pub enum Sorted {
    /// Pretokens with a key.
    Short(SortedShort),
    /// Longer ones.
    Long(SortedLong),
}

impl Source for Sorted {
    #[inline]
    fn record(&self) -> Option<Record<'_>> {
        match self {
            Self::Short(short) => short.record(),
            Self::Long(long) => long.record(),
        }
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        match self {
            Self::Short(short) => short.advance(),
            Self::Long(long) => long.advance(),
        }
    }
}
