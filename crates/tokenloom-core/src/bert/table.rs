//! What becomes of each character.

use serde::Deserialize;

use super::tables::{BARE, BLANKS, DROPPED, IDEOGRAPHS, LOWER, MARKS, ORDERED, STARTERS};
use crate::scan::classes::{self, Class};
use crate::scan::{BertKind, bert_kind, bert_signs};

/// What is done to a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Controls and the like are taken away, and all blanks are spaces.
    pub clean_text: bool,
    /// Chinese characters get a space on each side.
    pub handle_chinese_chars: bool,
    /// Characters are taken apart, and accents away.
    pub strip_accents: bool,
    /// All is in lower case.
    pub lowercase: bool,
}

/// What becomes of a character: it stays and is a part of a word.
pub(super) const WORD: u32 = 0;
/// It stays and is punctuation.
pub(super) const SIGN: u32 = 1;
/// It stays and is a blank.
pub(super) const WHITE: u32 = 2;
/// Nothing is left of it.
pub(super) const NOTHING: u32 = 3;
/// Nothing is left of it, and the order of marks begins anew.
pub(super) const STARTER: u32 = 4;
/// It becomes a space.
pub(super) const BLANK: u32 = 5;
/// It stays between two spaces.
pub(super) const APART: u32 = 6;
/// It becomes a text that is part of a word.
pub(super) const TEXT: u32 = 7;
/// It is taken apart as a Hangul syllable.
pub(super) const SYLLABLE: u32 = 8;
/// See `Odd`.
pub(super) const ODD: u32 = 9;

/// A cell holds one of these, and above that the length of a text and its place, or the number of what is odd.
const KIND_BITS: u32 = 4;
const LENGTH_BITS: u32 = 4;

/// The syllables of Hangul, and the letters that they are made of (The Unicode Standard, section 3.12).
const HANGUL: (u32, u32) = (0xAC00, 0xD7A3);
const LEADS: u32 = 0x1100;
const VOWELS: u32 = 0x1161;
const TAILS: u32 = 0x11A7;
const N_VOWELS: u32 = 21;
const N_TAILS: u32 = 28;

const PAGE: usize = 128;
const N_PAGES: usize = 0x11_0000 / PAGE;

/// A character that becomes something else than one part of a word.
#[derive(Debug)]
pub(super) struct Odd {
    /// What it becomes, each with its class in the order of marks.
    pub parts: Vec<(char, u8)>,
    /// Between two spaces.
    pub is_apart: bool,
}

/// Marks an ASCII character that is part of a word, and one that is punctuation.
pub(super) const ASCII_WORD: u16 = 1 << 8;
pub(super) const ASCII_SIGN: u16 = 1 << 9;
/// Of others than ASCII, and of what is taken away.
pub(super) const NOT_SIMPLE: u16 = 1 << 10;

/// See the module.
#[derive(Debug)]
pub struct Table {
    /// Which page holds the characters from 128 times the place on.
    pages: Vec<u16>,
    cells: Vec<[u32; PAGE]>,
    texts: Vec<u8>,
    odd: Vec<Odd>,
    /// What an ASCII character becomes, with a mark of what it is.
    pub(super) ascii: [u16; 256],
}

impl Table {
    /// The table for some rules.
    pub fn new(rules: Rules) -> Self {
        let mut growing = Growing::new();
        bert_signs(|sign| growing.set(sign, SIGN));
        classes::each_of(Class::White, |white| growing.set(white, WHITE));
        if rules.lowercase {
            for (character, text) in LOWER {
                growing.set_text(character, text.chars());
            }
        }
        if rules.strip_accents {
            growing.strip_accents(rules.lowercase);
        }
        if rules.clean_text {
            growing.fill(&DROPPED, NOTHING);
            growing.fill(&BLANKS, BLANK);
        }
        if rules.handle_chinese_chars {
            growing.set_apart();
        }
        growing.finish()
    }

