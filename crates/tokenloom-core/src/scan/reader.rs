//! Reads characters as sets: what the families of scanners share.
//!
//! A family names its sets of characters once, as bits, in [`Sets`]; a rule of its pattern is then a look at one
//! character or a run over a set. Every look behind the text at hand is an answer of its own: the end of the text, which
//! is in no set, or `None` where more text may follow. So a rule that takes what it is told never decides too early.

use super::classes::{self, Class};

/// Some classes of characters, one bit each.
pub type Set = u16;

/// No character: the end of the text, or of the stretch of it that a chain of patterns looks at.
pub const END: Set = 0;

/// Bits of the classes. A line end is white, but not blank.
pub const fn bit(class: Class) -> Set {
    1 << class as u16
}

/// `\p{Lu}` and `\p{Lt}`
pub const UPPER: Set = bit(Class::UppercaseLetter) | bit(Class::TitlecaseLetter);
/// `\p{Ll}`
pub const LOWER: Set = bit(Class::LowercaseLetter);
/// `\p{Lm}` and `\p{Lo}`
pub const CASELESS: Set = bit(Class::ModifierLetter) | bit(Class::OtherLetter);
/// `\p{L}`
pub const LETTER: Set = UPPER | LOWER | CASELESS;
/// `\p{M}`
pub const MARK: Set = bit(Class::Mark);
/// `\p{N}`
pub const NUMBER: Set = bit(Class::Number);
/// `[\r\n]`
pub const LINE_END: Set = 1 << 11;
/// `\s` without line ends
pub const BLANK: Set = bit(Class::White);
/// `\s`
pub const WHITE: Set = BLANK | LINE_END;
/// `\p{P}` and `\p{S}`
pub const SIGN: Set = bit(Class::Punctuation) | bit(Class::Symbol);
/// `[^\s\p{L}\p{N}]`
pub const OTHER: Set = bit(Class::Other) | MARK | SIGN;
/// A bit that a family may give a meaning.
pub const EXTRA: Set = 1 << 12;
/// A byte that is no character by itself.
const WIDE: Set = 1 << 15;

/// The sets that a family tells apart. ASCII letters are in the same ones, as far as they are of the same case.
pub trait Sets {
    /// The set of each class, in the order of `Class`.
    const CLASSES: [Set; 11];
    /// The sets of the single bytes.
    const BYTES: &'static [Set; 256] = &bytes(Self::CLASSES, LINE_END);
    /// The set that the ideographs from U+4E00 to U+9FFF are all in; `END` if they are not in one.
    const IDEOGRAPHS: Set = Self::CLASSES[Class::OtherLetter as usize];

    /// The set of the character at a place, which is not ASCII, or of an invalid byte.
    #[inline(always)]
    fn wide(class: Class, _text: &[u8], _at: usize) -> Set {
        Self::CLASSES[class as usize]
    }
}

/// Every class for itself, and line ends.
pub const EACH: [Set; 11] = {
    let mut sets = [0; 11];
    let mut class = 0;
    while class < 11 {
        sets[class] = 1 << class;
        class += 1;
    }
    sets
};

/// Classes in groups: a character is in all of its group, so that a run over its set is a run over the group.
pub const fn grouped(groups: &[Set]) -> [Set; 11] {
    let mut sets = EACH;
    let mut class = 0;
    while class < 11 {
        let mut group = 0;
        while group < groups.len() {
            if groups[group] & EACH[class] != 0 {
                sets[class] = groups[group];
            }
            group += 1;
        }
        class += 1;
    }
    sets
}

/// The sets of single bytes, of which line ends have their own.
pub const fn bytes(classes: [Set; 11], line_end: Set) -> [Set; 256] {
    let mut sets = [WIDE; 256];
    let mut byte = 0;
    while byte < 128 {
        sets[byte] = classes[classes::ASCII[byte] as usize];
        byte += 1;
    }
    sets[b'\r' as usize] = line_end;
    sets[b'\n' as usize] = line_end;
    sets
}

/// A text whose characters are read as sets.
#[derive(Debug)]
pub struct Reader<'a, S> {
    pub text: &'a [u8],
    /// No text follows.
    pub at_end: bool,
    sets: std::marker::PhantomData<S>,
}

impl<S> Clone for Reader<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Reader<'_, S> {}

impl<'a, S: Sets> Reader<'a, S> {
    pub fn new(text: &'a [u8], at_end: bool) -> Self {
        Self { text, at_end, sets: std::marker::PhantomData }
    }

