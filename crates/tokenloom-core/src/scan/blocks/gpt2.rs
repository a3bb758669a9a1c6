//! GPT-2's pieces in blocks: a run of one kind with a space before it, and white without its last character.

use super::{Family, Masks, Span};
use crate::scan::gpt2::{self, Contraction, Kinds, Numberless, contraction};
use crate::scan::reader::Reader;
use crate::scan::scan_by;

/// GPT-2, and StarCoder, which cuts every number out first.
#[derive(Clone, Copy, Debug)]
pub struct Gpt2 {
    pub numbers_alone: bool,
}

impl Family for Gpt2 {
    #[inline(always)]
    fn starts(self, span: Span<'_>, at: usize, masks: &Masks) -> Option<u64> {
        let Masks { letter, number, white, space, inner, .. } = *masks;
        let other = masks.other();
        let signs = other & !((other | space) << 1);
        let words = letter & !((letter | space) << 1);
        // A number that stands alone is the end of the text before it.
        let (numbers, text_behind) = if self.numbers_alone {
            (number & !inner, letter | other)
        } else {
            (number & !((number | space) << 1), !white)
        };
        let blanks = (white & !(white << 1)) | masks.before(white, text_behind);
        let mut starts = signs | words | numbers | blanks;
        let mut apostrophes = masks.apostrophe & signs;
        while apostrophes != 0 {
            let place = apostrophes.trailing_zeros();
            if let Contraction::Length(length) = contraction(span.text, at + place as usize) {
                starts = (starts & !(2 << place)) | 1_u64 << place << length;
            }
            apostrophes &= apostrophes - 1;
        }
        Some(starts)
    }

    fn scan_pieces(self, span: Span<'_>, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize {
        if self.numbers_alone {
            let reader = Reader::<Numberless>::new(span.text, span.at_end);
            scan_by(start, stop, ends, |at| gpt2::piece_end(reader, at))
        } else {
            let reader = Reader::<Kinds>::new(span.text, span.at_end);
            scan_by(start, stop, ends, |at| gpt2::piece_end(reader, at))
        }
    }
}
