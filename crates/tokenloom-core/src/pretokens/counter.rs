//! Counts the pretokens of documents, which arrive in blocks.
//!
//! Text is gathered until all threads have work, then cut into parts that can be counted apart. Each thread counts into a
//! table of its own; the tables meet, sorted, only where they are written down.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::changes::Changes;
use super::counts::PretokenCounts;
use super::growth::Growth;
use super::merge::merge;
use super::parts::{Before, Limit, Limited};
use super::run::{Record, RunWriter, Sums, WRITTEN_BYTES, Write};
use super::sorted::{self, Sorted, stretches};
use super::table::Table;
use crate::documents::{Documents, Part, UNIT_BYTES};
use crate::driver::{Cuts, Sink};
use crate::error::Result;
use crate::layers::Layers;
use crate::normalize::Normalizer;
use crate::offsets::Place;
use crate::scan::{COPY_BYTES, Scanner};
use crate::search::Hit;
use crate::spec::AddedToken;
use crate::specials::{Policy, SpecialText, Specials};
use crate::{Tick, parallel};

/// Text that is gathered for each thread before it is counted.
const BYTES_A_THREAD: usize = 1 << 20;

/// Text that a normalizer changes is there so often more, where all of it is one piece.
const NORMALIZED_COPIES: usize = 3;

/// `memory_bytes` looks ahead to a push of so many bytes at least.
const LEAST_PUSH_BYTES: usize = 1 << 20;

/// What may come out as pretokens of its own behind a long one whose end comes in sight.
const UNSURE_BYTES: usize = 1 << 10;

/// Counts the pretokens of documents.
#[derive(Debug)]
pub struct PretokenCounter {
    scanner: Scanner,
    policy: Policy,
    /// Changes the text between special tokens before it is cut.
    normalizer: Option<Normalizer>,
    limit: Option<Limit>,
    n_threads: usize,
    /// One for each thread that has ever had work.
    shares: Vec<Share>,
    /// Text that is not counted yet.
    documents: Documents,
    /// The length of that text when it was last looked at.
    n_looked_at: usize,
    /// With a limit, what is known of the text before that one.
    before: Before,
    /// The curve of distinct pretokens up to the first run, once there is one.
    growth: Option<Vec<(u64, u64)>>,
    longest_push: usize,
    /// Documents of which something was changed, but for the one that is open.
    n_changed_docs: u64,
    /// Something was changed of the document that is open.
    is_open_changed: bool,
}

/// What one thread counts.
#[derive(Debug)]
struct Share {
    table: Table,
    /// The pretokens that were cut.
    n_cut: u64,
    /// What the normalizer changed.
    changes: Changes,
}

