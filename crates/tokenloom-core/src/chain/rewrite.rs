//! Steps that change the text of pieces. Pieces that a change leaves stand side by side in a new text; what lay between
//! them is gone.

use std::borrow::Cow;

use super::step::Change;
use super::{Batch, Course, Piece};
use crate::alignment::Alignment;
use crate::byte_characters;
use crate::error::Result;
use crate::scan::classes;
use crate::spec::PrependScheme;

/// A new text, and where it came from if that is kept.
struct Rewriting<'t> {
    from: &'t [u8],
    text: Vec<u8>,
    alignment: Option<Alignment>,
}

impl Rewriting<'_> {
    /// Goes on with bytes as they are.
    fn copy(&mut self, start: usize, end: usize) {
        self.text.extend_from_slice(&self.from[start..end]);
        if let Some(alignment) = &mut self.alignment {
            alignment.copy(start..end);
        }
    }

    /// Goes on with bytes in the place of others.
    fn put(&mut self, start: usize, end: usize, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
        if let Some(alignment) = &mut self.alignment {
            alignment.replace(start..end, bytes.len());
        }
    }

    /// Puts bytes before a piece: they came from its first character.
    fn put_before(&mut self, piece: &Piece, bytes: &[u8]) {
        let (_, n_bytes) = classes::class_at(self.from, piece.start);
        self.put(piece.start, (piece.start + n_bytes).min(piece.end), bytes);
    }
}

impl<'t> Batch<'t> {
    /// The batch with changed pieces, as the step of this number changes them before it cuts. `lead` says where the text came from from
    /// which all batches are.
    pub(super) fn changed(self, number: usize, course: Course<'_>, lead: Option<&Alignment>) -> Result<Self> {
        match &course.chain.steps[number].change {
            Change::Nothing => Ok(self),
            Change::Space => {
                if self.pieces.iter().all(|piece| self.text[piece.start] == b' ') {
                    return Ok(self);
                }
                self.rewritten(number, course, |to, piece| {
                    if to.from[piece.start] != b' ' {
                        to.put_before(piece, b" ");
                    }
                    to.copy(piece.start, piece.end);
                })
            }
            Change::Metaspace(replacement, scheme) => {
                let n_first = match scheme {
                    PrependScheme::Always => self.pieces.len(),
                    PrependScheme::First => self.n_first(course.n_first_bytes, lead),
                    PrependScheme::Never => 0,
                };
                let mut n_before = 0;
                self.rewritten(number, course, |to, piece| {
                    let text = &to.from[piece.start..piece.end];
                    if n_before < n_first && text[0] != b' ' && !text.starts_with(replacement) {
                        to.put_before(piece, replacement);
                    }
                    n_before += 1;
                    let mut start = piece.start;
                    for at in (piece.start..piece.end).filter(|at| to.from[*at] == b' ').collect::<Vec<_>>() {
                        to.copy(start, at);
                        to.put(at, at + 1, replacement);
                        start = at + 1;
                    }
                    to.copy(start, piece.end);
                })
            }
        }
    }

    /// How many pieces came from the first character of the whole text.
    fn n_first(&self, n_first_bytes: usize, lead: Option<&Alignment>) -> usize {
        let origin = |alignment: Option<&Alignment>, at| alignment.map_or(at, |known| known.origin(at..at).start);
        let start = |piece: &Piece| origin(lead, origin(self.alignment.as_ref(), piece.start));
        self.pieces.iter().take_while(|piece| start(piece) < n_first_bytes).count()
    }

    /// The batch with each byte as GPT-2's character for it, as the step of this number writes it.
    pub(super) fn mapped(self, number: usize, course: Course<'_>) -> Result<Self> {
        self.rewritten(number, course, |to, piece| {
            for at in piece.start..piece.end {
                let (character, n_bytes) = byte_characters::character_of(to.from[at]);
                to.put(at, at + 1, &character[..n_bytes]);
            }
        })
    }

    /// The batch with its pieces side by side, and with bytes for GPT-2's characters if the model wants them.
    pub(super) fn joined(self, course: Course<'_>) -> Result<Self> {
        let behind = course.chain.steps.len();
        if course.chain.unmaps {
            return self.rewritten(behind, course, |to, piece| {
                let text = str::from_utf8(&to.from[piece.start..piece.end]).unwrap_or_default();
                for (at, character) in text.char_indices() {
                    if let Some(byte) = byte_characters::byte_of(character) {
                        let start = piece.start + at;
                        to.put(start, start + character.len_utf8(), &[byte]);
                    }
                }
            });
        }
        if self.pieces.windows(2).all(|pair| pair[0].end == pair[1].start) {
            return Ok(self);
        }
        self.rewritten(behind, course, |to, piece| to.copy(piece.start, piece.end))
    }

    /// A piece becomes a few times as long; the batch is given up where it is too long behind one.
    fn rewritten(
        self,
        number: usize,
        course: Course<'_>,
        mut write: impl FnMut(&mut Rewriting<'_>, &Piece),
    ) -> Result<Self> {
        let n_bytes = self.n_bytes();
        let text = Vec::with_capacity(n_bytes + n_bytes / 2);
        let mut to = Rewriting { from: &self.text, text, alignment: course.tracks.then(Alignment::default) };
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let start = to.text.len();
            write(&mut to, piece);
            if to.text.len() > course.most_bytes {
                return Err(course.fault(number));
            }
            if to.text.len() > start {
                pieces.push(Piece { start, end: to.text.len(), step: piece.step });
            }
        }
        let Rewriting { text, alignment, .. } = to;
        let alignment = match (self.alignment, alignment) {
            (Some(before), Some(after)) => Some(before.then(&after)),
            (_, after) => after,
        };
        Ok(Batch { text: Cow::Owned(text), pieces, alignment })
    }
}
