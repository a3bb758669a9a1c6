//! What SentencePiece does to pieces when it makes text of them.

use std::collections::HashSet;

use super::MARK;
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

impl PieceRules {
    /// The text of pieces; None where it would have more than `most_bytes`.
    pub fn text<'a>(&self, pieces: impl Iterator<Item = &'a str>, most_bytes: usize) -> Option<String> {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let (mut is_start, mut has_dropped) = (true, false);
        for piece in pieces {
            if let Some(byte) = self.byte_of(piece) {
                bytes.push(byte);
                continue;
            }
            push_bytes(&mut bytes, &mut text);
            is_start &= !has_dropped && text.is_empty();
            has_dropped = self.push(piece, is_start, &mut text);
            if text.len() > most_bytes {
                return None;
            }
        }
        push_bytes(&mut bytes, &mut text);
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
        let digits = piece.strip_prefix("<0x")?.strip_suffix('>').filter(|_| self.byte_fallback)?;
        let is_digit = |digit: u8| digit.is_ascii_digit() || matches!(digit, b'A'..=b'F');
        let is_byte = digits.len() == 2 && digits.bytes().all(is_digit);
        if is_byte { u8::from_str_radix(digits, 16).ok() } else { None }
    }
}

/// Appends the characters of bytes, and forgets them.
fn push_bytes(bytes: &mut Vec<u8>, text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
    }
    bytes.clear();
}
