//! How often each pretoken occurs in a corpus: all that training needs to know of it.
//!
//! A corpus arrives as documents, each in one or more blocks. Text is gathered until all threads have work, then cut into
//! parts. Each thread counts parts into a table of its own; the tables meet, sorted, only at the end.

use super::distinct::{Distinct, News};
use super::key::{KEY_BYTES, Key};
use crate::documents::{Documents, UNIT_BYTES};
use crate::driver::{Cuts, Sink};
use crate::error::{Error, Result};
use crate::hash::Seed;
use crate::scan::Scanner;
use crate::search::Hit;
use crate::spec::AddedToken;
use crate::specials::{Policy, SpecialText, Specials};
use crate::{Tick, parallel};

/// Text that is gathered for each thread before it is counted.
const BYTES_A_THREAD: usize = 1 << 20;

/// Distinct pretokens, ascending by their bytes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PretokenCounts {
    /// All pretokens, one after the other.
    pub bytes: Vec<u8>,
    /// Where each pretoken ends in `bytes`.
    pub ends: Vec<usize>,
    /// How often each occurs.
    pub counts: Vec<u64>,
    /// Where each occurs first, in bytes from the start of the corpus.
    pub first_positions: Vec<u64>,
}

impl PretokenCounts {
    /// Counts that are known already: pretokens in order of first occurrence, with their counts. Equal pretokens add up;
    /// empty ones and counts of zero are left out.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a [u8], u64)>, tick: Tick<'_>) -> Result<Self> {
        let pairs = pairs.into_iter().enumerate().filter(|(_, (pretoken, count))| !pretoken.is_empty() && *count > 0);
        let pretokens = pairs.map(|(place, (bytes, count))| Pretoken { bytes, count, first: place as u64 });
        Self::sorted(pretokens.collect(), tick)
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of the pretoken at a place in the order.
    pub fn pretoken(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[place]]
    }

    /// Sorts first by the first eight bytes as one number, which is quick, then each group of equal ones: so a tick can
    /// come between.
    fn sorted(mut pretokens: Vec<Pretoken<'_>>, tick: Tick<'_>) -> Result<Self> {
        let prefix = |pretoken: &Pretoken<'_>| {
            let mut word = [0; 8];
            let length = pretoken.bytes.len().min(8);
            word[..length].copy_from_slice(&pretoken.bytes[..length]);
            u64::from_be_bytes(word)
        };
        pretokens.sort_unstable_by_key(prefix);
        for group in pretokens.chunk_by_mut(|one, other| prefix(one) == prefix(other)) {
            group.sort_unstable_by(|one, other| (one.bytes, one.first).cmp(&(other.bytes, other.first)));
            tick(0)?;
        }
        let mut result = Self::default();
        for Pretoken { bytes, count, first } in pretokens {
            let known = result.len().checked_sub(1).filter(|last| result.pretoken(*last) == bytes);
            match known {
                Some(last) => {
                    let sum = result.counts[last].checked_add(count);
                    result.counts[last] = sum.ok_or_else(|| Error::CountOverflow { bytes: bytes.to_vec() })?;
                }
                None => {
                    result.bytes.extend_from_slice(bytes);
                    result.ends.push(result.bytes.len());
                    result.counts.push(count);
                    result.first_positions.push(first);
                }
            }
        }
        Ok(result)
    }
}

/// One distinct pretoken of one table.
struct Pretoken<'a> {
    bytes: &'a [u8],
    count: u64,
    first: u64,
}

/// Counts the pretokens of documents.
#[derive(Debug)]
pub struct PretokenCounter {
    scanner: Scanner,
    policy: Policy,
    n_threads: usize,
    /// One for each thread that has ever had work.
    tables: Vec<Table>,
    /// Text that is not counted yet.
    documents: Documents,
    distinct: Distinct,
}

impl PretokenCounter {
    /// A counter; `special_tokens` end a segment and are not counted. The result does not depend on `n_threads`.
    pub fn new(scanner: Scanner, special_tokens: &[String], n_threads: usize) -> Result<Self> {
        let token = |content: &String| AddedToken::special(content.clone(), 0);
        let specials = Specials::new(special_tokens.iter().map(token).collect(), SpecialText::Parse, <[u8]>::to_vec)?;
        let n_threads = n_threads.max(1);
        let gathered_bytes = BYTES_A_THREAD * n_threads.min(parallel::available());
        Ok(Self {
            scanner,
            policy: specials.into_default(),
            n_threads,
            tables: vec![Table::new()],
            documents: Documents::new(gathered_bytes),
            distinct: Distinct::new(),
        })
    }

    /// Takes the next block of the document. After an error the counter must not be used again.
    pub fn push(&mut self, mut block: &[u8], tick: Tick<'_>) -> Result<()> {
        while !block.is_empty() {
            let (now, later) = block.split_at(block.len().min(self.documents.missing_bytes().max(1)));
            self.documents.push(now);
            block = later;
            if self.documents.missing_bytes() == 0 {
                self.count_held(tick)?;
            }
        }
        Ok(())
    }

    /// Ends the document: no pretoken goes on in the next one.
    pub fn end_document(&mut self) {
        self.documents.end();
    }

    /// The number of bytes taken so far.
    pub fn n_bytes(&self) -> u64 {
        self.documents.offset() + self.documents.text().len() as u64
    }

    /// The number of bytes that are counted.
    pub fn n_counted_bytes(&self) -> u64 {
        self.documents.offset()
    }

