//! What SentencePiece does to pieces when it makes text of them.

use std::collections::HashSet;

use super::MARK;
use crate::byte_tokens::byte_of;
use crate::spec::DroppedBlanks;

/// How pieces become text.
///
/// Marks become blanks, of which those at the start of the text may be dropped; neighbouring pieces of bytes become the
/// characters of these bytes, or U+FFFD for each that is in none; control symbols become nothing, the unknown piece a text.
/// Source: `SentencePieceProcessor::Decode` of google/sentencepiece.
#[derive(Debug)]
pub struct PieceRules {
    /// The unknown piece.
    pub unknown: String,
    /// What it becomes.
    pub unknown_surface: String,
    /// Pieces that become nothing.
    pub control: HashSet<String>,
    /// Whether `<0x00>` to `<0xFF>` are bytes.
    pub byte_fallback: bool,
    /// Blanks that are dropped.
    pub drops_blanks: DroppedBlanks,
}

/// What was seen of pieces so far.
#[derive(Clone, Debug, Default)]
pub struct PieceState {
    /// Bytes of the last pieces.
    bytes: Vec<u8>,
    /// There is text, or the blank before it was dropped.
    has_begun: bool,
}

impl PieceRules {
    /// The text of pieces; None where it would have more than `most_bytes`.
    pub fn text<'a>(&self, pieces: impl Iterator<Item = &'a str>, most_bytes: usize) -> Option<String> {
        let mut state = PieceState::default();
        let text = self.next_text(&mut state, pieces, most_bytes)?;
        let rest = state.finish();
        (rest.len() <= most_bytes - text.len()).then(|| text + &rest)
    }

    /// The text of the next pieces, without that of the bytes at their end; None where it would have more than
    /// `most_bytes`.
    pub fn next_text<'a>(
        &self,
        state: &mut PieceState,
        pieces: impl Iterator<Item = &'a str>,
        most_bytes: usize,
    ) -> Option<String> {
        let mut text = String::new();
        for piece in pieces {
            if let Some(byte) = self.byte_of(piece) {
                state.bytes.push(byte);
                continue;
            }
            state.push_bytes(0, &mut text);
            state.has_begun |= !text.is_empty();
            state.has_begun |= self.push(piece, !state.has_begun, &mut text);
            if text.len() > most_bytes {
                return None;
            }
        }
        state.push_bytes(unfinished(&state.bytes), &mut text);
        state.has_begun |= !text.is_empty();
        (text.len() <= most_bytes).then_some(text)
    }

    /// Appends the text of a piece. Whether the one blank was dropped that was put before the text.
    fn push(&self, piece: &str, is_start: bool, text: &mut String) -> bool {
        if piece == self.unknown {
            text.push_str(&self.unknown_surface);
            return false;
        }
        if self.control.contains(piece) {
            return false;
        }
        let mark = str::from_utf8(MARK).unwrap_or_default();
        let may_drop = is_start && self.drops_blanks != DroppedBlanks::None;
        let dropped = piece.strip_prefix(mark).filter(|_| may_drop);
        for (place, part) in dropped.unwrap_or(piece).split(mark).enumerate() {
            text.push_str(if place > 0 { " " } else { "" });
            text.push_str(part);
        }
        dropped.is_some() && self.drops_blanks == DroppedBlanks::First
    }

    /// The byte that a piece stands for.
    fn byte_of(&self, piece: &str) -> Option<u8> {
        if self.byte_fallback { byte_of(piece.as_bytes()) } else { None }
    }
}

impl PieceState {
    /// The text of the bytes at the end of all pieces; the state is then as new.
    pub fn finish(&mut self) -> String {
        let mut text = String::new();
        self.push_bytes(0, &mut text);
        *self = Self::default();
        text
    }

    /// Appends the characters of bytes, and forgets them, all but some at the end.
    fn push_bytes(&mut self, n_kept: usize, text: &mut String) {
        let rest = self.bytes.split_off(self.bytes.len() - n_kept);
        for chunk in std::mem::replace(&mut self.bytes, rest).utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
        }
    }
}

/// How many bytes at the end may begin a character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    if str::from_utf8(last).is_err_and(|error| error.error_len().is_none()) { last.len() } else { 0 }
}
