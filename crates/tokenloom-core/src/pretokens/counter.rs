//! Counts the pretokens of documents, which arrive in blocks.
//!
//! Text is gathered until all threads have work, then cut into parts that can be counted apart. Each thread counts into a
//! table of its own; the tables meet, sorted, only where they are written down.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::counts::PretokenCounts;
use super::distinct::Distinct;
use super::merge::merge;
use super::parts::Limit;
use super::run::{Record, RunWriter, Sums, WRITTEN_BYTES, Write};
use super::table::{GROUP, Sorted, Table};
use crate::documents::{Documents, UNIT_BYTES};
use crate::driver::{Cuts, Sink};
use crate::error::Result;
use crate::scan::{COPY_BYTES, Scanner};
use crate::search::Hit;
use crate::spec::AddedToken;
use crate::specials::{Policy, SpecialText, Specials};
use crate::{Tick, parallel};

/// Text that is gathered for each thread before it is counted.
const BYTES_A_THREAD: usize = 1 << 20;

/// `memory_bytes` looks ahead to a push of so many bytes at least.
const LEAST_PUSH_BYTES: usize = 1 << 20;

/// What may come out as pretokens of its own behind a long one whose end comes in sight.
const UNSURE_BYTES: usize = 1 << 10;

/// Counts the pretokens of documents.
#[derive(Debug)]
pub struct PretokenCounter {
    scanner: Scanner,
    policy: Policy,
    limit: Limit,
    n_threads: usize,
    /// One for each thread that has ever had work.
    shares: Vec<Share>,
    /// Text that is not counted yet.
    documents: Documents,
    /// The length of that text when it was last looked at.
    n_looked_at: usize,
    distinct: Distinct,
    longest_push: usize,
}

/// What one thread counts.
#[derive(Debug)]
struct Share {
    table: Table,
    /// The pretokens that were cut.
    n_cut: u64,
}

impl Share {
    fn new() -> Self {
        Self { table: Table::new(), n_cut: 0 }
    }
}

impl PretokenCounter {
    /// A counter; `special_tokens` end a segment and are not counted. Pretokens longer than `max_pretoken_bytes` are cut
    /// into parts. The result does not depend on `n_threads`.
    pub fn new(
        scanner: Scanner,
        special_tokens: &[String],
        n_threads: usize,
        max_pretoken_bytes: Option<usize>,
    ) -> Result<Self> {
        let token = |content: &String| AddedToken::special(content.clone(), 0);
        let specials = Specials::new(special_tokens.iter().map(token).collect(), SpecialText::Parse, <[u8]>::to_vec)?;
        let n_threads = n_threads.max(1);
        let gathered_bytes = BYTES_A_THREAD * n_threads.min(parallel::available());
        Ok(Self {
            scanner,
            policy: specials.into_default(),
            limit: Limit::new(max_pretoken_bytes)?,
            n_threads,
            shares: vec![Share::new()],
            documents: Documents::new(gathered_bytes),
            n_looked_at: 0,
            distinct: Distinct::new(),
            longest_push: LEAST_PUSH_BYTES,
        })
    }

    /// Takes the next block of the document. After an error the counter must not be used again.
    pub fn push(&mut self, mut block: &[u8], tick: Tick<'_>) -> Result<()> {
        self.longest_push = self.longest_push.max(block.len());
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

    /// The most memory that counting takes up to the end of the next push, if that is no longer than the longest so far or
    /// 1 MiB, and to write down all counts then. Text of which more than every eighth byte begins a new pretoken may take
    /// more.
    pub fn memory_bytes(&self) -> usize {
        let (n_held, n_long) = (self.documents.text().len(), self.n_long_bytes());
        let n_bytes = n_held - n_long + self.longest_push;
        let n_bytes_a_share = n_bytes.min(n_bytes * 2 / self.shares.len());
        let n_parts = self.limit.most_parts(n_long);
        let memory = |share: &Share, n_parts, n_long| share.table.memory_bytes(n_bytes_a_share, n_parts, n_long);
        let tables: usize = self.shares.iter().map(|share| memory(share, 0, 0)).sum();
        // One thread counts it, whichever that will be.
        let long = self.shares.iter().map(|share| memory(share, n_parts, n_long) - memory(share, 0, 0)).max();
        // Of invalid bytes a longer copy is made.
        let copied =
            if matches!(self.scanner, Scanner::Custom(_)) { (n_held + self.longest_push) * COPY_BYTES } else { 0 };
        tables
            + long.unwrap_or(0)
            + self.documents.memory_bytes(self.longest_push)
            + copied
            + self.distinct.memory_bytes()
            + WRITTEN_BYTES * 4
    }

    /// How much of the text at hand is the beginning of one pretoken: what was looked at and could not be cut.
    fn n_long_bytes(&self) -> usize {
        let n_looked_at = if self.scanner.holds_one_piece() { self.n_looked_at } else { 0 };
        n_looked_at.saturating_sub(self.policy.longest() + UNSURE_BYTES)
    }

    /// How many pretokens were cut so far.
    pub fn n_cut_pretokens(&self) -> u64 {
        self.shares.iter().map(|share| share.n_cut).sum()
    }

    /// Counts what is sure of the text so far. Returns the number of distinct pretokens in it, of those since the last
    /// `spill`.
    pub fn n_distinct(&mut self, tick: Tick<'_>) -> Result<u64> {
        self.count_held(tick)?;
        if let [share] = self.shares.as_slice() {
            return Ok(share.table.len() as u64);
        }
        for share in &mut self.shares {
            let news = share.table.news(&self.distinct);
            self.distinct.absorb(news);
            tick(0)?;
        }
        Ok(self.distinct.len() as u64)
    }

    /// Ends the last document, and returns all counts.
    pub fn finish(mut self, tick: Tick<'_>) -> Result<PretokenCounts> {
        self.end_document();
        self.count_held(tick)?;
        let mut counts = PretokenCounts::default();
        let take = |record: Record<'_>| {
            counts.push(record, true);
            Ok(())
        };
        merge(&mut self.take_sorted(tick)?, take, tick)?;
        Ok(counts)
    }