    /// Counts what is sure of the text so far. Returns the number of distinct pretokens in it.
    pub fn n_distinct(&mut self, tick: Tick<'_>) -> Result<u64> {
        self.count_held(tick)?;
        if let [table] = self.tables.as_slice() {
            return Ok(table.len() as u64);
        }
        for table in &mut self.tables {
            let news = table.news(&self.distinct);
            self.distinct.absorb(news);
            tick(0)?;
        }
        Ok(self.distinct.len() as u64)
    }

    /// Ends the last document, and returns all counts.
    pub fn finish(mut self, tick: Tick<'_>) -> Result<PretokenCounts> {
        self.end_document();
        self.count_held(tick)?;
        let mut tables = self.tables.into_iter();
        let mut all = tables.next().unwrap_or_else(Table::new);
        all.news = None;
        for table in tables {
            all.absorb(&table);
            tick(0)?;
        }
        PretokenCounts::sorted(all.pretokens().collect(), tick)
    }

    /// Counts what is sure of the text at hand, and keeps the rest.
    fn count_held(&mut self, tick: Tick<'_>) -> Result<()> {
        let cuts = Cuts { scanner: &self.scanner, policy: &self.policy, layers: None };
        let (parts, held, offset) = (self.documents.parts(cuts), self.documents.text(), self.documents.offset());
        let units = parallel::group(parts.iter().map(|part| part.end - part.start), UNIT_BYTES);
        let n_tables = self.n_threads.min(units.len()).max(1);
        self.tables.resize_with(self.tables.len().max(n_tables), Table::new);
        let count = |table: &mut Table, unit: &std::ops::Range<usize>, tick: Tick<'_>| {
            let mut end = 0;
            for part in &parts[unit.clone()] {
                let offset = offset + part.start as u64;
                let mut sink = Counting { table, offset };
                end = part.start + cuts.run(&held[part.start..part.end], offset, part.closed, &mut sink, tick)?;
            }
            Ok(end)
        };
        let ends = parallel::map_with(&units, &mut self.tables[..n_tables], count, tick)?;
        self.documents.take(ends.last().copied().unwrap_or(0));
        Ok(())
    }
}

/// A table while it takes the pretokens of a text.
struct Counting<'a> {
    table: &'a mut Table,
    /// The place of the text in the corpus.
    offset: u64,
}

impl Sink for Counting<'_> {
    fn pieces(&mut self, text: &[u8], mut start: usize, ends: &[usize], _tick: Tick<'_>) -> Result<()> {
        for &end in ends {
            self.table.add(text, start, end, 1, self.offset + start as u64);
            start = end;
        }
        Ok(())
    }

    fn added(&mut self, _text: &[u8], _hit: Hit) {}
}

/// The counts of one thread.
#[derive(Debug)]
struct Table {
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

#[derive(Clone, Copy, Debug, Default)]
struct ShortSlot {
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

#[derive(Debug)]
struct LongEntry {
    hash: u64,
    start: usize,
    end: usize,
    count: u64,
    first: u64,
}

const EMPTY: u32 = u32::MAX;

impl Table {
    fn new() -> Self {
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
    fn len(&self) -> usize {
        self.n_short + self.long.len()
    }

    /// What is new since the last call; at the first one all.
    fn news(&mut self, distinct: &Distinct) -> &mut News {
        let (short, long, long_bytes) = (&self.short, &self.long, &self.long_bytes);
        self.news.get_or_insert_with(|| {
            let mut news = distinct.news();
            short.iter().filter(|slot| slot.count > 0).for_each(|slot| news.note_short(Key::of_bytes(slot.key)));
            long.iter().for_each(|entry| news.note_long(&long_bytes[entry.start..entry.end]));
            news
        })
    }

    #[inline]
    fn add(&mut self, text: &[u8], start: usize, end: usize, count: u64, position: u64) {
        match Key::new(text, start, end) {
            Some(key) => self.add_short(key, count, position),
            None => self.add_long(&text[start..end], count, position),
        }
    }

    #[inline]
    fn add_short(&mut self, key: Key, count: u64, position: u64) {
        let at = short_slot(&self.short, self.seed, key);
        let slot = &mut self.short[at];
        if slot.count > 0 {
            slot.count += count;
            slot.first = slot.first.min(position);
            return;
        }
        *slot = ShortSlot { key: key.to_bytes(), count, first: position };
        self.n_short += 1;
        if let Some(news) = &mut self.news {
            news.note_short(key);
        }
        if self.n_short * 3 > self.short.len() * 2 {
            self.grow_short();
        }
    }

    /// Adds the counts of another table.
    fn absorb(&mut self, other: &Self) {
        for slot in other.short.iter().filter(|slot| slot.count > 0) {
            self.add_short(Key::of_bytes(slot.key), slot.count, slot.first);
        }
        for entry in &other.long {
            self.add_long(&other.long_bytes[entry.start..entry.end], entry.count, entry.first);
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

    fn add_long(&mut self, piece: &[u8], count: u64, position: u64) {
        let hash = self.seed.of_bytes(piece);
        let mask = self.long_slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.long_slots[at] != EMPTY {
            let entry = &mut self.long[self.long_slots[at] as usize];
            if entry.hash == hash && self.long_bytes[entry.start..entry.end] == *piece {
                entry.count += count;
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
        self.long.push(LongEntry { hash, start, end: self.long_bytes.len(), count, first: position });
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

    fn pretokens(&self) -> impl Iterator<Item = Pretoken<'_>> {
        let short = self.short.iter().filter(|slot| slot.count > 0);
        let short = short.map(|slot| Pretoken { bytes: slot.bytes(), count: slot.count, first: slot.first });
        let long = self.long.iter().map(|entry| {
            let bytes = &self.long_bytes[entry.start..entry.end];
            Pretoken { bytes, count: entry.count, first: entry.first }
        });
        short.chain(long)
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
