//! Documents gathered from blocks, and cut into parts that can be worked on apart.
//!
//! A part is a small document, or a stretch of a large one between two places where no pretoken and no special token can
//! be split. Only the last part of a document that has not ended is open: more text may change what is at its end. What is
//! not taken of it stays, and must double before it is looked at again, so a text without any safe cut costs no more than
//! twice.

use crate::driver::Cuts;

/// The length of a part of a large document, and of the neighbouring small documents that are one unit of work.
pub const UNIT_BYTES: usize = 128 << 10;

/// Text that is not worked on yet: documents that have ended, and behind them perhaps one that has not.
#[derive(Debug)]
pub struct Documents {
    held: Vec<u8>,
    /// Where documents end in `held`.
    ends: Vec<usize>,
    /// A document has begun and not ended. What is held of it may be nothing.
    is_open: bool,
    /// The place of `held[0]` in all text so far.
    offset: u64,
    /// Enough text to begin work.
    least_bytes: usize,
    /// When `held` is this long it is worth a look.
    ready_at: usize,
}

/// A stretch of the text at hand that is worked on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its last pretoken ends with it, whatever follows.
    pub closed: bool,
    /// Which of the documents at hand it belongs to, from 0.
    pub document: usize,
    /// Where the text at hand of that document begins.
    pub document_start: usize,
    /// No part of its document follows in the text at hand.
    pub is_last: bool,
}

impl Documents {
    /// No text yet. Less than `least_bytes` is not worth a look before the end.
    pub fn new(least_bytes: usize) -> Self {
        let (held, ends) = (Vec::new(), Vec::new());
        Self { held, ends, is_open: false, offset: 0, least_bytes, ready_at: least_bytes }
    }

    /// Appends to the document that is open, or begins one.
    pub fn push(&mut self, block: &[u8]) {
        if self.held.capacity() - self.held.len() < block.len() {
            // Not more than will be looked at: what is held may be large.
            self.held.reserve_exact(block.len().max(self.missing_bytes()));
        }
        self.held.extend_from_slice(block);
        self.is_open = true;
    }

    /// Ends the document that is open.
    pub fn end(&mut self) {
        if self.is_open {
            self.ends.push(self.held.len());
            self.is_open = false;
        }
    }

    /// Whether a document has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The number of documents at hand that have ended.
    pub fn n_ended(&self) -> usize {
        self.ends.len()
    }

    /// The text at hand.
    pub fn text(&self) -> &[u8] {
        &self.held
    }

    /// The place of the text at hand in all text so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes are missing before the text at hand is worth a look.
    pub fn missing_bytes(&self) -> usize {
        self.ready_at.saturating_sub(self.held.len())
    }

    /// Forgets the text that has been worked on: all documents that have ended, and `n_bytes` in all.
    pub fn take(&mut self, n_bytes: usize) {
        self.held.drain(..n_bytes);
        self.offset += n_bytes as u64;
        self.ends.clear();
        self.ready_at = self.least_bytes.max(self.held.len() * 2);
        if self.held.capacity() / 4 > self.ready_at {
            self.held.shrink_to(self.ready_at);
        }
    }

    /// The most memory that text, and what cuts it, takes while so many bytes more come.
    pub fn memory_bytes(&self, n_more: usize) -> usize {
        let (n_bytes, room) = (self.held.len() + n_more, self.held.capacity());
        let held = if n_bytes > room { n_bytes * 2 } else { room };
        held + self.ends.capacity() * size_of::<usize>() * 2 + self.ends.len() * size_of::<Part>() * 2
    }

    /// Cuts the text at hand at the ends of documents, and long documents at safe cuts. Every document has a part, even
    /// if it is empty.
    pub fn parts(&self, cuts: Cuts<'_>) -> Vec<Part> {
        let (mut parts, mut document_start) = (Vec::new(), 0);
        let open_end = self.is_open.then_some(self.held.len());
        for (document, &document_end) in self.ends.iter().chain(&open_end).enumerate() {
            let (text, ended) = (&self.held[document_start..document_end], document < self.ends.len());
            let mut start = document_start;
            loop {
                let cut = cuts.next_safe_cut(text, start - document_start + UNIT_BYTES, ended);
                let end = cut.map_or(document_end, |at| document_start + at);
                let (closed, is_last) = (ended || cut.is_some(), cut.is_none());
                parts.push(Part { start, end, closed, document, document_start, is_last });
                if is_last {
                    break;
                }
                start = end;
            }
            document_start = document_end;
        }
        parts
    }
}
