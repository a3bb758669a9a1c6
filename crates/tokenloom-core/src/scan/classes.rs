//! Classes of characters: what a scanner needs to know about a character, in two table look-ups.
//!
//! The patterns of the pretokenizers ask for `\p{L}`, `\p{Lu}`, `\p{N}`, `\s` and the like. These sets are unions of
//! the eleven classes here, which no two characters share, so a scanner compares one small number instead of searching
//! ranges. The classes are those of Unicode 16.0 whatever compiler or regex crate is used: `tables_16.rs` is generated.
//!
//! Text is bytes. A byte that is part of no valid encoding is a character by itself, of no class, one byte long; thus
//! every byte string has exactly one reading and a scanner needs no separate path for damaged text.

use super::tables_16::{STAGE_1, STAGE_2};

/// Class of a character. Every scalar value, and every invalid byte, has exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    /// None of the following: controls that are not white, formats, unassigned and private code points, invalid bytes.
    Other,
    /// `\p{Lu}`
    UppercaseLetter,
    /// `\p{Ll}`
    LowercaseLetter,
    /// `\p{Lt}`
    TitlecaseLetter,
    /// `\p{Lm}`
    ModifierLetter,
    /// `\p{Lo}`
    OtherLetter,
    /// `\p{M}`
    Mark,
    /// `\p{N}`
    Number,
    /// `\s`, that is `\p{White_Space}`: includes line ends, U+0085 and U+00A0, but not U+200B.
    White,
    /// `\p{P}`
    Punctuation,
    /// `\p{S}`
    Symbol,
}

impl Class {
    /// In `\p{L}`.
    #[inline]
    pub const fn is_letter(self) -> bool {
        matches!(
            self,
            Class::UppercaseLetter
                | Class::LowercaseLetter
                | Class::TitlecaseLetter
                | Class::ModifierLetter
                | Class::OtherLetter
        )
    }

    /// In `\p{M}`.
    #[inline]
    pub const fn is_mark(self) -> bool {
        matches!(self, Class::Mark)
    }

    /// In `\p{N}`.
    #[inline]
    pub const fn is_number(self) -> bool {
        matches!(self, Class::Number)
    }

    /// In `\s`.
    #[inline]
    pub const fn is_white(self) -> bool {
        matches!(self, Class::White)
    }

    /// In `\p{P}`.
    #[inline]
    pub const fn is_punctuation(self) -> bool {
        matches!(self, Class::Punctuation)
    }

    /// In `\p{S}`.
    #[inline]
    pub const fn is_symbol(self) -> bool {
        matches!(self, Class::Symbol)
    }

    /// The class that a letter of the generated table stands for.
    const fn from_letter(letter: u8) -> Class {
        match letter {
            b'U' => Class::UppercaseLetter,
            b'l' => Class::LowercaseLetter,
            b'T' => Class::TitlecaseLetter,
            b'm' => Class::ModifierLetter,
            b'o' => Class::OtherLetter,
            b'M' => Class::Mark,
            b'N' => Class::Number,
            b'W' => Class::White,
            b'P' => Class::Punctuation,
            b'S' => Class::Symbol,
            _ => Class::Other,
        }
    }
}

/// The distinct blocks of the table. Filled up to 256, so that a block number, which is one byte, needs no bounds check.
static BLOCKS: [[Class; 128]; 256] = blocks();

/// Classes of the characters U+0000 to U+007F, indexed by byte.
pub static ASCII: [Class; 128] = blocks()[STAGE_1[0] as usize];

const fn blocks() -> [[Class; 128]; 256] {
    let mut blocks = [[Class::Other; 128]; 256];
    let mut block = 0;
    while block < STAGE_2.len() {
        let mut place = 0;
        while place < 128 {
            blocks[block][place] = Class::from_letter(STAGE_2[block][place]);
            place += 1;
        }
        block += 1;
    }
    blocks
}

/// Class of the character with this scalar value. Surrogates and numbers above 0x10FFFF are no characters: `Other`.
#[inline]
pub fn class_of(scalar: u32) -> Class {
    match STAGE_1.get((scalar >> 7) as usize) {
        Some(&block) => BLOCKS[block as usize][(scalar & 127) as usize],
        None => Class::Other,
    }
}

/// Gives all characters of a class, in their order.
pub fn each_of(class: Class, mut take: impl FnMut(u32)) {
    let has = BLOCKS.each_ref().map(|block| block.contains(&class));
    for (place, &block) in STAGE_1.iter().enumerate().filter(|(_, block)| has[usize::from(**block)]) {
        for (scalar, _) in (place as u32 * 128..).zip(&BLOCKS[usize::from(block)]).filter(|(_, other)| **other == class)
        {
            take(scalar);
        }
    }
}

