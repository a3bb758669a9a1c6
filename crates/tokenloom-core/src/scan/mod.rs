//! Scanners: where a text may be cut into pretokens.
//!
//! A scanner is a function from a text and a position, where a piece begins, to the end of that piece. It keeps no state
//! between pieces, so scanning can start again at any boundary; that is what makes streams and threads exact.

pub mod classes;

mod bert;
mod blocks;
mod borders;
mod cl100k;
mod custom;
mod deepseek;
mod gpt2;
mod metaspace;
mod o200k;
mod reader;
mod simd;
#[rustfmt::skip]
mod tables_16;
mod whitespace;

use std::sync::Arc;

pub use bert::{BertKind, bert_kind, bert_signs, is_punctuation};
pub use cl100k::{Digits, Rules as Cl100kRules};
pub(crate) use custom::{AtPlace, Places, Readable, read_pattern};
pub use custom::{COPY_BYTES, Custom};
pub use o200k::Rules as O200kRules;
pub use simd::Simd;

use crate::bpe::borders::Borders;
use crate::error::Result;
use blocks::{BorderFamily, DeepseekV3, Gpt2, Span};
use classes::Class;
use reader::Reader;

/// `Scanner::is_safe_cut` looks at no more bytes than this on each side of a place: its answer in a window of them is that
/// in the whole text.
pub const SAFE_CUT_REACH_BYTES: usize = 32;

/// The scanner of a tokenizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanner {
    /// No cuts: a whole segment is one pretoken.
    None,
    /// GPT-2's pattern.
    Gpt2,
    /// Every number alone, and GPT-2's pattern between them.
    Starcoder,
    /// The family of cl100k_base: Llama 3 and Qwen too.
    Cl100k(Cl100kRules),
    /// The family of o200k_base: tekken too.
    O200k(O200kRules),
    /// DeepSeek-V3's chain.
    DeepseekV3,
    /// Words, signs and blanks apart.
    Whitespace,
    /// A cut before each space.
    Metaspace,
    /// BERT's words and punctuation.
    Bert,
    /// Any other pattern.
    Custom(Arc<Custom>),
    /// No pattern, but places that no token reaches over.
    Borders(Arc<Borders>),
}

impl Scanner {
    /// Writes the ends of the pieces of `text` from `start`, the start of a piece, until one reaches `stop`; some scanners
    /// write more.
    ///
    /// With `at_end`, the text ends where the slice ends. Without it more may follow, and the scanner stops before the
    /// first piece that more text could change. Returns the last end written, or `start`. Only a custom pattern can fail, and
    /// an unknown way that the environment names (see [`Simd::chosen`]).
    pub fn scan(&self, text: &[u8], start: usize, stop: usize, at_end: bool, ends: &mut Vec<usize>) -> Result<usize> {
        self.scan_by(Simd::chosen()?, text, start, stop, at_end, ends)
    }

    /// The same in a way of one's choice; the ends are the same in every way.
    pub fn scan_by(
        &self,
        simd: Simd,
        text: &[u8],
        start: usize,
        stop: usize,
        at_end: bool,
        ends: &mut Vec<usize>,
    ) -> Result<usize> {
        let span = Span { text, stop, at_end };
        Ok(match self {
            Self::None if at_end && start < text.len() => {
                ends.push(text.len());
                text.len()
            }
            Self::None => start,
            Self::Gpt2 => blocks::scan(simd, Gpt2 { numbers_alone: false }, span, start, ends),
            Self::Starcoder => blocks::scan(simd, Gpt2 { numbers_alone: true }, span, start, ends),
            Self::Cl100k(rules) => blocks::scan(simd, *rules, span, start, ends),
            Self::O200k(rules) => blocks::scan(simd, *rules, span, start, ends),
            Self::DeepseekV3 => blocks::scan(simd, DeepseekV3, span, start, ends),
            Self::Whitespace => {
                let reader = Reader::new(text, at_end);
                scan_by(start, stop, ends, |at| whitespace::piece_end(reader, at))
            }
            Self::Metaspace => scan_by(start, stop, ends, |at| metaspace::piece_end(text, at, at_end)),
            Self::Bert => {
                let reader = Reader::new(text, at_end);
                scan_by(start, stop, ends, |at| bert::piece_end(reader, at))
            }
            Self::Borders(borders) => blocks::scan(simd, BorderFamily(borders), span, start, ends),
            Self::Custom(custom) => return custom.scan(text, start, at_end, ends, &mut |_| Ok(())),
        })
    }

    /// Whether text that `scan` cannot cut without `at_end` is one piece once more of it is known, but for some bytes at
    /// its end and no more than a few pieces.
    pub fn holds_one_piece(&self) -> bool {
        match self {
            Self::Custom(_) => false,
            Self::Cl100k(rules) => rules.digits != Digits::ThreesFromRight,
            _ => true,
        }
    }

    /// Whether a text may be cut in two at `position`: the pieces of the halves are then the pieces of the whole, whatever
    /// follows `text`.
    ///
    /// Threads share a text by such cuts. False is always a right answer.
    pub fn is_safe_cut(&self, text: &[u8], position: usize) -> bool {
        match self {
            Self::None | Self::Custom(_) => false,
            Self::Gpt2 | Self::Starcoder => gpt2::is_safe_cut(text, position),
            Self::Cl100k(_) => reader::is_between_runs(text, position),
            Self::O200k(_) => o200k::is_safe_cut(text, position),
            Self::DeepseekV3 => deepseek::is_safe_cut(text, position),
            Self::Whitespace => whitespace::is_safe_cut(text, position),
            Self::Metaspace => metaspace::is_safe_cut(text, position),
            Self::Bert => bert::is_safe_cut(text, position),
            Self::Borders(borders) => borders::is_safe_cut(borders, text, position),
        }
    }
}

/// Whether a blank ends at a place, and a character begins there whatever text follows.
pub fn is_behind_blank(text: &[u8], at: usize) -> bool {
    let is_inside = at > 0 && at < text.len();
    is_inside && reader::class_before(text, at) == Class::White && reader::class_behind(text, at).is_some()
}

/// See `Scanner::scan`, for a scanner that finds one piece at a time.
#[inline]
fn scan_by(start: usize, stop: usize, ends: &mut Vec<usize>, piece_end: impl Fn(usize) -> Option<usize>) -> usize {
    let mut position = start;
    while position < stop {
        let Some(end) = piece_end(position) else {
            break;
        };
        ends.push(end);
        position = end;
    }
    position
}
