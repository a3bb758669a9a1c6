//! The ids of one long text that arrives in blocks, in one array.
//!
//! A block is cut at safe cuts and encoded by several threads; what more text could change stays behind for the next
//! block. Text is held no longer than that, so memory is that of the ids and of some blocks.

use crate::Tick;
use crate::batch::{Batch, Part};
use crate::documents::Documents;
use crate::error::Result;
use crate::pipeline::Pipeline;
use crate::specials::Policy;

/// Encodes a text as its blocks come. After an error it must not be used again.
#[derive(Debug)]
pub struct TextEncoder {
    policy: Policy,
    documents: Documents,
    batch: Batch,
}

impl TextEncoder {
    /// No text yet, and these ids before it.
    pub fn new(policy: Policy, before: Vec<u32>) -> Self {
        Self { policy, documents: Documents::new(0), batch: Batch { ids: before, ends: Vec::new() } }
    }

    /// Takes the next block of the text, which may be its last.
    pub fn push(
        &mut self,
        pipeline: &Pipeline,
        block: &[u8],
        is_last: bool,
        n_threads: usize,
        tick: Tick<'_>,
    ) -> Result<()> {
        self.documents.push(block);
        if is_last {
            self.documents.end();
        } else if self.documents.missing_bytes() > 0 {
            return Ok(());
        }
        let (held, offset) = (self.documents.text(), self.documents.offset());
        let cut = self.documents.parts(pipeline.cuts(&self.policy));
        let part = |part: &crate::documents::Part| Part {
            text: &held[part.start..part.end],
            offset: offset + part.start as u64,
            document: 0,
            closed: part.closed,
            is_last: false,
        };
        let parts: Vec<_> = cut.iter().map(part).collect();
        let reached =
            pipeline.encode_parts(&parts, &self.policy, n_threads, &mut self.batch, |fault, _| fault, tick)?;
        self.documents.take(cut.last().map_or(0, |last| last.start + reached));
        Ok(())
    }

    /// All ids.
    pub fn into_ids(self) -> Vec<u32> {
        self.batch.ids
    }
}
