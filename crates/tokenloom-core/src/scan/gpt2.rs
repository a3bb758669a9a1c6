//! GPT-2's pattern, by hand:
//! `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
//!
//! Every character is a letter, a number, a blank or something else, so a piece is a run of one kind, with one space
//! before it where there is one. Two rules are not runs: the contractions, and the blanks before a word, of which the
//! last stays behind (it may be the space of that word).
//!
//! StarCoder's chain cuts out every number first, and leaves the stretches between them to GPT-2's pattern: there a number
//! is the end of the text.

use super::classes::Class;
use super::reader::{self, END, LETTER, NUMBER, OTHER, Reader, Set, Sets, WHITE};

/// Letters, numbers, blanks and everything else.
pub enum Kinds {}

impl Sets for Kinds {
    const CLASSES: [Set; 11] = reader::grouped(&[LETTER, NUMBER, WHITE, OTHER]);
    const BYTES: &'static [Set; 256] = &reader::bytes(Self::CLASSES, WHITE);
}

/// The same without numbers.
pub enum Numberless {}

impl Sets for Numberless {
    const CLASSES: [Set; 11] = {
        let mut sets = Kinds::CLASSES;
        sets[Class::Number as usize] = END;
        sets
    };
    const BYTES: &'static [Set; 256] = &reader::bytes(Self::CLASSES, WHITE);
}

/// A word ends before a blank: no piece has a blank behind a character that is none, and what makes the piece before the
/// cut is over there, whether a blank follows or the text ends.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    position > 0
        && position < text.len()
        && Kinds::BYTES[usize::from(text[position])] == WHITE
        && !reader::class_before(text, position).is_white()
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end<S: Sets>(reader: Reader<'_, S>, at: usize) -> Option<usize> {
    let text = reader.text;
    if text[at] == b'\'' {
        match contraction(text, at) {
            Contraction::Length(length) => return Some(at + length),
            Contraction::Unfinished if !reader.at_end => return None,
            _ => {}
        }
    }
    // A number on its own, or the end of a stretch, where numbers are in no set. In a text they are, no set is empty.
    let is_end = |kind| S::CLASSES[Class::Number as usize] == END && kind == END;
    let (kind, next) = reader.look(at)?;
    if kind & WHITE == 0 {
        return if is_end(kind) { Some(next) } else { reader.run(next, kind) };
    }
    if text[at] == b' ' && next < text.len() {
        let (second, after) = reader.look(next)?;
        if second & WHITE == 0 && !is_end(second) {
            return reader.run(after, second);
        }
    }
    reader.white_end(at, false)
}

pub enum Contraction {
    Length(usize),
    Unfinished,
    None,
}

/// Which contraction starts at the apostrophe `text[at]`.
#[inline]
pub fn contraction(text: &[u8], at: usize) -> Contraction {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some(b's' | b'd' | b'm' | b't'), _) => Contraction::Length(2),
        (Some(b'l'), Some(b'l')) | (Some(b'v' | b'r'), Some(b'e')) => Contraction::Length(3),
        (None, _) | (Some(b'l' | b'v' | b'r'), None) => Contraction::Unfinished,
        _ => Contraction::None,
    }
}
