//! BERT's words, as the pretokenizer BertPreTokenizer of `tokenizers` finds them: every punctuation character is a piece,
//! and so is every run of others between blanks. That one drops the blanks; here a run of them is a piece as well.
//! Chinese characters are set apart by the normalizer.
//!
//! Punctuation is what ASCII has of signs, and `\p{P}` of a version of Unicode that is older than the other tables: 107
//! characters are punctuation since, and two no longer. Measured with `tokenizers` 0.23.3 on every scalar value.

use super::classes::{self, Class};
use super::reader::{self, BLANK, LETTER, MARK, NUMBER, OTHER, Reader, SIGN, Set, Sets};

/// Words, blanks and punctuation.
pub enum Kinds {}

const WORD: Set = LETTER | MARK | NUMBER | (OTHER & !SIGN);
const PUNCTUATION: Set = SIGN;

impl Sets for Kinds {
    const CLASSES: [Set; 11] = reader::grouped(&[WORD, BLANK, PUNCTUATION]);
    const BYTES: &'static [Set; 256] = &reader::bytes(Self::CLASSES, BLANK);

    #[inline]
    fn wide(class: Class, text: &[u8], at: usize) -> Set {
        match class {
            Class::White => BLANK,
            Class::Punctuation if is_newer(classes::scalar(text, at)) => WORD,
            Class::Punctuation => PUNCTUATION,
            Class::Mark | Class::Symbol if NO_LONGER.contains(&classes::scalar(text, at)) => PUNCTUATION,
            _ => WORD,
        }
    }
}

/// No punctuation in Unicode 16.
const NO_LONGER: [u32; 2] = [0x166D, 0x111C9];

/// Punctuation in Unicode 16, but not here.
const NEWER: [(u32, u32); 39] = [
    (0x61D, 0x61D),
    (0x9FD, 0x9FD),
    (0xA76, 0xA76),
    (0xC77, 0xC77),
    (0xC84, 0xC84),
    (0x1B4E, 0x1B4F),
    (0x1B7D, 0x1B7F),
    (0x2E43, 0x2E4F),
    (0x2E52, 0x2E5D),
    (0x10D6E, 0x10D6E),
    (0x10EAD, 0x10EAD),
    (0x10F55, 0x10F59),
    (0x10F86, 0x10F89),
    (0x113D4, 0x113D5),
    (0x113D7, 0x113D8),
    (0x1144B, 0x1144F),
    (0x1145A, 0x1145B),
    (0x1145D, 0x1145D),
    (0x11660, 0x1166C),
    (0x116B9, 0x116B9),
    (0x1183B, 0x1183B),
    (0x11944, 0x11946),
    (0x119E2, 0x119E2),
    (0x11A3F, 0x11A46),
    (0x11A9A, 0x11A9C),
    (0x11A9E, 0x11AA2),
    (0x11B00, 0x11B09),
    (0x11BE1, 0x11BE1),
    (0x11C41, 0x11C45),
    (0x11C70, 0x11C71),
    (0x11EF7, 0x11EF8),
    (0x11F43, 0x11F4F),
    (0x11FFF, 0x11FFF),
    (0x12FF1, 0x12FF2),
    (0x16D6D, 0x16D6F),
    (0x16E97, 0x16E9A),
    (0x16FE2, 0x16FE2),
    (0x1E5FF, 0x1E5FF),
    (0x1E95E, 0x1E95F),
];

fn is_newer(scalar: u32) -> bool {
    let place = NEWER.partition_point(|(_, last)| *last < scalar);
    NEWER.get(place).is_some_and(|(first, _)| *first <= scalar)
}

/// What a character is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BertKind {
    /// Part of a word.
    Word,
    /// A blank.
    Blank,
    /// Punctuation.
    Sign,
}

/// What the character at a place is, and where it ends.
pub fn bert_kind(text: &[u8], at: usize) -> (BertKind, usize) {
    match Reader::<Kinds>::new(text, true).look(at) {
        Some((PUNCTUATION, next)) => (BertKind::Sign, next),
        Some((BLANK, next)) => (BertKind::Blank, next),
        Some((_, next)) => (BertKind::Word, next),
        None => (BertKind::Word, at + 1),
    }
}

/// Gives all characters that are punctuation.
pub fn bert_signs(mut take: impl FnMut(u32)) {
    for ascii in (0..128_u8).filter(|byte| byte.is_ascii_punctuation()) {
        take(u32::from(ascii));
    }
    let take_wide = |scalar: u32| {
        if scalar >= 128 && !is_newer(scalar) {
            take(scalar)
        }
    };
    classes::each_of(Class::Punctuation, take_wide);
    NO_LONGER.into_iter().for_each(take);
}

/// Whether the character at a place is punctuation, by the same tables.
pub fn is_punctuation(text: &[u8], at: usize) -> bool {
    Reader::<Kinds>::new(text, true).look(at).is_some_and(|(kind, _)| kind == PUNCTUATION)
}

/// Between two kinds.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    reader::is_between_sets::<Kinds>(text, position)
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end(reader: Reader<'_, Kinds>, at: usize) -> Option<usize> {
    match reader.look(at)? {
        (PUNCTUATION, next) => Some(next),
        (kind, next) => reader.run(next, kind),
    }
}