/// Class and length in bytes of the character that starts at `position`, which must be less than `text.len()`.
///
/// A byte that does not begin a complete, valid encoding of a scalar value is one character of class `Other` and length
/// 1: a continuation byte alone, each byte of a truncated or overlong sequence or of a surrogate, `0xF5` and above.
/// At the end of a block of text, [`is_incomplete`] tells a sequence that is cut from one that is wrong.
#[inline(always)]
pub fn class_at(text: &[u8], position: usize) -> (Class, usize) {
    match text.get(position..) {
        Some(&[byte @ ..0x80, ..]) => (ASCII[byte as usize], 1),
        // U+5000 to U+9FFF are ideographs all: most of Chinese needs no table.
        Some([0xE5..=0xE9, 0x80..=0xBF, 0x80..=0xBF, ..]) => (Class::OtherLetter, 3),
        _ => match decode(text, position) {
            Some((scalar, length_bytes)) => (class_of(scalar), length_bytes),
            None => (Class::Other, 1),
        },
    }
}

/// Class and length in bytes of the character that ends at `position`, which is greater than 0.
pub fn class_before(text: &[u8], position: usize) -> (Class, usize) {
    if text[position - 1] < 0x80 {
        return (ASCII[text[position - 1] as usize], 1);
    }
    let ending = |start| match class_at(text, start) {
        (class, length) if start + length == position => Some((class, length)),
        _ => None,
    };
    (position.saturating_sub(4)..position - 1).find_map(ending).unwrap_or((Class::Other, 1))
}

/// The character that begins at `position`; None at the end and where a byte is part of no valid encoding.
pub fn character_at(text: &[u8], position: usize) -> Option<char> {
    match text.get(position)? {
        byte @ ..0x80 => Some(char::from(*byte)),
        _ => char::from_u32(decode(text, position)?.0),
    }
}

/// Scalar value and length in bytes of the valid sequence of two to four bytes at `position`, if there is one.
#[inline]
pub(crate) fn decode(text: &[u8], position: usize) -> Option<(u32, usize)> {
    let lead = u32::from(*text.get(position)?);
    let second = continuation(text, position + 1)?;
    if lead < 0xE0 {
        // 0xC0 and 0xC1 would be overlong, and lower bytes begin no sequence.
        return (lead >= 0xC2).then_some(((lead & 0x1F) << 6 | second, 2));
    }
    let third = continuation(text, position + 2)?;
    if lead < 0xF0 {
        let scalar = (lead & 0x0F) << 12 | second << 6 | third;
        let is_surrogate = scalar & 0xF800 == 0xD800;
        return (scalar >= 0x800 && !is_surrogate).then_some((scalar, 3));
    }
    let fourth = continuation(text, position + 3)?;
    // Four bits of the lead, not three: 0xF8 to 0xFF then give numbers that the range refuses.
    let scalar = (lead & 0x0F) << 18 | second << 12 | third << 6 | fourth;
    (0x1_0000..=0x10_FFFF).contains(&scalar).then_some((scalar, 4))
}

/// The scalar value of the character at `position` that is not ASCII; 0 for an invalid byte.
#[inline]
pub(super) fn scalar(text: &[u8], position: usize) -> u32 {
    decode(text, position).map_or(0, |(scalar, _)| scalar)
}

/// The six bits that the continuation byte at `position` carries, if there is one.
#[inline]
fn continuation(text: &[u8], position: usize) -> Option<u32> {
    match text.get(position) {
        Some(&byte) if byte & 0xC0 == 0x80 => Some(u32::from(byte & 0x3F)),
        _ => None,
    }
}

/// Whether the bytes from `position` to the end of `text` begin a valid UTF-8 sequence without completing it.
///
/// Then more text could make one character of them, so a scanner that reads blocks must wait. False when there are no
/// bytes, or when they contain a complete character or a byte that no continuation can make valid.
#[inline]
pub fn is_incomplete(text: &[u8], position: usize) -> bool {
    // Table 3-7 of the Unicode standard, "Well-Formed UTF-8 Byte Sequences", without the last byte of each row.
    let Some(rest) = text.get(position..) else {
        return false;
    };
    match *rest {
        [0xC2..=0xF4] => true,
        [lead, second] => may_follow(lead, second),
        [lead, second, 0x80..=0xBF] => lead >= 0xF0 && may_follow(lead, second),
        _ => false,
    }
}

/// Whether a valid sequence of three or four bytes may begin with these two.
const fn may_follow(lead: u8, second: u8) -> bool {
    match lead {
        0xE0 => matches!(second, 0xA0..=0xBF),
        0xED => matches!(second, 0x80..=0x9F),
        0xE1..=0xEF => matches!(second, 0x80..=0xBF),
        0xF0 => matches!(second, 0x90..=0xBF),
        0xF1..=0xF3 => matches!(second, 0x80..=0xBF),
        0xF4 => matches!(second, 0x80..=0x8F),
        _ => false,
    }
}
