//! Pieces between what no token holds side by side, in blocks: runs of one kind with spaces before them.

use super::{Family, Masks, Span};
use crate::bpe::borders::Borders;
use crate::scan::{borders, scan_by};

/// See [`borders`].
#[derive(Clone, Copy, Debug)]
pub struct BorderFamily<'a>(pub &'a Borders);

impl Family for BorderFamily<'_> {
    const LOOKS_AT_WIDE: bool = false;

    #[inline(always)]
    fn starts(self, span: Span<'_>, at: usize, masks: &Masks) -> Option<u64> {
        let letter = masks.letter | masks.wide;
        let (number, space) = (masks.number & !masks.wide, masks.space);
        let other = !(letter | number | space);
        let same = (letter & letter << 1) | (number & number << 1) | (other & other << 1);
        let mut tried = !same & !(space << 1) & !1;
        let mut starts = tried;
        while tried != 0 {
            let place = at + tried.trailing_zeros() as usize;
            // Behind the text there is nothing to cut; the caller drops those bits.
            if let Some([before, behind]) = span.text.get(place - 1..).and_then(|rest| rest.first_chunk())
                && self.0.may_span(*before, *behind)
            {
                starts &= !(tried & tried.wrapping_neg());
            }
            tried &= tried - 1;
        }
        Some(starts)
    }

    fn scan_pieces(self, span: Span<'_>, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize {
        scan_by(start, stop, ends, |at| borders::piece_end(self.0, span.text, at, span.at_end))
    }
}
