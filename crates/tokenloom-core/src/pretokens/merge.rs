//! Many sources of sorted pretokens as one, which is never held in memory.
//!
//! The sources stand in a heap by their next pretokens. Pretokens are mostly told apart by their first eight bytes, so
//! these stand in the heap itself, as one number.

use std::cmp::Ordering;

use super::run::{Record, RunReader, RunWriter, Sums};
use crate::Tick;
use crate::error::{Error, Result};

/// Pretokens between two ticks.
const TICK_PRETOKENS: u64 = 1 << 14;

/// Gives records that ascend by their pretokens.
pub trait Source {
    /// The record that it is at; None behind the last one.
    fn record(&self) -> Option<Record<'_>>;
    /// Goes to the next record.
    fn advance(&mut self) -> Result<()>;
}

/// A run as a part of a corpus: its text begins behind `shift` bytes and counts `multiplier` times.
pub struct PartOfCorpus<'a> {
    run: RunReader<'a>,
    shift: u64,
    multiplier: u64,
    count: u64,
    first: u64,
}

impl<'a> PartOfCorpus<'a> {
    /// The run at its first record.
    pub fn new(run: RunReader<'a>, shift: u64, multiplier: u64) -> Result<Self> {
        let mut part = Self { run, shift, multiplier, count: 0, first: 0 };
        part.adjust()?;
        Ok(part)
    }

    fn adjust(&mut self) -> Result<()> {
        let Some(record) = self.run.record() else { return Ok(()) };
        let count = record.count.checked_mul(self.multiplier);
        let (Some(count), Some(first)) = (count, record.first.checked_add(self.shift)) else {
            return Err(overflow(record.bytes));
        };
        (self.count, self.first) = (count, first);
        Ok(())
    }
}

impl Source for PartOfCorpus<'_> {
    #[inline]
    fn record(&self) -> Option<Record<'_>> {
        self.run.record().map(|Record { bytes, .. }| Record { bytes, count: self.count, first: self.first })
    }

    fn advance(&mut self) -> Result<()> {
        self.run.advance()?;
        self.adjust()
    }
}

/// Writes one run of many. Ticks tell of bytes read.
pub fn merge_runs(parts: &mut [PartOfCorpus<'_>], mut writer: RunWriter<'_>, tick: Tick<'_>) -> Result<Sums> {
    let (mut n_pretokens, mut n_told) = (0_u64, 0);
    let mut heap = Heap::new(parts);
    while let Some(record) = heap.next(parts)? {
        writer.push(record)?;
        n_pretokens += 1;
        if n_pretokens.is_multiple_of(TICK_PRETOKENS) {
            let n_read = parts.iter().map(|part| part.run.n_bytes()).sum();
            tick(n_read - n_told)?;
            n_told = n_read;
        }
    }
    writer.finish()
}

/// Gives all pretokens of some sources to `take`, each once.
pub fn merge<S: Source>(
    sources: &mut [S],
    mut take: impl FnMut(Record<'_>) -> Result<()>,
    tick: Tick<'_>,
) -> Result<()> {
    let (mut heap, mut n_pretokens) = (Heap::new(sources), 0_u64);
    while let Some(record) = heap.next(sources)? {
        take(record)?;
        n_pretokens += 1;
        if n_pretokens.is_multiple_of(TICK_PRETOKENS) {
            tick(0)?;
        }
    }
    Ok(())
}

/// The sources that are not at their end, the one with the least pretoken first.
pub(super) struct Heap {
    entries: Vec<Entry>,
    /// The pretoken that is being given.
    pretoken: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Entry {
    prefix: u64,
    source: usize,
}

impl Heap {
    pub(super) fn new<S: Source>(sources: &[S]) -> Self {
        let entry =
            |(source, found): (usize, &S)| found.record().map(|record| Entry { prefix: prefix(record.bytes), source });
        let mut heap = Self { entries: sources.iter().enumerate().filter_map(entry).collect(), pretoken: Vec::new() };
        for at in (0..heap.entries.len() / 2).rev() {
            heap.sink(at, sources);
        }
        heap
    }

    /// The length of the next pretoken.
    pub(super) fn next_length<S: Source>(&self, sources: &[S]) -> Option<usize> {
        sources[self.entries.first()?.source].record().map(|record| record.bytes.len())
    }

    /// The next pretoken with the sum of its counts and the least of its positions.
    pub(super) fn next<S: Source>(&mut self, sources: &mut [S]) -> Result<Option<Record<'_>>> {
        let Some(top) = self.entries.first().copied() else { return Ok(None) };
        let Some(record) = sources[top.source].record() else { return Ok(None) };
        self.pretoken.clear();
        self.pretoken.extend_from_slice(record.bytes);
        let (mut count, mut first) = (record.count, record.first);
        self.advance(top.source, sources)?;
        while let Some(other) = self.entries.first().filter(|other| other.prefix == top.prefix)
            && let Some(record) = sources[other.source].record()
            && record.bytes == self.pretoken
        {
            count = count.checked_add(record.count).ok_or_else(|| overflow(record.bytes))?;
            first = first.min(record.first);
            self.advance(other.source, sources)?;
        }
        Ok(Some(Record { bytes: &self.pretoken, count, first }))
    }

    /// Moves the source at the top on.
    fn advance<S: Source>(&mut self, source: usize, sources: &mut [S]) -> Result<()> {
        sources[source].advance().map_err(|fault| fault.in_run(source))?;
        match sources[source].record() {
            Some(record) => self.entries[0].prefix = prefix(record.bytes),
            None => {
                self.entries.swap_remove(0);
            }
        }
        self.sink(0, sources);
        Ok(())
    }

    /// Restores the order where only the entry at `at` may be too far up.
    fn sink<S: Source>(&mut self, mut at: usize, sources: &[S]) {
        loop {
            let children = at * 2 + 1..self.entries.len().min(at * 2 + 3);
            let less = |one: &usize, other: &usize| self.compare(*one, *other, sources);
            let Some(child) = children.min_by(less) else { break };
            if self.compare(child, at, sources) != Ordering::Less {
                break;
            }
            self.entries.swap(at, child);
            at = child;
        }
    }

    fn compare<S: Source>(&self, one: usize, other: usize, sources: &[S]) -> Ordering {
        let (one, other) = (self.entries[one], self.entries[other]);
        let bytes = |entry: Entry| sources[entry.source].record().map(|record| record.bytes);
        one.prefix.cmp(&other.prefix).then_with(|| bytes(one).cmp(&bytes(other)))
    }
}

/// The first eight bytes of a pretoken as a number in the same order; zeros stand for those that it does not have.
pub fn prefix(pretoken: &[u8]) -> u64 {
    if let Some(word) = pretoken.first_chunk() {
        return u64::from_be_bytes(*word);
    }
    let mut word = [0; 8];
    word[..pretoken.len()].copy_from_slice(pretoken);
    u64::from_be_bytes(word)
}

fn overflow(pretoken: &[u8]) -> Error {
    Error::CountOverflow { bytes: pretoken.to_vec() }
}
