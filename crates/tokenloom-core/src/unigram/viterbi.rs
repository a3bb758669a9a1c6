//! The best way through a piece, in one pass from left to right.
//!
//! At each character all tokens that begin there are tried, the shortest first, and at each end the first of equal sums
//! stays. A character that is no token by itself may be unknown. So ids depend on how sums are rounded:
//!
//! * `sentencepiece` adds numbers of 32 bits, from the beginning of the text: its rounding decides between close ways. Where
//!   the best sum to a place is more than 100,000 from zero, it is taken from that sum, which becomes zero, and from those
//!   of all places behind it that some token reaches already.
//! * `tokenizers` adds numbers of 64 bits.
//!
//! Sums are kept in 64 bits here. A sum of two numbers of 32 bits that is rounded to 64 and then to 32 bits is what it is
//! when it is rounded to 32 bits at once, because 64 bits have more than twice as many digits.

use std::ops::Range;

use super::Unigram;
use crate::Tick;
use crate::error::{Error, Result};
use crate::spec::UnigramSemantics;

/// No token ends here.
pub const NO_ID: u32 = u32::MAX;

/// Bytes between two ticks.
const TICK_BYTES: usize = 1 << 16;

/// The best way to a place in a piece.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    sum: f64,
    /// The last token, or the unknown one; `NO_ID` where no way leads.
    id: u32,
    /// Its length.
    length: u32,
}

const NOWHERE: Step = Step { sum: 0.0, id: NO_ID, length: 0 };

/// The best way to each place of a piece.
#[derive(Debug, Default)]
pub struct Steps(Vec<Step>);

impl Steps {
    /// The tokens of the best way to a place, the last one first.
    pub fn path(&self, end: usize) -> impl Iterator<Item = (u32, Range<usize>)> {
        let mut at = end;
        std::iter::from_fn(move || {
            let step = self.0.get(at).filter(|_| at > 0)?;
            let end = at;
            at -= step.length as usize;
            Some((step.id, at..end))
        })
    }
}

/// How sums are rounded.
trait Rounding {
    /// A sum that is farther from zero is taken from all.
    const FARTHEST: f64;
    /// The sum of a score and the sum before it.
    fn sum(score: f64, before: f64) -> f64;
}

struct Single;
struct Double;

impl Rounding for Single {
    const FARTHEST: f64 = 1e5;

    #[inline(always)]
    fn sum(score: f64, before: f64) -> f64 {
        f64::from((score + before) as f32)
    }
}

impl Rounding for Double {
    const FARTHEST: f64 = f64::INFINITY;

    #[inline(always)]
    fn sum(score: f64, before: f64) -> f64 {
        score + before
    }
}

impl Unigram {
    /// Finds the best way to each place of a piece, before which there is a sum. Returns the sum at its end.
    pub(super) fn best(&self, piece: &[u8], before: f64, steps: &mut Steps, tick: Tick<'_>) -> Result<f64> {
        if u32::try_from(piece.len()).is_err() {
            return Err(Error::PieceTooLong { length_bytes: piece.len() });
        }
        match self.rules.semantics {
            UnigramSemantics::Sentencepiece => self.best_rounded::<Single>(piece, before, steps, tick),
            UnigramSemantics::Tokenizers => self.best_rounded::<Double>(piece, before, steps, tick),
        }
    }

    fn best_rounded<R: Rounding>(
        &self,
        piece: &[u8],
        before: f64,
        Steps(steps): &mut Steps,
        tick: Tick<'_>,
    ) -> Result<f64> {
        steps.clear();
        steps.resize(piece.len() + 1, NOWHERE);
        steps[0].sum = before;
        let (mut at, mut tick_at) = (0, TICK_BYTES);
        while at < piece.len() {
            if steps[at].sum.abs() > R::FARTHEST {
                self.take_from_all::<R>(&mut steps[at..]);
            }
            let before = steps[at].sum;
            let n_bytes = character_bytes(&piece[at..]);
            let behind = &mut steps[at..];
            let mut is_known = false;
            self.trie.prefixes(&piece[at..], |length, id| {
                let sum = R::sum(self.rules.scores[id as usize], before);
                let step = &mut behind[length];
                if step.id == NO_ID || sum > step.sum {
                    *step = Step { sum, id, length: length as u32 };
                }
                is_known |= length == n_bytes;
            });
            if !is_known {
                let sum = R::sum(self.rules.unk_score, before);
                let step = &mut behind[n_bytes];
                if step.id == NO_ID || sum > step.sum {
                    let id = self.rules.unk_id.ok_or_else(|| unknown(&piece[at..at + n_bytes]))?;
                    *step = Step { sum, id, length: n_bytes as u32 };
                }
            }
            at += n_bytes;
            if at >= tick_at {
                tick_at = at + TICK_BYTES;
                tick(0)?;
            }
        }
        Ok(steps[piece.len()].sum)
    }

    /// Takes the first sum from all.
    #[cold]
    fn take_from_all<R: Rounding>(&self, steps: &mut [Step]) {
        let first = steps[0].sum;
        for step in steps.iter_mut().take(self.rules.longest + 1) {
            step.sum = R::sum(-first, step.sum);
        }
    }
}

/// The length of the first character of a text. A byte outside valid UTF-8 is one.
#[inline(always)]
pub fn character_bytes(text: &[u8]) -> usize {
    let n_bytes = match text[0] {
        ..0xC0 => return 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    if text.get(..n_bytes).is_some_and(|character| str::from_utf8(character).is_ok()) { n_bytes } else { 1 }
}

fn unknown(character: &[u8]) -> Error {
    Error::MissingCharacter { character: character.to_vec() }
}
