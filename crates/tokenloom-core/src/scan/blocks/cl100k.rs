//! The family of cl100k_base in blocks.

use super::{Family, Masks, Span, reach};
use crate::scan::cl100k::{self, Digits, Kinds, Rules, contraction_end};
use crate::scan::reader::Reader;

impl Family for Rules {
    #[inline(always)]
    fn starts(self, span: Span<'_>, at: usize, masks: &Masks) -> Option<u64> {
        let Masks { letter, white, line_end, space, .. } = *masks;
        let numbers = numbers(self.digits, masks)?;
        let other = masks.other();
        // A space belongs to the signs behind it; the first of those without one may be the first of a word.
        let signs = other & !((other | space) << 1);
        let words = letter & !((letter | (white & !line_end) | masks.whole(signs)) << 1);
        let taken = reach((other << 1) & line_end, line_end) & line_end;
        let mut starts = signs | words | numbers | whites(masks, taken, !white);
        let mut apostrophes = masks.apostrophe & signs;
        if apostrophes != 0 {
            let reader = Reader::<Kinds>::new(span.text, span.at_end);
            while apostrophes != 0 {
                let place = apostrophes.trailing_zeros();
                let apostrophe = at + place as usize;
                if let Some(Some(end)) = contraction_end(reader, apostrophe) {
                    starts |= 1_u64 << place << (end - apostrophe);
                }
                apostrophes &= apostrophes - 1;
            }
        }
        Some(starts)
    }

    fn scan_pieces(self, span: Span<'_>, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize {
        cl100k::scan(Reader::new(span.text, span.at_end), self, start, stop, ends)
    }
}

/// The starts of groups of numbers. Counting characters that are more than one byte is hard.
#[inline(always)]
pub(super) fn numbers(digits: Digits, masks: &Masks) -> Option<u64> {
    let number = masks.number;
    let first = number & !(number << 1);
    match digits {
        Digits::UpTo(1) => Some(number & !masks.inner),
        _ if number & masks.wide != 0 => None,
        Digits::UpTo(most) => {
            // So many numbers up to here.
            let full = (1..=u32::from(most)).fold(number, |full, n_back| full & number << n_back);
            let mut starts = first;
            loop {
                let more = (starts << most) & full & !starts;
                if more == 0 {
                    return Some(starts);
                }
                starts |= more;
            }
        }
        Digits::ThreesFromRight => {
            let has_two_groups = number & number << 1 & number << 2 & number << 3 != 0;
            (!has_two_groups).then_some(first)
        }
    }
}

/// The starts of pieces of white characters, and of those that begin with one.
///
/// Line ends that are `taken` belong to signs before them. Of other runs everything up to the last line end is one piece,
/// then all but the last blank one, and the last begins another, if one of `text_behind` follows it.
#[inline(always)]
pub(super) fn whites(masks: &Masks, taken: u64, text_behind: u64) -> u64 {
    let Masks { white, line_end, .. } = *masks;
    let blank = white & !line_end;
    let free = white & !taken;
    let first = free & !(free << 1);
    let last = masks.before(blank, text_behind);
    first | last | behind_last_line_end(blank, line_end & !taken)
}

/// The first of each run of blanks between a line end and what is not white.
#[inline(always)]
fn behind_last_line_end(blank: u64, line_end: u64) -> u64 {
    let mut first = blank & (line_end << 1);
    if first == 0 {
        return 0;
    }
    // Where the block ends before the run does, more line ends may follow.
    let n_at_end = (!blank).leading_zeros();
    first &= u64::MAX.checked_shr(n_at_end).unwrap_or(0);
    // Where a line end follows, it is not the last one.
    let mut others = blank.wrapping_add(first) & line_end;
    while others != 0 {
        let place = others.trailing_zeros();
        let before = first & ((1 << place) - 1);
        first &= !(1 << before.checked_ilog2().unwrap_or(0));
        others &= others - 1;
    }
    first
}
