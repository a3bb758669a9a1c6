//! The counts of a corpus in memory, sorted: what training begins with.

use std::cmp::Ordering;

use super::growth::Growth;
use super::merge::prefix;
use super::run::{Record, RunReader, RunWriter, Sums, Write};
use crate::Tick;
use crate::error::{Error, Result};

/// Pretokens between two ticks.
const TICK_PRETOKENS: usize = 1 << 14;

/// Counts above this are told together.
const MOST_TOLD: u64 = 1000;

/// Distinct pretokens, ascending by their bytes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PretokenCounts {
    /// All pretokens, one after the other.
    pub bytes: Vec<u8>,
    /// Where each pretoken ends in `bytes`.
    pub ends: Vec<usize>,
    /// How often each occurs.
    pub counts: Vec<u64>,
    /// Where each occurs first, in bytes from the start of the corpus. Empty if that is not known.
    pub first_positions: Vec<u64>,
}

/// So many pretokens have one count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameCount {
    /// The count.
    pub count: u64,
    /// The number of distinct pretokens.
    pub n_pretokens: u64,
    /// Their bytes, each taken once.
    pub n_bytes: u64,
}

/// Collects `SameCount` rows.
struct Histogram(Vec<(u64, u64)>);

impl Histogram {
    fn new() -> Self {
        Self(vec![(0, 0); MOST_TOLD as usize + 2])
    }

    fn add(&mut self, count: u64, length: usize) {
        let (n_pretokens, n_bytes) = &mut self.0[count.min(MOST_TOLD + 1) as usize];
        *n_pretokens += 1;
        *n_bytes += length as u64;
    }

    fn rows(self) -> Vec<SameCount> {
        let rows = (0..).zip(self.0).filter(|(_, (n_pretokens, _))| *n_pretokens > 0);
        rows.map(|(count, (n_pretokens, n_bytes))| SameCount { count, n_pretokens, n_bytes }).collect()
    }
}

/// How many pretokens of a run have each count, ascending. Those above 1000 are told as one, under 1001.
pub fn run_histogram(run: RunReader<'_>, tick: Tick<'_>) -> Result<Vec<SameCount>> {
    let mut histogram = Histogram::new();
    for_each_record(run, |record| histogram.add(record.count, record.bytes.len()), tick)?;
    Ok(histogram.rows())
}

/// Gives all records of a run to `take`.
fn for_each_record(mut run: RunReader<'_>, mut take: impl FnMut(Record<'_>), tick: Tick<'_>) -> Result<()> {
    let mut n_records = 0_usize;
    while let Some(record) = run.record() {
        take(record);
        run.advance()?;
        n_records += 1;
        if n_records.is_multiple_of(TICK_PRETOKENS) {
            tick(0)?;
        }
    }
    Ok(())
}

impl PretokenCounts {
    /// Counts that are known already: pretokens in order of first occurrence, with their counts. Equal pretokens add up;
    /// empty ones and counts of zero are left out.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a [u8], u64)>, tick: Tick<'_>) -> Result<Self> {
        let pairs = pairs.into_iter().enumerate().filter(|(_, (pretoken, count))| !pretoken.is_empty() && *count > 0);
        let records = pairs.map(|(place, (bytes, count))| Record { bytes, count, first: place as u64 });
        Self::sorted(records.collect(), tick)
    }

    /// The counts of a run, without pretokens that occur less than `min_count` times.
    pub fn from_run(run: RunReader<'_>, has_positions: bool, min_count: u64, tick: Tick<'_>) -> Result<Self> {
        let mut counts = Self::default();
        let take = |record: Record<'_>| {
            if record.count >= min_count {
                counts.push(record, has_positions);
            }
        };
        for_each_record(run, take, tick)?;
        Ok(counts)
    }

    /// Adds a pretoken that is greater than all others.
    pub(super) fn push(&mut self, record: Record<'_>, has_positions: bool) {
        self.bytes.extend_from_slice(record.bytes);
        self.ends.push(self.bytes.len());
        self.counts.push(record.count);
        if has_positions {
            self.first_positions.push(record.first);
        }
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether it is known where each occurs first.
    pub fn has_positions(&self) -> bool {
        self.first_positions.len() == self.len()
    }

    /// The bytes of the pretoken at a place in the order.
    pub fn pretoken(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[place]]
    }

    /// Distinct pretokens that begin before some bytes of the corpus, see `Growth`. None without first positions.
    pub fn growth(&self, n_corpus_bytes: u64) -> Vec<(u64, u64)> {
        let mut growth = Growth::default();
        self.first_positions.iter().for_each(|first| growth.add(*first));
        growth.points(n_corpus_bytes)
    }

    /// Writes all as a run.
    pub fn write_run(&self, write: Write<'_>, has_positions: bool, tick: Tick<'_>) -> Result<Sums> {
        if has_positions && !self.has_positions() {
            return Err(Error::MissingPositions);
        }
        let mut writer = RunWriter::new(write, has_positions);
        for place in 0..self.len() {
            let first = self.first_positions.get(place).copied().unwrap_or(0);
            writer.push(Record { bytes: self.pretoken(place), count: self.counts[place], first })?;
            if place.is_multiple_of(TICK_PRETOKENS) {
                tick(0)?;
            }
        }
        writer.finish()
    }

    /// Sorts first by the first eight bytes as one number, which is quick, then each group of equal ones: so a tick can
    /// come between.
    fn sorted(mut records: Vec<Record<'_>>, tick: Tick<'_>) -> Result<Self> {
        records.sort_unstable_by_key(|record| prefix(record.bytes));
        for group in records.chunk_by_mut(|one, other| prefix(one.bytes) == prefix(other.bytes)) {
            group.sort_unstable_by(|one, other| (one.bytes, one.first).cmp(&(other.bytes, other.first)));
            tick(0)?;
        }
        let mut counts = Self::default();
        for record in records {
            match counts.len().checked_sub(1).filter(|last| counts.pretoken(*last).cmp(record.bytes) == Ordering::Equal)
            {
                Some(last) => {
                    let sum = counts.counts[last].checked_add(record.count);
                    counts.counts[last] = sum.ok_or_else(|| Error::CountOverflow { bytes: record.bytes.to_vec() })?;
                }
                None => counts.push(record, true),
            }
        }
        Ok(counts)
    }
}