    /// The set of the character at `at` and where it ends; `END` at the end of the text.
    #[inline(always)]
    pub fn look(self, at: usize) -> Option<(Set, usize)> {
        match self.text.get(at) {
            None => self.at_end.then_some((END, at)),
            Some(&byte) => match S::BYTES[usize::from(byte)] {
                WIDE => look_wide::<S>(self.text, at, self.at_end),
                set => Some((set, at + 1)),
            },
        }
    }

    /// The byte at `at`; 0 at the end of the text.
    #[inline]
    pub fn byte(self, at: usize) -> Option<u8> {
        match self.text.get(at) {
            None => self.at_end.then_some(0),
            byte => byte.copied(),
        }
    }

    /// The end of the run over a set that has come as far as `from`.
    #[inline(always)]
    pub fn run(self, from: usize, set: Set) -> Option<usize> {
        let (mut end, mut next_try) = (from, from);
        loop {
            if S::BYTES[usize::from(b'a')] & set != 0 {
                let fold = if S::BYTES[usize::from(b'A')] & set != 0 { 0x20 } else { 0 };
                end = ascii_letters_end(self.text, end, fold);
            }
            end += self.text[end..].iter().take_while(|byte| S::BYTES[usize::from(**byte)] & set != 0).count();
            match self.text.get(end) {
                None => return self.at_end.then_some(end),
                Some(byte) if byte.is_ascii() => return Some(end),
                Some(0xE4..=0xE9) if S::IDEOGRAPHS & set != 0 && end >= next_try => {
                    next_try = end + IDEOGRAPHS_BYTES;
                    end = ideographs_end(self.text, end);
                    if end >= next_try {
                        continue;
                    }
                }
                Some(_) => {}
            }
            let (next_set, next) = look_wide::<S>(self.text, end, self.at_end)?;
            if next_set & set == 0 {
                return Some(end);
            }
            end = next;
        }
    }

    /// The end of `set{1,most}`, of which one character ends at `from`.
    #[inline]
    pub fn run_of_at_most(self, from: usize, set: Set, most: u8) -> Option<usize> {
        let mut end = from;
        for _ in 1..most {
            let (next_set, next) = self.look(end)?;
            if next_set & set == 0 {
                break;
            }
            end = next;
        }
        Some(end)
    }

    /// The end of the white characters at `at` by `\s*[\r\n]+|\s+(?!\S)|\s+`: they go to the last line end, or else all
    /// but the last, which may belong to what follows. With `whole_end`, as by `\s+$` before these, all of them at the
    /// end of the text.
    #[inline(never)]
    pub fn white_end(self, at: usize, whole_end: bool) -> Option<usize> {
        let (mut last, mut end, mut line_end) = (at, at, at);
        loop {
            // Indents, and lines that are nothing else.
            while self.text[end..].starts_with(&[b' '; 8]) {
                (last, end) = (end + 7, end + 8);
            }
            let (set, next) = self.look(end)?;
            if set & WHITE == 0 {
                return Some(match set {
                    END if whole_end => end,
                    _ if line_end > at => line_end,
                    END => end,
                    _ if last > at => last,
                    _ => end,
                });
            }
            if set == LINE_END {
                line_end = next;
            }
            (last, end) = (end, next);
        }
    }
}

/// As `Reader::look`, for a character that is not ASCII.
#[inline(always)]
fn look_wide<S: Sets>(text: &[u8], at: usize, at_end: bool) -> Option<(Set, usize)> {
    let (set, next) = wide_or_zero::<S>(text, at, at_end);
    (next > 0).then_some((set, next))
}

/// The same with a 0 in place of `None`: so the result fits two registers.
#[inline(never)]
fn wide_or_zero<S: Sets>(text: &[u8], at: usize, at_end: bool) -> (Set, usize) {
    let (class, length) = classes::class_at(text, at);
    let unfinished = length == 1 && !at_end && classes::is_incomplete(text, at);
    if unfinished { (END, 0) } else { (S::wide(class, text, at), at + length) }
}

