//! Cuts that the model allows and no pretokenizer asks for: before words, and where their kind of character ends.
//!
//! Tried is each place before a space behind another character, and each between two characters of which one is a letter
//! and the other a number or a sign; a character outside ASCII counts as a letter. There the text is cut if no token holds the
//! bytes on both sides side by side ([`Borders`]): other places would cost more to try than they save.

use crate::bpe::borders::Borders;

/// What counts as one run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Number,
    Space,
    Other,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b' ' => Kind::Space,
        b'0'..=b'9' => Kind::Number,
        b'A'..=b'Z' | b'a'..=b'z' | 0x80.. => Kind::Letter,
        _ => Kind::Other,
    }
}

/// Whether a piece may begin at a place, which lies in the text.
#[inline]
pub fn is_start(borders: &Borders, before: u8, behind: u8) -> bool {
    let (left, right) = (kind(before), kind(behind));
    left != right && left != Kind::Space && !borders.may_span(before, behind)
}

/// Before a space behind another character, with no token over it.
pub fn is_safe_cut(borders: &Borders, text: &[u8], position: usize) -> bool {
    let around = position.checked_sub(1).and_then(|before| Some((*text.get(before)?, *text.get(position)?)));
    borders.cuts_texts && around.is_some_and(|(before, behind)| behind == b' ' && is_start(borders, before, behind))
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end(borders: &Borders, text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    let next = text[at..].windows(2).position(|pair| is_start(borders, pair[0], pair[1]));
    match next {
        Some(n_bytes) => Some(at + n_bytes + 1),
        None => at_end.then_some(text.len()),
    }
}
