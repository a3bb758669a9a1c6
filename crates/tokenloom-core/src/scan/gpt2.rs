//! GPT-2's pattern, by hand:
//! `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
//!
//! Every character is a letter, a number, a blank or something else, so a piece is a run of one kind, with one space
//! before it where there is one. Two rules are not runs: the contractions, and the blanks before a word, of which the
//! last stays behind (it may be the space of that word).

use super::classes::{self, Class};

/// The four kinds of character that the pattern tells apart, and the mark of a byte that needs a closer look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Number,
    White,
    Other,
    NotAscii,
}

const fn kind_of(class: Class) -> Kind {
    if class.is_letter() {
        Kind::Letter
    } else if class.is_number() {
        Kind::Number
    } else if class.is_white() {
        Kind::White
    } else {
        Kind::Other
    }
}

/// The kind of each byte: nearly every character of English and code is decided by one look here.
static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::NotAscii; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = kind_of(classes::ASCII[byte]);
        byte += 1;
    }
    kinds
};

/// See `Scanner::scan`.
pub fn scan(text: &[u8], start: usize, stop: usize, at_end: bool, ends: &mut Vec<usize>) -> usize {
    let mut position = start;
    while position < stop {
        let Some(end) = piece_end(text, position, at_end) else {
            break;
        };
        ends.push(end);
        position = end;
    }
    position
}

/// A word ends before a blank: no piece has a blank behind a character that is none, and what makes the piece before the
/// cut is over there, whether a blank follows or the text ends.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    position > 0
        && position < text.len()
        && KINDS[usize::from(text[position])] == Kind::White
        && kind_before(text, position) != Kind::White
}

/// The kind of the character that ends at `position`, which must be greater than 0.
fn kind_before(text: &[u8], position: usize) -> Kind {
    let last = KINDS[usize::from(text[position - 1])];
    if last != Kind::NotAscii {
        return last;
    }
    let character = |start| match classes::class_at(text, start) {
        (class, length) if start + length == position => Some(class),
        _ => None,
    };
    kind_of((position.saturating_sub(4)..position - 1).find_map(character).unwrap_or(Class::Other))
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
fn piece_end(text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    if text[at] == b'\'' {
        match contraction(text, at) {
            Contraction::Length(length) => return Some(at + length),
            Contraction::Unfinished if !at_end => return None,
            _ => {}
        }
    }
    let (kind, next) = character(text, at, at_end)?;
    if kind != Kind::White {
        return run_end(text, next, kind, at_end);
    }
    if text[at] == b' ' && next < text.len() {
        let (kind, after) = character(text, next, at_end)?;
        if kind != Kind::White {
            return run_end(text, after, kind, at_end);
        }
    }
    blanks_end(text, at, at_end)
}

enum Contraction {
    Length(usize),
    Unfinished,
    None,
}

/// Which contraction starts at the apostrophe `text[at]`.
#[inline]
fn contraction(text: &[u8], at: usize) -> Contraction {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some(b's' | b'd' | b'm' | b't'), _) => Contraction::Length(2),
        (Some(b'l'), Some(b'l')) | (Some(b'v' | b'r'), Some(b'e')) => Contraction::Length(3),
        (None, _) | (Some(b'l' | b'v' | b'r'), None) => Contraction::Unfinished,
        _ => Contraction::None,
    }
}

/// The kind of the character at `at` and where it ends; None where its bytes may not all be there yet.
#[inline]
fn character(text: &[u8], at: usize, at_end: bool) -> Option<(Kind, usize)> {
    match KINDS[usize::from(text[at])] {
        Kind::NotAscii => wide_character(text, at, at_end),
        kind => Some((kind, at + 1)),
    }
}

#[inline(never)]
fn wide_character(text: &[u8], at: usize, at_end: bool) -> Option<(Kind, usize)> {
    let (class, length) = classes::class_at(text, at);
    let unfinished = length == 1 && !at_end && classes::is_incomplete(text, at);
    (!unfinished).then(|| (kind_of(class), at + length))
}

/// The end of the run of one kind that has come as far as `from`.
#[inline]
fn run_end(text: &[u8], from: usize, kind: Kind, at_end: bool) -> Option<usize> {
    let mut end = from;
    loop {
        if kind == Kind::Letter {
            end = ascii_letters_end(text, end);
        }
        end += text[end..].iter().take_while(|byte| KINDS[usize::from(**byte)] == kind).count();
        match text.get(end) {
            None => return at_end.then_some(end),
            Some(byte) if byte.is_ascii() => return Some(end),
            Some(_) => {}
        }
        let (next_kind, next) = wide_character(text, end, at_end)?;
        if next_kind != kind {
            return Some(end);
        }
        end = next;
    }
}

/// The end of the run of ASCII letters from `from`, or a place before it where fewer than eight bytes are left.
///
/// Eight bytes at a time, and most words end within the first eight: no branch depends on the length of the word.
#[inline]
fn ascii_letters_end(text: &[u8], from: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let each = |byte: u8| u64::from_ne_bytes([byte; 8]);
    let mut end = from;
    while let Some(chunk) = text.get(end..end + 8).and_then(|chunk| chunk.first_chunk()) {
        let bytes = u64::from_le_bytes(*chunk);
        // Without its high bit and in lower case no byte can carry into the next one.
        let lower = (bytes & !HIGH) | each(0x20);
        let from_a = lower + each(0x80 - b'a');
        let past_z = lower + each(0x7F - b'z');
        let others = !(from_a & !past_z & !bytes) & HIGH;
        if others != 0 {
            return end + others.trailing_zeros() as usize / 8;
        }
        end += 8;
    }
    end
}

/// The end of a piece of blanks: all of them at the end of the text, all but the last before anything else.
fn blanks_end(text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    let (mut last, mut end) = (at, at);
    while end < text.len() {
        let (kind, next) = character(text, end, at_end)?;
        if kind != Kind::White {
            return Some(if last == at { end } else { last });
        }
        (last, end) = (end, next);
    }
    at_end.then_some(end)
}
