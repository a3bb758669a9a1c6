//! Many texts at once, and long ones in parts.
//!
//! A long text is cut at safe cuts, where neither a pretoken nor an added token is split, and each part is encoded as if
//! it were a text. The ids depend neither on the cuts nor on the number of threads.

use std::ops::Range;

use crate::driver::Cuts;
use crate::error::Result;
use crate::gather::Gathering;
use crate::memory;
use crate::pipeline::Pipeline;
use crate::specials::Policy;
use crate::{Tick, parallel};

/// The length of a part of a long text, and of the neighbouring short texts that are one unit of work. The ids of a unit
/// stay in the nearer caches until they are copied.
const UNIT_BYTES: usize = 128 << 10;

/// Room for ids is made as if no token had fewer bytes than this on average; it costs nothing before it is used.
const LEAST_TOKEN_BYTES: usize = 2;

/// Room for more ids is not made before they are there: a system may refuse so much at once.
const MOST_ROOM: usize = 1 << 30;

/// Ids of several documents in one array.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The ids of all documents, one after the other.
    pub ids: Vec<u32>,
    /// Where each document ends.
    pub ends: Vec<usize>,
}

/// A stretch of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub text: &'a [u8],
    /// The place of its first byte in what the caller takes for the text.
    pub offset: u64,
    /// The number of the document.
    pub document: usize,
    /// Its last pretoken ends with it, whatever follows.
    pub closed: bool,
    /// No part of its document follows.
    pub is_last: bool,
}

/// What a unit of work gives back beside ids.
#[derive(Default)]
struct Unit {
    n_ids: usize,
    /// Where documents end, counted from the first id of the unit.
    ends: Vec<usize>,
    /// How far the last part came.
    reached: usize,
}

impl Pipeline {
    /// The ids of many texts, on up to `n_threads` threads.
    pub fn encode_batch(&self, texts: &[&[u8]], policy: &Policy, n_threads: usize, tick: Tick<'_>) -> Result<Batch> {
        let cuts = self.cuts(policy);
        let mut parts = Vec::with_capacity(texts.len());
        for (document, text) in texts.iter().enumerate() {
            cut(cuts, text, document, &mut parts, tick)?;
        }
        let n_bytes: usize = texts.iter().map(|text| text.len()).sum();
        let ids = memory::with_large_pages(room(n_bytes));
        let mut batch = Batch { ids, ends: Vec::with_capacity(texts.len()) };
        let in_document = |fault: crate::Error, document| fault.in_document(document);
        self.encode_parts(&parts, policy, n_threads, &mut batch, in_document, tick)?;
        Ok(batch)
    }

    /// Appends the ids of parts, and says how far the last of them came.
    pub(crate) fn encode_parts(
        &self,
        parts: &[Part<'_>],
        policy: &Policy,
        n_threads: usize,
        batch: &mut Batch,
        name: impl Fn(crate::Error, usize) -> crate::Error + Sync,
        tick: Tick<'_>,
    ) -> Result<usize> {
        let sizes = parts.iter().map(|part| part.text.len());
        let n_bytes: usize = sizes.clone().sum();
        let units: Vec<_> = parallel::group(sizes, UNIT_BYTES).into_iter().enumerate().collect();
        batch.ids.reserve(room(n_bytes));
        let gathering = Gathering::new(batch.ids.spare_capacity_mut());
        let mut buffers = vec![Vec::new(); n_threads.clamp(1, units.len().max(1))];
        let work = |ids: &mut Vec<u32>, (place, range): &(usize, Range<usize>), tick: Tick<'_>| {
            ids.clear();
            let unit = self.encode_unit(&parts[range.clone()], policy, ids, &name, tick)?;
            gathering.put(*place, ids);
            Ok(unit)
        };
        let done = parallel::map_with(&units, &mut buffers, work, tick)?;
        let (n_placed, late) = gathering.finish();
        let mut base = batch.ids.len();
        // SAFETY: the gathering filled so many places behind those that were there.
        unsafe { batch.ids.set_len(base + n_placed) };
        for ids in late {
            batch.ids.extend_from_slice(&ids);
        }
        for unit in &done {
            batch.ends.extend(unit.ends.iter().map(|end| base + end));
            base += unit.n_ids;
        }
        Ok(done.last().map_or(0, |unit| unit.reached))
    }

    fn encode_unit(
        &self,
        parts: &[Part<'_>],
        policy: &Policy,
        ids: &mut Vec<u32>,
        name: impl Fn(crate::Error, usize) -> crate::Error,
        tick: Tick<'_>,
    ) -> Result<Unit> {
        let mut unit = Unit::default();
        ids.reserve(parts.iter().map(|part| part.text.len()).sum::<usize>() / 3);
        self.with_cache(|cache| {
            for part in parts {
                let reached =
                    self.cuts(policy).run(part.text, part.offset, part.closed, &mut self.sink(cache, ids), tick);
                unit.reached = reached.map_err(|fault| name(fault, part.document))?;
                if part.is_last {
                    unit.ends.push(ids.len());
                }
            }
            Ok(())
        })?;
        unit.n_ids = ids.len();
        Ok(unit)
    }
}

/// How much room is made for the ids of so many bytes.
fn room(n_bytes: usize) -> usize {
    (n_bytes / LEAST_TOKEN_BYTES + 1).min(MOST_ROOM)
}

/// Appends the parts of a text.
fn cut<'a>(cuts: Cuts<'_>, text: &'a [u8], document: usize, parts: &mut Vec<Part<'a>>, tick: Tick<'_>) -> Result<()> {
    let mut start = 0;
    loop {
        // Where text goes through layers it costs too much to say whether a place is a safe cut.
        let far = cuts.layers.is_none() && text.len() > start + 2 * UNIT_BYTES;
        let next = if far { next_cut(cuts, text, start + UNIT_BYTES, tick)? } else { None };
        let end = next.unwrap_or(text.len());
        let is_last = next.is_none();
        parts.push(Part { text: &text[start..end], offset: start as u64, document, closed: true, is_last });
        if is_last {
            return Ok(());
        }
        start = end;
    }
}

/// The first safe cut from a place on. A text without any is looked at to its end.
fn next_cut(cuts: Cuts<'_>, text: &[u8], from: usize, tick: Tick<'_>) -> Result<Option<usize>> {
    for start in (from..text.len()).step_by(UNIT_BYTES) {
        tick(0)?;
        let found = cuts.safe_cut_in(text, start..start + UNIT_BYTES, true);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