    /// What becomes of the character at a place, and its length; a byte outside valid UTF-8 stays.
    #[inline]
    pub(super) fn at(&self, text: &[u8], at: usize) -> (u32, usize) {
        match text[at] {
            byte @ ..0x80 => (self.cell(u32::from(byte)), 1),
            _ => classes::decode(text, at).map_or((WORD, 1), |(scalar, length)| (self.cell(scalar), length)),
        }
    }

    #[inline]
    fn cell(&self, scalar: u32) -> u32 {
        let scalar = scalar as usize;
        self.cells[usize::from(self.pages[scalar / PAGE])][scalar % PAGE]
    }

    /// The text of a cell that is one.
    #[inline]
    pub(super) fn text(&self, cell: u32) -> &[u8] {
        let (start, length) = (cell >> (KIND_BITS + LENGTH_BITS), cell >> KIND_BITS & ((1 << LENGTH_BITS) - 1));
        &self.texts[start as usize..(start + length) as usize]
    }

    /// What is odd about a cell that is.
    pub(super) fn odd(&self, cell: u32) -> &Odd {
        &self.odd[(cell >> KIND_BITS) as usize]
    }
}

/// What a cell says.
#[inline]
pub(super) fn kind_of(cell: u32) -> u32 {
    cell & ((1 << KIND_BITS) - 1)
}

