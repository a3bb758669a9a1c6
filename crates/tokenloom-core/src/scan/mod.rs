//! Scanners: where a text may be cut into pretokens.
//!
//! A scanner is a function from a text and a position, where a piece begins, to the end of that piece. It keeps no state
//! between pieces, so scanning can start again at any boundary; that is what makes streams and threads exact.

pub mod classes;
pub mod gpt2;
#[rustfmt::skip]
mod tables_16;

/// The scanner of a tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanner {
    /// No cuts: a whole segment is one pretoken.
    None,
    /// GPT-2's pattern.
    Gpt2,
}

impl Scanner {
    /// Writes the ends of the pieces of `text` from `start`, the start of a piece, until one reaches `stop`.
    ///
    /// With `at_end`, the text ends where the slice ends. Without it more may follow, and the scanner stops before the
    /// first piece that more text could change. Returns the last end written, or `start`.
    pub fn scan(self, text: &[u8], start: usize, stop: usize, at_end: bool, ends: &mut Vec<usize>) -> usize {
        match self {
            Self::None if at_end && start < text.len() => {
                ends.push(text.len());
                text.len()
            }
            Self::None => start,
            Self::Gpt2 => gpt2::scan(text, start, stop, at_end, ends),
        }
    }

    /// Whether a text may be cut in two at `position`: the pieces of the halves are then the pieces of the whole.
    ///
    /// Threads share a text by such cuts. False is always a right answer.
    pub fn is_safe_cut(self, text: &[u8], position: usize) -> bool {
        match self {
            Self::None => false,
            Self::Gpt2 => gpt2::is_safe_cut(text, position),
        }
    }
}