impl Share {
    fn new() -> Self {
        Self { table: Table::new(), n_cut: 0, changes: Changes::default() }
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
            normalizer: None,
            limit: max_pretoken_bytes.map(Limit::new).transpose()?,
            n_threads,
            shares: vec![Share::new()],
            documents: Documents::new(gathered_bytes),
            n_looked_at: 0,
            before: Before::default(),
            growth: None,
            longest_push: LEAST_PUSH_BYTES,
            n_changed_docs: 0,
            is_open_changed: false,
        })
    }

    /// Normalizes the text between special tokens before it is cut. No first positions are known then.
    #[must_use]
    pub fn normalizing(self, normalizer: Normalizer) -> Self {
        Self { normalizer: Some(normalizer), ..self }
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
        let n_parts = self.limit.map_or(0, |limit| limit.most_parts(n_bytes_a_share));
        let memory = |share: &Share, n_parts, n_long| share.table.memory_bytes(n_bytes_a_share, n_parts, n_long);
        let tables: usize = self.shares.iter().map(|share| memory(share, n_parts, 0)).sum();
        // One thread counts it, whichever that will be.
        let one = usize::from(n_long > 0);
        let long =
            self.shares.iter().map(|share| memory(share, n_parts + one, n_long) - memory(share, n_parts, 0)).max();
        tables
            + long.unwrap_or(0)
            + self.documents.memory_bytes(self.longest_push)
            + self.copied_bytes()
            + WRITTEN_BYTES * 4
            + sorted::ROOM_BYTES * self.shares.len()
    }

    /// The most memory that is taken by copies of invalid bytes, for a custom pattern.
    fn copied_bytes(&self) -> usize {
        let n_bytes = self.documents.text().len() + self.longest_push;
        let n_normalized = if self.normalizer.is_some() { n_bytes * NORMALIZED_COPIES } else { 0 };
        n_normalized
            + match (&self.scanner, self.limit) {
                (Scanner::Custom(_), None) => n_bytes * COPY_BYTES,
                (Scanner::Custom(_), Some(limit)) => limit.read_bytes(n_bytes) * self.shares.len(),
                _ => 0,
            }
    }

    /// How much of the text at hand is the beginning of one pretoken: what was looked at and could not be cut. With a limit
    /// no pretoken is long.
    fn n_long_bytes(&self) -> usize {
        let is_long = self.limit.is_none() && self.scanner.holds_one_piece();
        let n_looked_at = if is_long { self.n_looked_at } else { 0 };
        n_looked_at.saturating_sub(self.policy.longest() + UNSURE_BYTES)
    }

    /// How many pretokens were cut so far.
    pub fn n_cut_pretokens(&self) -> u64 {
        self.shares.iter().map(|share| share.n_cut).sum()
    }

    /// Documents of which the normalizer changed something, and what it changed, in all that is counted.
    pub fn changes(&self) -> (u64, Changes) {
        let mut all = Changes::default();
        self.shares.iter().for_each(|share| all.join(share.changes.clone()));
        (self.n_changed_docs + u64::from(self.is_open_changed), all)
    }

    /// Distinct pretokens that begin before some bytes of the text, see `Growth`: up to where the first run was written.
    /// None before that.
    pub fn growth(&self) -> Option<&[(u64, u64)]> {
        self.growth.as_deref()
    }

    /// Ends the last document, and returns all counts.
    pub fn finish(mut self, tick: Tick<'_>) -> Result<PretokenCounts> {
        self.end_document();
        self.count_held(tick)?;
        let (mut counts, has_positions) = (PretokenCounts::default(), self.normalizer.is_none());
        let take = |record: Record<'_>| {
            counts.push(record, has_positions);
            Ok(())
        };
        merge(&mut stretches(&self.take_sorted(tick)?), take, tick)?;
        Ok(counts)
    }

    /// Writes the counts so far as a run and forgets them. Text that is not sure yet stays.
    pub fn spill(&mut self, write: Write<'_>, has_positions: bool, tick: Tick<'_>) -> Result<Sums> {
        // A piece that is longer than the text at hand is not looked at each time, but when it has grown by an eighth: until
        // then all that came may be short pretokens, which take many times their length.
        if self.documents.text().len() >= self.n_looked_at + self.n_looked_at / 8 {
            self.count_held(tick)?;
        }
        let (mut writer, mut growth) = (RunWriter::new(write, has_positions), Growth::default());
        sorted::write(&self.take_sorted(tick)?, &mut writer, &mut growth, self.n_threads, tick)?;
        let n_bytes = self.n_counted_bytes();
        let is_known = self.normalizer.is_none();
        self.growth.get_or_insert_with(|| if is_known { growth.points(n_bytes) } else { Vec::new() });
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
        let take = |share: &mut Share| Mutex::new(std::mem::replace(&mut share.table, Table::new()));
        let tables: Vec<_> = self.shares.iter_mut().map(take).collect();
        let sort = |table: &Mutex<Table>, _: Tick<'_>| {
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(std::mem::replace(&mut *table, Table::new()).into_sorted())
        };
        Ok(parallel::map(&tables, self.n_threads, sort, tick)?.into_iter().flatten().collect())
    }

    /// Counts what is sure of the text at hand, without waiting for more, and keeps the rest.
    pub fn count_held(&mut self, tick: Tick<'_>) -> Result<()> {
        let normalizer = self.normalizer.as_ref();
        let layers = normalizer.map(|normalizer| Layers { normalizer, chain: None });
        let cuts = Cuts { scanner: &self.scanner, policy: &self.policy, layers };
        let (parts, held, offset) = (self.documents.parts(cuts), self.documents.text(), self.documents.offset());
        let units = parallel::group(parts.iter().map(|part| part.end - part.start), UNIT_BYTES);
        let n_shares = self.n_threads.min(units.len()).max(1);
        self.shares.resize_with(self.shares.len().max(n_shares), Share::new);
        let (limit, before) = (self.limit, &self.before);
        let count = |share: &mut Share, unit: &Range<usize>, tick: Tick<'_>| {
            let mut reached = Reached::default();
            for part in &parts[unit.clone()] {
                let (text, offset) = (&held[part.start..part.end], offset + part.start as u64);
                let limited = limit.map(|limit| Limited::new(limit, before_part(part, before)));
                let mut sink = Counting { share, limited, offset, is_layered: normalizer.is_some() };
                let end = cuts.run(text, offset, part.closed, &mut sink, tick)?;
                (reached.end, reached.before) = (part.start + end, sink.done(text, end, part.closed));
                if let Some(normalizer) = normalizer
                    && share.changes.note(normalizer, cuts.policy, &text[..end], tick)?
                {
                    reached.changed.push(part.document);
                }
            }
            Ok(reached)
        };
        let mut units = parallel::map_with(&units, &mut self.shares[..n_shares], count, tick)?;
        self.note_changed(units.iter().flat_map(|reached| &reached.changed).copied().collect());
        let Reached { end, before, .. } = units.pop().unwrap_or_default();
        self.documents.take(end);
        self.before = before;
        self.n_looked_at = self.documents.text().len();
        Ok(())
    }

    /// Counts the documents at hand of which something was changed, by their numbers in order, perhaps several times.
    fn note_changed(&mut self, mut changed: Vec<usize>) {
        if self.is_open_changed {
            changed.insert(0, 0);
        }
        changed.dedup();
        let open = self.documents.is_open().then(|| self.documents.n_ended());
        self.is_open_changed = open.is_some() && changed.last().copied() == open;
        self.n_changed_docs += (changed.len() - usize::from(self.is_open_changed)) as u64;
    }
}