/// Appends the letters of the Hangul syllable at a place.
pub(super) fn push_letters(text: &[u8], at: usize, out: &mut Vec<u8>) {
    let Some((scalar, _)) = classes::decode(text, at) else { return };
    let number = scalar - HANGUL.0;
    let tail = number % N_TAILS;
    let letters = [
        Some(LEADS + number / (N_VOWELS * N_TAILS)),
        Some(VOWELS + number / N_TAILS % N_VOWELS),
        (tail > 0).then_some(TAILS + tail),
    ];
    for letter in letters.into_iter().flatten().filter_map(char::from_u32) {
        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// A table that is being filled.
struct Growing {
    table: Table,
    /// The page that is the same cell all over, by what the cell says; `u16::MAX` if there is none.
    whole: [u16; 1 << KIND_BITS],
    /// The page belongs to one place.
    is_own: Vec<bool>,
}

impl Growing {
    fn new() -> Self {
        let table = Table {
            pages: vec![0; N_PAGES],
            cells: vec![[WORD; PAGE]],
            texts: Vec::new(),
            odd: Vec::new(),
            ascii: [NOT_SIMPLE; 256],
        };
        let mut whole = [u16::MAX; 1 << KIND_BITS];
        whole[WORD as usize] = 0;
        Self { table, whole, is_own: vec![false] }
    }

    fn set(&mut self, scalar: u32, cell: u32) {
        let place = scalar as usize / PAGE;
        let mut page = self.table.pages[place];
        if !self.is_own[usize::from(page)] {
            let cells = self.table.cells[usize::from(page)];
            page = self.push(cells, true);
            self.table.pages[place] = page;
        }
        self.table.cells[usize::from(page)][scalar as usize % PAGE] = cell;
    }

    fn push(&mut self, cells: [u32; PAGE], is_own: bool) -> u16 {
        self.table.cells.push(cells);
        self.is_own.push(is_own);
        self.table.cells.len() as u16 - 1
    }

    /// Sets ranges to a cell without a text; most of a large range shares one page.
    fn fill(&mut self, ranges: &[(u32, u32)], cell: u32) {
        for &(first, last) in ranges {
            let mut scalar = first;
            while scalar <= last {
                let place = scalar as usize / PAGE;
                let end = ((place + 1) * PAGE) as u32;
                let is_whole = (scalar as usize).is_multiple_of(PAGE) && end <= last + 1;
                if is_whole && !self.is_own[usize::from(self.table.pages[place])] {
                    self.table.pages[place] = self.whole_page(cell);
                } else {
                    (scalar..end.min(last + 1)).for_each(|scalar| self.set(scalar, cell));
                }
                scalar = end;
            }
        }
    }

    fn whole_page(&mut self, cell: u32) -> u16 {
        if self.whole[cell as usize] == u16::MAX {
            self.whole[cell as usize] = self.push([cell; PAGE], false);
        }
        self.whole[cell as usize]
    }

    fn strip_accents(&mut self, lowercase: bool) {
        for (character, text) in BARE {
            let lower = |part: char| match LOWER.binary_search_by_key(&(part as u32), |(scalar, _)| *scalar) {
                Ok(place) if lowercase => LOWER[place].1.chars().collect::<Vec<_>>(),
                _ => vec![part],
            };
            self.set_text(character, text.chars().flat_map(lower));
        }
        self.fill(&MARKS, NOTHING);
        self.fill(&STARTERS, STARTER);
        self.fill(&[HANGUL], SYLLABLE);
        for (character, class) in ORDERED {
            let parts = char::from_u32(character).into_iter().map(|part| (part, class)).collect();
            self.set_odd(character, Odd { parts, is_apart: false });
        }
    }

    /// A character becomes a text, which is part of a word or odd.
    fn set_text(&mut self, character: u32, text: impl Iterator<Item = char>) {
        let class_of = |part: char| ORDERED.binary_search_by_key(&(part as u32), |(scalar, _)| *scalar);
        let parts: Vec<_> = text.map(|part| (part, class_of(part).map_or(0, |place| ORDERED[place].1))).collect();
        let start = self.table.texts.len();
        for (part, _) in &parts {
            self.table.texts.extend_from_slice(part.encode_utf8(&mut [0; 4]).as_bytes());
        }
        let bytes = &self.table.texts[start..];
        let mut starts = parts.iter().scan(0, |at, (part, _)| Some(std::mem::replace(at, *at + part.len_utf8())));
        let is_word = starts.all(|at| bert_kind(bytes, at).0 == BertKind::Word);
        if is_word && bytes.len() < 1 << LENGTH_BITS && parts.iter().all(|(_, class)| *class == 0) {
            let place = (start as u32) << LENGTH_BITS | bytes.len() as u32;
            self.set(character, place << KIND_BITS | TEXT);
        } else {
            self.table.texts.truncate(start);
            self.set_odd(character, Odd { parts, is_apart: false });
        }
    }

    fn set_odd(&mut self, character: u32, odd: Odd) {
        let number = self.table.odd.len() as u32;
        self.table.odd.push(odd);
        self.set(character, number << KIND_BITS | ODD);
    }

    /// Chinese characters stand apart, and some of them become others.
    fn set_apart(&mut self) {
        let mut others = Vec::new();
        for &(first, last) in &IDEOGRAPHS {
            for scalar in first..=last {
                let place = scalar as usize / PAGE;
                if !self.is_own[usize::from(self.table.pages[place])] {
                    continue;
                }
                let cell = self.table.cell(scalar);
                if kind_of(cell) == TEXT {
                    others.push((scalar, cell));
                }
            }
        }
        self.fill(&IDEOGRAPHS, APART);
        for (scalar, cell) in others {
            let text = str::from_utf8(self.table.text(cell)).unwrap_or_default();
            let parts = text.chars().map(|part| (part, 0)).collect();
            self.set_odd(scalar, Odd { parts, is_apart: true });
        }
    }

    fn finish(mut self) -> Table {
        for byte in 0..128 {
            let cell = self.table.cell(byte);
            let becomes = if kind_of(cell) == TEXT { u32::from(self.table.text(cell)[0]) } else { byte };
            self.table.ascii[byte as usize] = match kind_of(cell) {
                WORD | TEXT => becomes as u16 | ASCII_WORD,
                SIGN => becomes as u16 | ASCII_SIGN,
                WHITE => becomes as u16,
                BLANK => u16::from(b' '),
                _ => NOT_SIMPLE,
            };
        }
        self.table
    }
}
