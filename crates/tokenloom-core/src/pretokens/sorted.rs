//! The counts of several tables, each in the order of the bytes, on their way to one run.
//!
//! The order is cut into ranges, which threads merge and write apart. A record says what it shares with the pretoken before
//! it, so each range is told of the one before its first. What does not fit into the room of a thread is left to the
//! caller's, which needs none.

use std::ops::Range;

use super::growth::Growth;
use super::long::SortedLong;
use super::merge::{Heap, Source, merge};
use super::run::{MOST_NUMBERS_BYTES, Record, RunWriter, Sums};
use super::short::{SortedShort, pretoken};
use crate::bpe::key::KEY_BYTES;
use crate::error::Result;
use crate::{Tick, parallel};

/// Pretokens of a range, about.
const RANGE_PRETOKENS: usize = 1 << 12;

/// Ranges are cut where these bytes of pretokens begin, at most.
const MOST_CUT_BYTES: usize = 32;

/// Ranges of each thread that are written before they leave.
const RANGES_A_THREAD: usize = 2;

/// What a thread holds of the ranges that it has written.
pub const ROOM_BYTES: usize = PART_BYTES * RANGES_A_THREAD;
const PART_BYTES: usize = 1 << 18;

/// Pretokens between two ticks.
const TICK_PRETOKENS: usize = 1 << 12;

/// Half the counts of a table in the order of the bytes.
#[derive(Debug)]
pub enum Sorted {
    /// Pretokens with a key.
    Short(SortedShort),
    /// Longer ones.
    Long(SortedLong),
}

impl Sorted {
    fn len(&self) -> usize {
        match self {
            Self::Short(short) => short.len(),
            Self::Long(long) => long.len(),
        }
    }

    /// What a look at the pretoken at a place gives.
    fn look<R>(&self, at: usize, look: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Short(short) => look(pretoken(&short.key(at))),
            Self::Long(long) => look(long.pretoken(at)),
        }
    }

    /// The place of the first pretoken that is not less than some bytes, from a place on where none before is.
    fn place_of(&self, bytes: &[u8], from: usize) -> usize {
        let (mut low, mut high) = (from, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.look(middle, |pretoken| pretoken < bytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Reads a stretch of sorted counts.
pub struct Stretch<'a> {
    sorted: &'a Sorted,
    places: Range<usize>,
    /// The key at the first of the places, if it has one.
    key: [u8; KEY_BYTES + 1],
}

impl<'a> Stretch<'a> {
    fn new(sorted: &'a Sorted, places: Range<usize>) -> Self {
        let mut stretch = Self { sorted, places, key: [0; KEY_BYTES + 1] };
        stretch.arrive();
        stretch
    }

    #[inline]
    fn arrive(&mut self) {
        match self.sorted {
            Sorted::Short(short) if !self.places.is_empty() => self.key = short.key(self.places.start),
            Sorted::Short(_) => {}
            Sorted::Long(long) => long.prefetch(self.places.start),
        }
    }
}

impl Source for Stretch<'_> {
    #[inline]
    fn record(&self) -> Option<Record<'_>> {
        if self.places.is_empty() {
            return None;
        }
        let at = self.places.start;
        let (bytes, (count, first)) = match self.sorted {
            Sorted::Short(short) => (pretoken(&self.key), short.count(at)),
            Sorted::Long(long) => (long.pretoken(at), long.count(at)),
        };
        Some(Record { bytes, count, first })
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.places.start += 1;
        self.arrive();
        Ok(())
    }
}

/// All of some sorted counts, to be read.
pub fn stretches(sorted: &[Sorted]) -> Vec<Stretch<'_>> {
    sorted.iter().map(|sorted| Stretch::new(sorted, 0..sorted.len())).collect()
}

/// A range of the order: the places in each of the sorted counts.
type Places = Vec<Range<usize>>;

/// What a thread has written of a range.
struct Part {
    records: Vec<u8>,
    sums: Sums,
    growth: Growth,
    /// What it has not, and the pretoken before that.
    rest: Option<(Places, Vec<u8>)>,
}

