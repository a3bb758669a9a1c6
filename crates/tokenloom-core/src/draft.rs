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
}

impl<'a> Draft<'a> {
    /// A text without a change.
    pub fn new(source: &'a [u8], is_aligned: bool) -> Self {
        Self { source, text: None, alignment: is_aligned.then(Alignment::default), copied: 0, keeps_equal: true }
    }

    /// A text of which every change is noted, also one to the same text.
    pub fn noting_all(source: &'a [u8]) -> Self {
        Self { keeps_equal: false, ..Self::new(source, true) }
    }

    /// Whether it notes where the changed text came from.
    pub fn is_aligned(&self) -> bool {
        self.alignment.is_some()
    }

    /// A stretch, which begins where the last one ended or later, becomes what `write` appends.
    pub fn replace(&mut self, range: Range<usize>, write: impl FnOnce(&mut Vec<u8>)) {
        self.put(range.clone(), range, write);
    }

    /// Text is put in before a place; it stands with a stretch beside it, as if it came from there.
    pub fn put_in(&mut self, at: usize, beside: Range<usize>, text: &[u8]) {
        self.put(at..at, beside, |out| out.extend_from_slice(text));
    }

    /// The whole text becomes another one, byte for byte.
    pub fn exchange(&mut self, text: Vec<u8>) {
        if let Some(alignment) = &mut self.alignment {
            alignment.copy(0..text.len());
        }
        (self.text, self.copied) = (Some(text), self.source.len());
    }

    /// The changed text, and where it came from if that was asked for; None if nothing was changed.
    pub fn finish(mut self) -> Option<(Vec<u8>, Alignment)> {
        let mut text = self.text?;
        text.extend_from_slice(&self.source[self.copied..]);
        let mut alignment = mem::take(&mut self.alignment).unwrap_or_default();
        alignment.copy(self.copied..self.source.len());
        Some((text, alignment))
    }

    fn put(&mut self, range: Range<usize>, from: Range<usize>, write: impl FnOnce(&mut Vec<u8>)) {
        let text = self.text.get_or_insert_with(|| Vec::with_capacity(self.source.len()));
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