/// How far a unit came, and the documents of which something was changed.
#[derive(Debug, Default)]
struct Reached {
    end: usize,
    before: Before,
    changed: Vec<usize>,
}

/// What is known of the text before a part, if `before` is that of the text at hand.
fn before_part(part: &Part, before: &Before) -> Before {
    if part.document == 0 && part.start == 0 { before.clone() } else { Before::default() }
}

/// A table while it takes the pretokens of a text.
struct Counting<'a> {
    share: &'a mut Share,
    /// Finds the pretokens where they have a limit.
    limited: Option<Limited>,
    /// The place of the text in the corpus.
    offset: u64,
    /// Pieces are of normalized stretches, and not of the text.
    is_layered: bool,
}

impl Counting<'_> {
    /// What is known of the text before `text[end..]`, up to which all is counted; of a closed one nothing is left.
    fn done(self, text: &[u8], end: usize, closed: bool) -> Before {
        let Some(limited) = self.limited else { return Before::default() };
        self.share.n_cut += limited.n_cut();
        if closed || self.is_layered { Before::default() } else { limited.before(text, end) }
    }
}

impl Sink for Counting<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], _tick: Tick<'_>) -> Result<()> {
        self.share.table.add_all(text, start, ends, self.offset);
        Ok(())
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        if let Some(limited) = &mut self.limited {
            limited.begin_segment(hit.end);
        }
    }

    fn placed(&mut self, _place: &Place<'_>, _tick: Tick<'_>) -> Result<()> {
        if let Some(limited) = &mut self.limited {
            limited.begin_text();
        }
        Ok(())
    }

    fn has_own_scan(&self) -> bool {
        self.limited.is_some()
    }

    fn scan(
        &mut self,
        scanner: &Scanner,
        text: &[u8],
        range: Range<usize>,
        at_end: bool,
        ends: &mut Vec<usize>,
        tick: Tick<'_>,
    ) -> Result<usize> {
        match &mut self.limited {
            Some(limited) => limited.scan(scanner, text, range, at_end, ends, tick),
            None => scanner.scan(text, range.start, range.end, at_end, ends),
        }
    }
}
