//! How much longer a text may become.
//!
//! A step that writes ten characters for one multiplies a text by ten, and thirty such steps by more than any machine
//! holds. Each is harmless, so a description cannot be judged without a text: what steps write is measured against what
//! they were given, and whoever writes more stops before there is memory for it.
//!
//! Real tokenizers stay far below: U+FDFA has eleven times its length in NFKC, a blank three times as U+2581, an emoji by
//! its name fifteen times.

use crate::error::Error;

/// What no normalizer and no decoder makes of one byte.
const MOST_TIMES: usize = 64;

/// What no chain of pretokenizers makes of one byte: they write bytes and blanks as other characters.
const MOST_CHAIN_TIMES: usize = 16;

/// A text without length may get so much: what stands before each text, as a whole.
const MOST_ADDED_BYTES: usize = 4 << 10;

/// The most that steps of a normalizer or a decoder may make of a text.
pub(crate) fn most_bytes(n_bytes: usize) -> usize {
    n_bytes.saturating_mul(MOST_TIMES).saturating_add(MOST_ADDED_BYTES)
}

/// The most that steps of a chain may make of a text.
pub(crate) fn most_chain_bytes(n_bytes: usize) -> usize {
    n_bytes.saturating_mul(MOST_CHAIN_TIMES).saturating_add(MOST_ADDED_BYTES)
}

/// A step among others, that makes too much of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// The part of the tokenizer.
    pub part: &'static str,
    /// The number of the step, from 0.
    pub step: usize,
    /// How many steps there are.
    pub n_steps: usize,
    /// What kind of step it is.
    pub kind: &'static str,
}

impl At {
    /// The step would make more bytes than these.
    pub(crate) fn fault(self, most_bytes: usize) -> Error {
        let Self { part, step, n_steps, kind } = self;
        Error::Growth { part, step, n_steps, kind, most_bytes }
    }
}