/// Writes the records of sorted counts, by several threads, and notes where pretokens occur first.
pub fn write(
    sorted: &[Sorted],
    writer: &mut RunWriter<'_>,
    growth: &mut Growth,
    n_threads: usize,
    tick: Tick<'_>,
) -> Result<()> {
    if n_threads == 1 {
        return write_all(&mut stretches(sorted), writer, growth, tick);
    }
    let has_positions = writer.has_positions();
    let work = |places: &Places, tick: Tick<'_>| write_part(sorted, places, has_positions, tick);
    for ranges in ranges(sorted).chunks(n_threads * RANGES_A_THREAD) {
        for part in parallel::map(ranges, n_threads, work, tick)? {
            writer.put_records(&part.records, &part.sums)?;
            growth.join(&part.growth);
            if let Some((places, before)) = part.rest {
                writer.follow(before);
                write_all(&mut stretches_of(sorted, &places), writer, growth, tick)?;
            }
        }
    }
    Ok(())
}

fn write_all(
    sources: &mut [Stretch<'_>],
    writer: &mut RunWriter<'_>,
    growth: &mut Growth,
    tick: Tick<'_>,
) -> Result<()> {
    let take = |record: Record<'_>| {
        growth.add(record.first);
        writer.push(record)
    };
    merge(sources, take, tick)
}

/// Writes a range, or as much of it as there is room for.
fn write_part(sorted: &[Sorted], places: &Places, has_positions: bool, tick: Tick<'_>) -> Result<Part> {
    let (mut growth, mut n_pretokens) = (Growth::default(), 0_usize);
    let mut never = |_: &[u8]| Ok(());
    let mut writer = RunWriter::new(&mut never, has_positions);
    writer.follow(last_before(sorted, places));
    let mut sources = stretches_of(sorted, places);
    let mut heap = Heap::new(&sources);
    while let Some(length) = heap.next_length(&sources)
        && writer.n_waiting() + length + MOST_NUMBERS_BYTES <= PART_BYTES
        && let Some(record) = heap.next(&mut sources)?
    {
        growth.add(record.first);
        writer.push(record)?;
        n_pretokens += 1;
        if n_pretokens.is_multiple_of(TICK_PRETOKENS) {
            tick(0)?;
        }
    }
    let is_done = sources.iter().all(|source| source.places.is_empty());
    let (records, before, sums) = writer.into_waiting();
    let rest = (!is_done).then(|| (sources.into_iter().map(|source| source.places).collect(), before));
    Ok(Part { records, sums, growth, rest })
}

fn stretches_of<'a>(sorted: &'a [Sorted], places: &Places) -> Vec<Stretch<'a>> {
    sorted.iter().zip(places).map(|(sorted, places)| Stretch::new(sorted, places.clone())).collect()
}

/// The greatest pretoken before a range; empty if there is none.
fn last_before(sorted: &[Sorted], places: &Places) -> Vec<u8> {
    let before = sorted.iter().zip(places).filter(|(_, places)| places.start > 0);
    before.map(|(sorted, places)| sorted.look(places.start - 1, <[u8]>::to_vec)).max().unwrap_or_default()
}

/// Cuts the order where any of the sorted counts has had some more pretokens.
fn ranges(sorted: &[Sorted]) -> Vec<Places> {
    let cut = |pretoken: &[u8]| pretoken[..pretoken.len().min(MOST_CUT_BYTES)].to_vec();
    let cuts_of = |sorted: &Sorted| -> Vec<Vec<u8>> {
        (RANGE_PRETOKENS..sorted.len()).step_by(RANGE_PRETOKENS).map(|at| sorted.look(at, cut)).collect()
    };
    let mut cuts: Vec<_> = sorted.iter().flat_map(cuts_of).collect();
    cuts.sort_unstable();
    let (mut starts, mut ranges) = (vec![0; sorted.len()], Vec::new());
    for cut in cuts.iter().map(Some).chain([None]) {
        let end = |(sorted, start): (&Sorted, &usize)| cut.map_or(sorted.len(), |cut| sorted.place_of(cut, *start));
        let ends: Vec<_> = sorted.iter().zip(&starts).map(end).collect();
        ranges.push(starts.iter().zip(&ends).map(|(start, end)| *start..*end).collect());
        starts = ends;
    }
    ranges
}
