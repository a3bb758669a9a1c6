//! DeepSeek-V3's chain in blocks.
//!
//! Numbers, and Chinese and Japanese, are texts of their own: white characters before them have none behind them.

use super::cl100k::{numbers, whites};
use super::wide::{self, Group};
use super::{Family, Masks, Span, reach};
use crate::scan::cl100k::Digits;
use crate::scan::classes::Class;
use crate::scan::{deepseek, scan_by};

/// DeepSeek-V3.
#[derive(Clone, Copy, Debug)]
pub struct DeepseekV3;

impl Family for DeepseekV3 {
    const IDEOGRAPHS: Group = Group::Cjk;

    #[inline(always)]
    fn group(class: Class, text: &[u8], at: usize) -> Group {
        match class {
            Class::Other => Group::Unnamed,
            _ if deepseek::is_cjk(text, at) => match class {
                Class::Punctuation | Class::Symbol => Group::CjkSign,
                _ => Group::Cjk,
            },
            Class::Mark => Group::Letter,
            _ => wide::plain(class),
        }
    }

    #[inline(always)]
    fn starts(self, _span: Span<'_>, _at: usize, masks: &Masks) -> Option<u64> {
        let Masks { letter, white, line_end, space, wide, cjk, cjk_sign, .. } = *masks;
        if masks.unnamed != 0 {
            return None;
        }
        let numbers = numbers(Digits::UpTo(3), masks)?;
        let sign = masks.other() & !(cjk | cjk_sign);
        let signs = sign & !((sign | space) << 1);
        // A sign may be the first of a word, but only both in ASCII: that word ends where another letter follows.
        let ascii_letter = letter & !wide;
        let behind_sign = ((signs & !wide) << 1) & ascii_letter;
        let words = letter & !((letter | (white & !line_end)) << 1) & !behind_sign;
        let other_words = reach(behind_sign, ascii_letter) & letter & wide;
        let cjk_runs = (cjk & !(cjk << 1)) | (cjk_sign & !(cjk_sign << 1));
        let taken = reach((sign << 1) & line_end, line_end) & line_end;
        let whites = whites(masks, taken, letter | sign);
        Some(signs | words | other_words | numbers | cjk_runs | whites)
    }

    fn scan_pieces(self, span: Span<'_>, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize {
        scan_by(start, stop, ends, |at| deepseek::piece_end(span.text, at, span.at_end))
    }
}
