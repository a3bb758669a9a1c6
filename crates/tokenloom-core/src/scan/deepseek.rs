//! The chain of three patterns of DeepSeek-V3, by hand. Each cuts the stretches that the one before it left:
//! 1. `\p{N}{1,3}`
//! 2. `[一-龥぀-ゟ゠-ヿ]+`, Chinese and Japanese
//! 3. ``[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+``
//!    (`[!-/:-~]` without letters)
//!
//! To the third pattern a stretch is a text of its own: its end is an end, and no rule looks behind it. So what belongs to
//! another stretch is in no set. The third pattern also cuts Japanese, which has marks and signs of its own. What no
//! pattern takes (characters that are no letter, mark, sign or blank) is a piece, up to the last of them where that
//! begins a word.

use super::classes::{self, Class};
use super::reader::{self, BLANK, EACH, END, LETTER, LINE_END, MARK, NUMBER, Reader, SIGN, Set, Sets};

/// What the second pattern leaves: all but numbers, Chinese and Japanese.
enum Rest {}

impl Sets for Rest {
    const CLASSES: [Set; 11] = {
        let mut sets = EACH;
        sets[Class::Number as usize] = END;
        sets
    };
    const IDEOGRAPHS: Set = END;

    #[inline]
    fn wide(class: Class, text: &[u8], at: usize) -> Set {
        if is_cjk(text, at) { END } else { Self::CLASSES[class as usize] }
    }
}

/// What the second pattern takes.
enum Cjk {}

impl Sets for Cjk {
    const CLASSES: [Set; 11] = EACH;
    const BYTES: &'static [Set; 256] = &reader::bytes([END; 11], END);
    // Those from U+9FA6 on are not.
    const IDEOGRAPHS: Set = END;

    #[inline]
    fn wide(class: Class, text: &[u8], at: usize) -> Set {
        if is_cjk(text, at) { EACH[class as usize] } else { END }
    }
}

/// A whole character from U+4E00 to U+9FA5 or U+3040 to U+30FF. UTF-8 has the order of the scalar values.
#[inline]
pub fn is_cjk(text: &[u8], at: usize) -> bool {
    match text[at..] {
        [0xE3, 0x81..=0x83, 0x80..=0xBF, ..] => true,
        [0xE4, 0xB8..=0xBF, 0x80..=0xBF, ..] | [0xE5..=0xE8, 0x80..=0xBF, 0x80..=0xBF, ..] => true,
        [0xE9, second @ 0x80..=0xBE, third @ 0x80..=0xBF, ..] => second < 0xBE || third <= 0xA5,
        _ => false,
    }
}

const WORD: Set = LETTER | MARK;
const UNTAKEN: Set = reader::bit(Class::Other);

/// Between runs, unless what follows is a mark behind a letter.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    reader::is_between_runs(text, position) && reader::class_behind(text, position) != Some(Class::Mark)
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end(text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    let rest = Reader::<Rest>::new(text, at_end);
    let (kind, next) = rest.look(at)?;
    if kind != END {
        return third_end(rest, at, kind, next);
    }
    let (class, _) = classes::class_at(text, at);
    if class == Class::Number {
        return Reader::<Numbers>::new(text, at_end).run_of_at_most(next, NUMBER, 3);
    }
    third_end(Reader::<Cjk>::new(text, at_end), at, EACH[class as usize], next)
}

/// Numbers as they are.
enum Numbers {}

impl Sets for Numbers {
    const CLASSES: [Set; 11] = EACH;
}

/// The end of the piece by the third pattern, which begins with a character of the set `kind` that ends at `next`.
#[inline]
fn third_end<S: Sets>(reader: Reader<'_, S>, at: usize, kind: Set, next: usize) -> Option<usize> {
    if kind & WORD != 0 {
        return reader.run(next, WORD);
    }
    if kind & SIGN != 0 {
        if reader.text[at].is_ascii() && reader.byte(next)?.is_ascii_alphabetic() {
            let letters = reader.text[next..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            return reader.byte(next + letters).map(|_| next + letters);
        }
        return reader.run(reader.run(next, SIGN)?, LINE_END);
    }
    if kind == LINE_END {
        return reader.white_end(at, false);
    }
    let (second, after) = reader.look(next)?;
    match kind {
        _ if second & WORD != 0 => reader.run(after, WORD),
        BLANK if reader.text[at] == b' ' && second & SIGN != 0 => reader.run(reader.run(after, SIGN)?, LINE_END),
        BLANK => reader.white_end(at, false),
        _ => untaken_end(reader, at),
    }
}

/// The end of what no rule takes: the last of it stays behind where it begins a word.
fn untaken_end<S: Sets>(reader: Reader<'_, S>, at: usize) -> Option<usize> {
    let (mut last, mut end) = (at, at);
    loop {
        let (kind, next) = reader.look(end)?;
        if kind & UNTAKEN == 0 {
            return Some(if kind & WORD != 0 { last } else { end });
        }
        (last, end) = (end, next);
    }
}