    /// Writes the counts so far as a run and forgets them. Text that is not sure yet stays.
    pub fn spill(&mut self, write: Write<'_>, has_positions: bool, tick: Tick<'_>) -> Result<Sums> {
        // A piece that is longer than the text at hand is not looked at each time, but when it has grown by an eighth: until
        // then all that came may be short pretokens, which take many times their length.
        if self.documents.text().len() >= self.n_looked_at + self.n_looked_at / 8 {
            self.count_held(tick)?;
        }
        let mut writer = RunWriter::new(write, has_positions);
        merge(&mut self.take_sorted(tick)?, |record| writer.push(record), tick)?;
        writer.finish()
    }

    /// Ends the last document, and writes the counts so far as a run.
    pub fn finish_run(&mut self, write: Write<'_>, has_positions: bool, tick: Tick<'_>) -> Result<Sums> {
        self.end_document();
        self.count_held(tick)?;
        self.spill(write, has_positions, tick)
    }

    /// Takes the counts out of the tables, sorted.
    fn take_sorted(&mut self, tick: Tick<'_>) -> Result<Vec<Sorted>> {
        self.distinct = Distinct::new();
        let take = |share: &mut Share| Mutex::new(std::mem::replace(&mut share.table, Table::new()));
        let tables: Vec<_> = self.shares.iter_mut().map(take).collect();
        let sort = |table: &Mutex<Table>, _: Tick<'_>| {
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(std::mem::replace(&mut *table, Table::new()).into_sorted())
        };
        Ok(parallel::map(&tables, self.n_threads, sort, tick)?.into_iter().flatten().collect())
    }

    /// Counts what is sure of the text at hand, and keeps the rest.
    fn count_held(&mut self, tick: Tick<'_>) -> Result<()> {
        let cuts = Cuts { scanner: &self.scanner, policy: &self.policy, layers: None };
        let (parts, held, offset) = (self.documents.parts(cuts), self.documents.text(), self.documents.offset());
        let units = parallel::group(parts.iter().map(|part| part.end - part.start), UNIT_BYTES);
        let n_shares = self.n_threads.min(units.len()).max(1);
        self.shares.resize_with(self.shares.len().max(n_shares), Share::new);
        let limit = self.limit;
        let count = |share: &mut Share, unit: &Range<usize>, tick: Tick<'_>| {
            let mut end = 0;
            for part in &parts[unit.clone()] {
                let offset = offset + part.start as u64;
                let mut sink = Counting { share, limit, offset };
                end = part.start + cuts.run(&held[part.start..part.end], offset, part.closed, &mut sink, tick)?;
            }
            Ok(end)
        };
        let ends = parallel::map_with(&units, &mut self.shares[..n_shares], count, tick)?;
        self.documents.take(ends.last().copied().unwrap_or(0));
        self.n_looked_at = self.documents.text().len();
        Ok(())
    }
}

/// A table while it takes the pretokens of a text.
struct Counting<'a> {
    share: &'a mut Share,
    limit: Limit,
    /// The place of the text in the corpus.
    offset: u64,
}

impl Counting<'_> {
    #[cold]
    fn add_parts(&mut self, text: &[u8], mut start: usize) {
        self.share.n_cut += 1;
        let mut ends = Vec::with_capacity(GROUP);
        while start < text.len() {
            ends.clear();
            while let end = ends.last().copied().unwrap_or(start)
                && end < text.len()
                && ends.len() < GROUP
            {
                ends.push(self.limit.part_end(text, end));
            }
            self.share.table.add_all(text, start, &ends, self.offset);
            start = ends.last().copied().unwrap_or(text.len());
        }
    }
}

impl Sink for Counting<'_> {
    fn pieces(&mut self, text: &[u8], mut start: usize, mut ends: &[usize], _tick: Tick<'_>) -> Result<()> {
        while let Some(place) = self.limit.first_too_long(start, ends) {
            self.share.table.add_all(text, start, &ends[..place], self.offset);
            start = place.checked_sub(1).map_or(start, |last| ends[last]);
            self.add_parts(&text[..ends[place]], start);
            (start, ends) = (ends[place], &ends[place + 1..]);
        }
        self.share.table.add_all(text, start, ends, self.offset);
        Ok(())
    }

    fn added(&mut self, _text: &[u8], _hit: Hit) {}
}
