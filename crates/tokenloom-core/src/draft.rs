//! A text that a step is changing.
//!
//! A step names the stretches that it replaces, in their order; all else is copied. Nothing is copied before the first
//! change, and where what was changed came from is noted only for those who ask.

use std::mem;
use std::ops::Range;

use crate::alignment::Alignment;

/// A text and its changes so far.
#[derive(Debug)]
pub struct Draft<'a> {
    source: &'a [u8],
    /// The changed text, once there is a change.
    text: Option<Vec<u8>>,
    alignment: Option<Alignment>,
    /// All of the source before this place is in the changed text.
    copied: usize,
    /// What became the same text again was not changed.
    keeps_equal: bool,
    /// The most bytes of the changed text, before it is over.
    most_bytes: usize,
    is_over: bool,
}

impl<'a> Draft<'a> {
    /// A text without a change, that may not become longer than `most_bytes`.
    pub fn new(source: &'a [u8], is_aligned: bool, most_bytes: usize) -> Self {
        let alignment = is_aligned.then(Alignment::default);
        Self { source, text: None, alignment, copied: 0, keeps_equal: true, most_bytes, is_over: false }
    }

    /// A text of which every change is noted, also one to the same text.
    pub fn noting_all(source: &'a [u8], most_bytes: usize) -> Self {
        Self { keeps_equal: false, ..Self::new(source, true, most_bytes) }
    }

    /// Whether the changed text would be too long. It is not written to any more then, and is of no use.
    pub fn is_over(&self) -> bool {
        let n_rest = self.source.len() - self.copied;
        self.is_over || self.text.as_ref().is_some_and(|text| n_rest > self.most_bytes.saturating_sub(text.len()))
    }

    /// Whether it notes where the changed text came from.
    pub fn is_aligned(&self) -> bool {
        self.alignment.is_some()
    }

    /// A stretch, which begins where the last one ended or later, becomes what `write` appends: no more than a few times
    /// the length of the stretch.
    pub fn replace(&mut self, range: Range<usize>, write: impl FnOnce(&mut Vec<u8>)) {
        self.put(range.clone(), range, 0, write);
    }

    /// A stretch becomes a text of any length.
    pub fn replace_by(&mut self, range: Range<usize>, text: &[u8]) {
        self.put(range.clone(), range, text.len(), |out| out.extend_from_slice(text));
    }

    /// Text is put in before a place; it stands with a stretch beside it, as if it came from there.
    pub fn put_in(&mut self, at: usize, beside: Range<usize>, text: &[u8]) {
        self.put(at..at, beside, text.len(), |out| out.extend_from_slice(text));
    }

    /// The whole text becomes another one, byte for byte.
    pub fn exchange(&mut self, text: Vec<u8>) {
        if let Some(alignment) = &mut self.alignment {
            alignment.copy(0..text.len());
        }
        (self.text, self.copied) = (Some(text), self.source.len());
    }

    /// Each byte of a stretch becomes another one, or stays.
    pub fn exchange_bytes(&mut self, range: Range<usize>, becomes: impl Fn(u8) -> u8) {
        self.put(range.start..range.start, range.start..range.start, 0, |_| {});
        let Some(text) = self.text.as_mut().filter(|_| !self.is_over) else { return };
        text.extend(self.source[range.clone()].iter().map(|byte| becomes(*byte)));
        if let Some(alignment) = &mut self.alignment {
            alignment.copy(range.clone());
        }
        self.copied = range.end;
    }

    /// The whole text becomes another one, of which it is known where it came from.
    pub fn become_text(&mut self, text: Vec<u8>, alignment: Alignment) {
        self.is_over |= text.len() > self.most_bytes;
        // Where it is asked where text came from, equal text may have come from elsewhere.
        if self.alignment.is_none() && self.keeps_equal && text == self.source {
            return;
        }
        if let Some(own) = &mut self.alignment {
            *own = alignment;
        }
        (self.text, self.copied) = (Some(text), self.source.len());
    }

    /// The most bytes that the changed text may have.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// It would have more.
    pub fn give_up(&mut self) {
        self.is_over = true;
    }

    /// The changed text, and where it came from if that was asked for; None if nothing was changed.
    pub fn finish(mut self) -> Option<(Vec<u8>, Alignment)> {
        let mut text = self.text?;
        text.extend_from_slice(&self.source[self.copied..]);
        let mut alignment = mem::take(&mut self.alignment).unwrap_or_default();
        alignment.copy(self.copied..self.source.len());
        Some((text, alignment))
    }

    /// `n_bytes` are written, or more that the stretch answers for.
    fn put(&mut self, range: Range<usize>, from: Range<usize>, n_bytes: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let text = self.text.get_or_insert_with(|| Vec::with_capacity(self.source.len()));
        let n_more = range.start - self.copied + n_bytes;
        self.is_over |= n_more > self.most_bytes.saturating_sub(text.len());
        if self.is_over {
            return;
        }
        text.extend_from_slice(&self.source[self.copied..range.start]);
        let (before, end) = (text.len(), range.end);
        write(text);
        if let Some(alignment) = &mut self.alignment {
            alignment.copy(self.copied..range.start);
            let written = &text[before..];
            let is_equal = |range| self.keeps_equal && *written == self.source[range];
            let is_copy = from == range && (written.len() == 1 && from.len() == 1 || is_equal(range));
            match is_copy {
                true => alignment.copy(from),
                false => alignment.replace(from, written.len()),
            }
        }
        self.copied = end;
    }
}
