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

/// A token spans a border between these two bytes with `REACH` bytes or more on both sides.
const WHOLE: u8 = 1;
/// A token that spans it begins or ends nearer.
const PARTIAL: u8 = 2;

/// Which borders a token may span.
#[derive(Debug)]
pub struct SafeCuts {
    /// What spans the borders between two bytes. Most questions need no more.
    pairs: Vec<u8>,
    /// One bit for each hash of the bytes around a border of a token.
    borders: Vec<u64>,
    seed: Seed,
}

impl SafeCuts {
    /// Notes the borders inside all tokens of the model.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let mut pairs = vec![0; 1 << 16];
        let (mut hashes, seed) = (Vec::new(), Seed::random());
        for (_, token) in vocabulary.model_tokens().filter(|(_, token)| !token.is_ascii()) {
            for at in (1..token.len()).filter(|at| is_border(token, *at)) {
                let (left, right) = (at.min(REACH), (token.len() - at).min(REACH));
                pairs[pair(token, at)] |= if left.min(right) == REACH { WHOLE } else { PARTIAL };
                hashes.push(hash(seed, token, at, left, right));
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
            at = self.next(piece, at);
            ends.push(at);
        }
    }

    /// The first safe cut of a piece behind `from`, or its end.
    #[inline]
    pub fn next(&self, piece: &[u8], from: usize) -> usize {
        (from + 1..piece.len()).find(|at| is_border(piece, *at) && !self.may_be_spanned(piece, *at)).unwrap_or(piece.len())
    }

    #[inline]
    fn may_be_spanned(&self, piece: &[u8], at: usize) -> bool {
        match self.pairs[pair(piece, at)] {
            0 => false,
            WHOLE => {
                let is_wide = at >= REACH && at + REACH <= piece.len();
                is_wide && self.has_border(piece, at, REACH, REACH)
            }
            _ => self.may_be_spanned_in_part(piece, at),
        }
    }

    #[inline(never)]
    fn may_be_spanned_in_part(&self, piece: &[u8], at: usize) -> bool {
        let (most_left, most_right) = (at.min(REACH), (piece.len() - at).min(REACH));
        (1..=most_left).any(|left| (1..=most_right).any(|right| self.has_border(piece, at, left, right)))
    }

    /// Whether a token may span a border with these `left` bytes before and `right` bytes behind it.
    #[inline(always)]
    fn has_border(&self, text: &[u8], at: usize, left: usize, right: usize) -> bool {
        let bit = hash(self.seed, text, at, left, right) as usize & (self.borders.len() * 64 - 1);
        self.borders[bit / 64] >> (bit % 64) & 1 == 1
    }
}

#[inline]
fn hash(seed: Seed, text: &[u8], at: usize, left: usize, right: usize) -> u64 {
    let around = text[at - left..at + right].iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    seed.of_u64(around | ((left * 4 + right) as u64) << 48)
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
