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

/// Which borders a token may span.
#[derive(Debug)]
pub struct SafeCuts {
    /// One bit for each pair of bytes: whether a token holds it at a border. Answers most questions.
    pairs: Vec<u64>,
    /// One bit for each hash of the bytes around a border of a token.
    borders: Vec<u64>,
    seed: Seed,
}

impl SafeCuts {
    /// Notes the borders inside all tokens of the model.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let mut pairs = vec![0; 1 << 10];
        let (mut hashes, seed) = (Vec::new(), Seed::random());
        for (_, token) in vocabulary.model_tokens().filter(|(_, token)| !token.is_ascii()) {
            for at in (1..token.len()).filter(|at| is_border(token, *at)) {
                set(&mut pairs, pair(token, at));
                hashes.push(hash(seed, token, at, at.min(REACH), (token.len() - at).min(REACH)));
            }
        }
        // Sixteen bits a border: one border in sixteen is taken for another.
        let n_bits = (hashes.len() * 16).next_power_of_two().max(1 << 10);
        let mut borders = vec![0; n_bits / 64];
        hashes.iter().for_each(|hash| set(&mut borders, *hash as usize & (n_bits - 1)));
        Self { pairs, borders, seed }
    }

    /// Appends the safe cuts of a piece, and its end.
    pub fn split(&self, piece: &[u8], ends: &mut Vec<usize>) {
        ends.extend((1..piece.len()).filter(|at| is_border(piece, *at) && !self.may_be_spanned(piece, *at)));
        ends.push(piece.len());
    }

    #[inline]
    fn may_be_spanned(&self, piece: &[u8], at: usize) -> bool {
        if !is_set(&self.pairs, pair(piece, at)) {
            return false;
        }
        let (most_left, most_right) = (at.min(REACH), (piece.len() - at).min(REACH));
        (1..=most_left)
            .any(|left| (1..=most_right).any(|right| is_set(&self.borders, self.border(piece, at, left, right))))
    }

    /// The bit of the `left` bytes before and the `right` bytes behind a place.
    #[inline]
    fn border(&self, text: &[u8], at: usize, left: usize, right: usize) -> usize {
        hash(self.seed, text, at, left, right) as usize & (self.borders.len() * 64 - 1)
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

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

#[inline]
fn is_set(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 == 1
}
