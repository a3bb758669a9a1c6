//! Safe cuts: borders inside a piece that no token can ever span.
//!
//! Every symbol of every stage of encoding is a token. So if no token of the vocabulary holds, at a border inside it, the
//! bytes that end before a place of the piece followed by the bytes that begin there, then no merge crosses that place,
//! and the piece may be encoded as two. Clauses of Chinese, Japanese, Thai or Khmer, which have no blanks and never come
//! twice, fall into parts of a character or two that the word cache knows.
//!
//! The test looks at up to three bytes on each side, and only at borders before or behind a character outside ASCII: a
//! token that reaches further is covered by its nearest three bytes. A wrong "may be spanned" costs time, never ids.

use crate::hash::Seed;
use crate::vocab::Vocabulary;

/// Bytes on each side that the test looks at: one character of most scripts.
const REACH: usize = 3;

/// The bytes of a window around a border that belong to each reach: `left` bytes before it and `right` behind it have the
/// number `(left - 1) * REACH + right - 1`.
const MASKS: [u64; REACH * REACH] = {
    let mut masks = [0; REACH * REACH];
    let mut reach = 0;
    while reach < REACH * REACH {
        let (left, right) = (reach / REACH + 1, reach % REACH + 1);
        masks[reach] = ((1 << (8 * (left + right))) - 1) << (8 * (REACH - left));
        reach += 1;
    }
    masks
};

/// Which borders a token may span.
#[derive(Debug)]
pub struct SafeCuts {
    /// One bit for each reach with which a token spans a border between two bytes. Answers most questions.
    pairs: Vec<u16>,
    /// One bit for each hash of the bytes around a border of a token.
    borders: Vec<u64>,
    seed: Seed,
}

impl SafeCuts {
    /// Notes the borders inside all tokens of the model.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self::of_tokens(vocabulary.model_tokens().map(|(_, token)| token))
    }

    /// Notes the borders inside some tokens.
    pub fn of_tokens<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut pairs = vec![0; 1 << 16];
        let (mut hashes, seed) = (Vec::new(), Seed::random());
        for token in tokens.filter(|token| !token.is_ascii()) {
            for at in (1..token.len()).filter(|at| is_border(token, *at)) {
                let reach = (at.min(REACH) - 1) * REACH + (token.len() - at).min(REACH) - 1;
                pairs[pair(token, at)] |= 1 << reach;
                hashes.push(hash(seed, window(token, at), reach));
            }
        }
        // Sixteen bits a border: one border in sixteen is taken for another.
        let n_bits = (hashes.len() * 16).next_power_of_two().max(1 << 10);
        let mut borders = vec![0; n_bits / 64];
        hashes.iter().for_each(|hash| borders[*hash as usize % n_bits / 64] |= 1 << (*hash % 64));
        Self { pairs, borders, seed }
    }

    /// Appends the safe cuts of a piece, and its end.
    pub fn split(&self, piece: &[u8], ends: &mut Vec<usize>) {
        if piece.is_ascii() {
            ends.push(piece.len());
            return;
        }
        let mut at = 0;
        while at < piece.len() {
            at = self.next(piece, at, piece.len());
            ends.push(at);
        }
    }

    /// Whether a place inside a text, where a character begins, is a safe cut.
    pub fn is_safe(&self, text: &[u8], at: usize) -> bool {
        at > 0 && at < text.len() && is_border(text, at) && !self.may_be_spanned(text, at)
    }

    /// The first safe cut behind `from`, where a character of a piece begins, or the end of the piece. What stands in the
    /// text around the piece costs a cut at worst.
    #[inline(always)]
    pub fn next(&self, text: &[u8], from: usize, end: usize) -> usize {
        let mut at = from;
        loop {
            at += step(text[at]);
            if at >= end {
                return end;
            }
            if is_border(text, at) && !self.may_be_spanned(text, at) {
                return at;
            }
        }
    }

    #[inline(always)]
    fn may_be_spanned(&self, text: &[u8], at: usize) -> bool {
        let mut reaches = self.pairs[pair(text, at)];
        let window = window(text, at);
        while reaches > 0 {
            let bit = hash(self.seed, window, reaches.trailing_zeros() as usize) as usize;
            let bit = bit & (self.borders.len() * 64 - 1);
            if self.borders[bit / 64] >> (bit % 64) & 1 == 1 {
                return true;
            }
            reaches &= reaches - 1;
        }
        false
    }
}

/// From a character that begins with this byte to where the next one may begin; in damaged text perhaps over a cut.
#[inline(always)]
pub(crate) fn step(lead: u8) -> usize {
    match lead {
        0xE0..=0xEF => 3,
        0xC0..=0xDF => 2,
        0xF0.. => 4,
        _ => 1,
    }
}

/// Three bytes before a place and five behind it, with zeros for those that are not there: then the answer may be "may be
/// spanned" for a token that holds zeros.
#[inline(always)]
fn window(text: &[u8], at: usize) -> u64 {
    match at.checked_sub(REACH).and_then(|start| text.get(start..)).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => short_window(text, at),
    }
}

#[inline(never)]
fn short_window(text: &[u8], at: usize) -> u64 {
    let start = at.saturating_sub(REACH);
    let bytes = text[start..].iter().take(at + REACH - start).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes << (8 * (start + REACH - at))
}

/// The hash of the bytes of a window within a reach.
#[inline(always)]
fn hash(seed: Seed, window: u64, reach: usize) -> u64 {
    seed.of_u64(window & MASKS[reach] | (reach as u64) << 48)
}

/// A place where a character may begin, with a byte outside ASCII on one side.
#[inline]
fn is_border(text: &[u8], at: usize) -> bool {
    let (before, behind) = (text[at - 1], text[at]);
    (behind as i8) >= -0x40 && (before | behind) >= 0x80
}

#[inline]
fn pair(text: &[u8], at: usize) -> usize {
    usize::from(text[at - 1]) << 8 | usize::from(text[at])
}
