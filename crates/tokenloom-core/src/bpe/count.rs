//! How often each pretoken occurs in a corpus: all that training needs to know of it.
//!
//! A corpus arrives as documents, each in one or more blocks. A block is cut into units where no pretoken can be split,
//! and each thread counts units into a table of its own; the tables meet, sorted, only at the end.

use super::cache::Key;
use crate::driver::Cuts;
use crate::error::{Error, Result};
use crate::hash::Seed;
use crate::scan::Scanner;
use crate::spec::SpecialToken;
use crate::specials::{Policy, SpecialText, Specials};
use crate::{Tick, parallel};

/// Text below this is counted on the caller's thread alone.
const PARALLEL_BYTES: usize = 1 << 20;

/// A unit of work is cut at the first safe place after this many bytes.
const UNIT_BYTES: usize = 256 << 10;

/// The scanner writes the ends of about this many bytes before they are counted.
const BLOCK_BYTES: usize = 16 << 10;

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
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a [u8], u64)>) -> Result<Self> {
        let pairs = pairs.into_iter().enumerate().filter(|(_, (pretoken, count))| !pretoken.is_empty() && *count > 0);
        Self::sorted(pairs.map(|(place, (bytes, count))| Pretoken { bytes, count, first: place as u64 }).collect())
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

    fn sorted(mut pretokens: Vec<Pretoken<'_>>) -> Result<Self> {
        pretokens.sort_unstable_by(|one, other| (one.bytes, one.first).cmp(&(other.bytes, other.first)));
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
    tables: Vec<Table>,
    /// What the next block could still change.
    held: Vec<u8>,
    /// The place of `held[0]` in the corpus.
    offset: u64,
    /// Below this length `held` is not scanned again; see `driver::Feed`.
    attempt_at: usize,
}

/// A part of a text that one thread counts: from a piece's start to `stop`, within a segment that ends at `end`.
struct Unit {
    start: usize,
    stop: usize,
    end: usize,
    closed: bool,
}

impl PretokenCounter {
    /// A counter; `special_tokens` end a segment and are not counted. The result does not depend on `n_threads`.
    pub fn new(scanner: Scanner, special_tokens: &[String], n_threads: usize) -> Result<Self> {
        let tables = (0..n_threads.max(1)).map(|_| Table::new()).collect();
        let cut = |content: &String| SpecialToken { content: content.clone(), id: 0 };
        let policy = Specials::new(special_tokens.iter().map(cut).collect(), SpecialText::Parse)?.into_default();
        Ok(Self { scanner, policy, tables, held: Vec::new(), offset: 0, attempt_at: 0 })
    }

    /// Counts the next block of the document.
    pub fn push(&mut self, block: &[u8], tick: Tick<'_>) -> Result<()> {
        if self.held.is_empty() {
            let consumed = self.count(block, false, tick)?;
            self.held.extend_from_slice(&block[consumed..]);
        } else {
            self.held.extend_from_slice(block);
            if self.held.len() < self.attempt_at {
                return Ok(());
            }
            let mut text = std::mem::take(&mut self.held);
            let consumed = self.count(&text, false, tick)?;
            text.drain(..consumed);
            self.held = text;
        }
        self.attempt_at = self.held.len() * 2;
        Ok(())
    }

    /// Ends the document: no pretoken goes on in the next one.
    pub fn end_document(&mut self, tick: Tick<'_>) -> Result<()> {
        let text = std::mem::take(&mut self.held);
        self.attempt_at = 0;
        self.count(&text, true, tick).map(|_| ())
    }

    /// The number of bytes counted so far.
    pub fn n_bytes(&self) -> u64 {
        self.offset
    }

    /// All counts, after the last document has ended.
    pub fn finish(self) -> Result<PretokenCounts> {
        PretokenCounts::sorted(self.tables.iter().flat_map(Table::pretokens).collect())
    }

    /// Counts what is sure of `text`, whose place in the corpus is `self.offset`, and moves the offset on.
    fn count(&mut self, text: &[u8], at_end: bool, tick: Tick<'_>) -> Result<usize> {
        let (units, planned_end) = self.plan(text, at_end)?;
        let (scanner, offset) = (self.scanner, self.offset);
        let work = |table: &mut Table, unit: &Unit, tick: Tick<'_>| {
            let end = table.count_unit(scanner, text, unit, offset);
            tick((end - unit.start) as u64)?;
            Ok(end)
        };
        let n_tables = if text.len() < PARALLEL_BYTES { 1 } else { self.tables.len() };
        let ends = parallel::map_with(&units, &mut self.tables[..n_tables], work, tick)?;
        let consumed = match ends.last() {
            Some(&end) if units.last().is_some_and(|unit| unit.stop == planned_end) => end,
            _ => planned_end,
        };
        self.offset += consumed as u64;
        Ok(consumed)
    }

    /// Cuts a text into units. Returns also where the last one, or the special token behind it, ends.
    fn plan(&self, text: &[u8], at_end: bool) -> Result<(Vec<Unit>, usize)> {
        let sure = Cuts { scanner: self.scanner, policy: &self.policy }.sure_end(text, at_end);
        let (mut units, mut at) = (Vec::new(), 0);
        loop {
            let hit = self.policy.find(text, at, sure, self.offset)?;
            let end = hit.map_or(sure, |hit| hit.start);
            while at < end {
                let safe = (at + UNIT_BYTES..end).find(|cut| self.scanner.is_safe_cut(&text[..end], *cut));
                let stop = safe.unwrap_or(end);
                units.push(Unit { start: at, stop, end, closed: at_end || hit.is_some() });
                at = stop;
            }
            match hit {
                Some(hit) => at = hit.end,
                None => return Ok((units, at)),
            }
        }
    }
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
    ends: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ShortSlot {
    key: Key,
    count: u64,
    first: u64,
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
            ends: Vec::with_capacity(BLOCK_BYTES / 4),
        }
    }

    /// Counts the pieces of a unit; returns how far it came.
    fn count_unit(&mut self, scanner: Scanner, text: &[u8], unit: &Unit, offset: u64) -> usize {
        let mut at = unit.start;
        let mut ends = std::mem::take(&mut self.ends);
        while at < unit.stop {
            ends.clear();
            let stop = unit.stop.min(at + BLOCK_BYTES);
            scanner.scan(&text[..unit.end], at, stop, unit.closed, &mut ends);
            if ends.is_empty() {
                break;
            }
            for &end in &ends {
                self.add(text, at, end, offset + at as u64);
                at = end;
            }
        }
        self.ends = ends;
        at
    }

    #[inline]
    fn add(&mut self, text: &[u8], start: usize, end: usize, position: u64) {
        match Key::new(text, start, end) {
            Some(key) => self.add_short(key, position),
            None => self.add_long(&text[start..end], position),
        }
    }

    #[inline]
    fn add_short(&mut self, key: Key, position: u64) {
        let at = short_slot(&self.short, self.seed, key);
        let slot = &mut self.short[at];
        slot.count += 1;
        if slot.count == 1 {
            (slot.key, slot.first) = (key, position);
            self.n_short += 1;
            if self.n_short * 3 > self.short.len() * 2 {
                self.grow_short();
            }
        } else if position < slot.first {
            slot.first = position;
        }
    }

    fn grow_short(&mut self) {
        let mut larger = vec![ShortSlot::default(); self.short.len() * 2];
        for slot in self.short.iter().filter(|slot| slot.count > 0) {
            let at = short_slot(&larger, self.seed, slot.key);
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

    fn pretokens(&self) -> impl Iterator<Item = Pretoken<'_>> {
        let short = self.short.iter().filter(|slot| slot.count > 0);
        let short = short.map(|slot| Pretoken { bytes: slot.key.bytes(), count: slot.count, first: slot.first });
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
    while slots[at].count > 0 && slots[at].key != key {
        at = (at + 1) & mask;
    }
    at
}