/// The end of the run of ASCII letters from `from`, or a place before it where fewer than eight bytes are left. With
/// `fold` 0x20 all letters count, with 0 only small ones.
///
/// Eight bytes at a time, and most words end within the first eight: no branch depends on the length of the word.
#[inline]
fn ascii_letters_end(text: &[u8], from: usize, fold: u8) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let each = |byte: u8| u64::from_ne_bytes([byte; 8]);
    let mut end = from;
    while let Some(chunk) = text.get(end..end + 8).and_then(|chunk| chunk.first_chunk()) {
        let bytes = u64::from_le_bytes(*chunk);
        // Without its high bit and in lower case no byte can carry into the next one.
        let lower = (bytes & !HIGH) | each(fold);
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

/// How many bytes [`ideographs_end`] looks at together.
const IDEOGRAPHS_BYTES: usize = 24;

/// The end of the run of ideographs, U+4E00 to U+9FFF, from `from`, or a place before it: eight at a time.
#[inline(never)]
fn ideographs_end(text: &[u8], from: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Where the first bytes of characters stand in each word.
    const FIRSTS: [u64; 3] = [0x00FF_0000_FF00_00FF, 0xFF00_00FF_0000_FF00, 0x0000_FF00_00FF_0000];
    let each = |byte: u8| u64::from_ne_bytes([byte; 8]);
    let mut end = from;
    while let Some(chunk) = text.get(end..end + IDEOGRAPHS_BYTES) {
        let (words, _) = chunk.as_chunks::<8>();
        let (mut all, mut behind_e4) = (HIGH, 0);
        for (word, firsts) in words.iter().zip(FIRSTS) {
            let bytes = u64::from_le_bytes(*word);
            let low = bytes & !HIGH;
            let from_e4 = low + each(0x80 - 0x64);
            let from_e5 = low + each(0x80 - 0x65);
            let behind_e9 = low + each(0x7F - 0x69);
            // Behind 0xE4 only 0xB8 to 0xBF.
            let from_b8 = low + each(0x80 - 0x38);
            let e4 = from_e4 & !from_e5 & firsts & HIGH;
            all &= bytes & ((from_e4 & !behind_e9 & firsts) | (!(bytes << 1) & !firsts));
            all &= from_b8 | !(e4 << 8 | behind_e4);
            behind_e4 = e4 >> 56;
        }
        if all != HIGH {
            break;
        }
        end += IDEOGRAPHS_BYTES;
    }
    end
}

/// Where the character begins that ends at `position`, which must be greater than 0.
fn start_before(text: &[u8], position: usize) -> usize {
    let ends_here = |start: &usize| *start + classes::class_at(text, *start).1 == position;
    (position.saturating_sub(4)..position - 1).find(ends_here).unwrap_or(position - 1)
}

/// The class of the character that ends at `position`, which must be greater than 0.
pub fn class_before(text: &[u8], position: usize) -> Class {
    match text[position - 1] {
        byte @ ..0x80 => classes::ASCII[usize::from(byte)],
        _ => classes::class_at(text, start_before(text, position)).0,
    }
}

/// The class of the character at `position`, if it is one whatever text follows.
pub fn class_behind(text: &[u8], position: usize) -> Option<Class> {
    match classes::class_at(text, position) {
        (class, length) if length > 1 || text[position].is_ascii() => Some(class),
        _ => None,
    }
}

/// Whether characters of two sets meet at `position`, whatever text follows. There a text may be cut between runs.
pub fn is_between_sets<S: Sets>(text: &[u8], position: usize) -> bool {
    if position == 0 || position >= text.len() || class_behind(text, position).is_none() {
        return false;
    }
    let reader = Reader::<S>::new(text, true);
    let set_at = |at| reader.look(at).map(|(set, _)| set);
    set_at(start_before(text, position)) != set_at(position)
}

/// Whether a text may be cut at `position` between the runs of GPT-4's pattern and its kin: behind a word or a number,
/// behind a line end, and before a blank that follows something else. False where the character behind the cut is not
/// known.
///
/// No piece reaches from a letter to something that is no letter, from a number to something that is none, or from
/// anything to a blank, unless both are white. A line end is the last of its piece, unless another one follows. What
/// follows a word or a number decides nothing about it but its end; a run of white characters that ends in a line end is
/// one piece, whether text follows or not.
///
/// Families in which marks belong to words, or line ends to slashes, must look closer.
pub fn is_between_runs(text: &[u8], position: usize) -> bool {
    if position == 0 || position >= text.len() {
        return false;
    }
    let Some(behind) = class_behind(text, position) else { return false };
    match class_before(text, position) {
        class if class.is_letter() => !behind.is_letter(),
        Class::Number => behind != Class::Number,
        Class::White => matches!(text[position - 1], b'\r' | b'\n') && behind != Class::White,
        _ => behind == Class::White && !matches!(text[position], b'\r' | b'\n'),
    }
}
