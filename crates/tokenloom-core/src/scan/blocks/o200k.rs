//! The family of o200k_base in blocks.
//!
//! Marks are letters without case, unless they stand behind a sign; that is hard, and so are capitals next to letters
//! without case.

use super::cl100k::{numbers, whites};
use super::wide::{self, Group};
use super::{Family, Masks, Span, reach};
use crate::scan::cl100k::{Digits, contraction_end};
use crate::scan::classes::Class;
use crate::scan::o200k::{self, Kinds, Rules};
use crate::scan::reader::Reader;
use crate::scan::scan_by;

impl Family for Rules {
    const TWO_BYTE_LETTERS: Option<Group> = None;
    const IDEOGRAPHS: Group = Group::Caseless;

    #[inline(always)]
    fn group(class: Class, _text: &[u8], _at: usize) -> Group {
        match class {
            Class::UppercaseLetter | Class::TitlecaseLetter => Group::Upper,
            Class::LowercaseLetter => Group::Lower,
            Class::ModifierLetter | Class::OtherLetter => Group::Caseless,
            Class::Mark => Group::Mark,
            _ => wide::plain(class),
        }
    }

    #[inline(always)]
    fn starts(self, span: Span<'_>, at: usize, masks: &Masks) -> Option<u64> {
        let Masks { upper, lower, mark, white, line_end, space, slash, .. } = *masks;
        let numbers = numbers(Digits::UpTo(self.digits), masks)?;
        let caseless = masks.caseless | mark;
        // Masks of one byte of vectors that meet in other ways than here (`letter & !upper`, `line_end | slash`) are taken
        // apart byte by byte in machine code, which costs more than all the rest.
        let letter = upper | lower | caseless;
        let other = !(letter | masks.number | white);
        let is_hard = ((upper << 1) & caseless) | ((caseless << 1) & upper) | ((other << 1) & mark);
        if is_hard != 0 {
            return None;
        }
        let tail = line_end.wrapping_add(slash);
        let taken = reach((other << 1) & line_end, tail) & tail;
        let sign = other & !taken;
        let signs = sign & !((sign | space) << 1);
        let words = letter & !((letter | (white & !line_end) | masks.whole(signs)) << 1);
        let capitals = upper & (lower << 1);
        let starts = signs | words | capitals | numbers | whites(masks, taken, !white);
        let apostrophes = masks.apostrophe & (letter << 1);
        if self.contractions && apostrophes != 0 {
            return Some(with_contractions(span, at, starts, apostrophes));
        }
        Some(starts)
    }

    fn scan_pieces(self, span: Span<'_>, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize {
        let reader = Reader::<Kinds>::new(span.text, span.at_end);
        scan_by(start, stop, ends, |at| o200k::piece_end(reader, self, at))
    }
}

/// The starts with contractions, which belong to the words before them: those whose apostrophes these are, unless a
/// contraction ends there.
#[inline(always)]
fn with_contractions(span: Span<'_>, at: usize, starts: u64, apostrophes: u64) -> u64 {
    let reader = Reader::<Kinds>::new(span.text, span.at_end);
    let (mut starts, mut left, mut last_end) = (starts, apostrophes, at);
    while left != 0 {
        let place = left.trailing_zeros();
        let apostrophe = at + place as usize;
        if apostrophe != last_end
            && let Some(Some(end)) = contraction_end(reader, apostrophe)
        {
            let length = end - apostrophe;
            let within = (1_u64 << length) - 1;
            starts = (starts & !(within << place)) | 1_u64 << place << length;
            last_end = end;
        }
        left &= left - 1;
    }
    starts
}
