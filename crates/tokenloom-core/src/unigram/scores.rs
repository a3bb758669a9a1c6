//! The scores of tokens, and how sums of them are rounded.
//!
//! `sentencepiece` adds in 32 bits, `tokenizers` in 64. All sums are f64 here, of which those of the first are rounded to 32
//! bits wherever something is added.

use crate::byte_tokens::byte_of;
use crate::spec::{UnigramModel, UnigramSemantics};
use crate::vocab::Vocabulary;

/// An unknown character costs so much more than the least probable token.
const UNKNOWN_PENALTY: f64 = 10.0;

/// The score of a user-defined piece for each byte but the first.
const USER_DEFINED_SCORE: f64 = 0.1;

/// `sentencepiece` counts anew from a place where the sum is farther from zero.
const MOST_SUM: f64 = 100_000.0;

/// What a token may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Taken by its score.
    Normal,
    /// Taken almost always: its score is above zero, and more so the longer it is.
    UserDefined,
    /// Never taken.
    Never,
}

/// The score of each token.
#[derive(Debug)]
pub struct Scores {
    scores: Vec<f64>,
    kinds: Vec<Kind>,
    /// That of a character that is in no token.
    unknown: f64,
    /// Sums have 32 bits.
    are_narrow: bool,
    /// No score is farther from zero.
    largest: f64,
}

impl Scores {
    /// The scores of a model's tokens.
    pub fn new(vocabulary: &Vocabulary, given: &[f64], model: &UnigramModel) -> Self {
        let are_narrow = model.semantics == UnigramSemantics::Sentencepiece;
        let mut kinds = vec![Kind::Never; vocabulary.size()];
        vocabulary.model_tokens().for_each(|(id, _)| kinds[id as usize] = Kind::Normal);
        let is_reserved = |token: &[u8]| {
            let is_byte = model.byte_fallback && byte_of(token).is_some();
            is_byte || model.unk_token.as_ref().is_some_and(|unknown| unknown.as_bytes() == token)
        };
        if are_narrow {
            for (id, _) in vocabulary.model_tokens().filter(|(_, token)| is_reserved(token)) {
                kinds[id as usize] = Kind::Never;
            }
        }
        for (texts, kind) in [(&model.user_defined, Kind::UserDefined), (&model.unused, Kind::Never)] {
            for id in texts.iter().filter_map(|text| vocabulary.model_id_of(text.as_bytes())) {
                kinds[id as usize] = kind;
            }
        }
        Self::of_kinds(vocabulary, given.to_vec(), kinds, are_narrow)
    }

    fn of_kinds(vocabulary: &Vocabulary, mut scores: Vec<f64>, kinds: Vec<Kind>, are_narrow: bool) -> Self {
        let normal = scores.iter().zip(&kinds).filter(|(_, kind)| **kind == Kind::Normal).map(|(score, _)| *score);
        let lowest = normal.fold(if are_narrow { f32::MAX.into() } else { f64::INFINITY }, f64::min);
        let unknown = if are_narrow { f64::from((lowest - UNKNOWN_PENALTY) as f32) } else { lowest - UNKNOWN_PENALTY };
        for (id, _) in (0..).zip(&kinds).filter(|(_, kind)| **kind == Kind::UserDefined) {
            let n_bytes = vocabulary.span(id).len();
            scores[id as usize] = f64::from((USER_DEFINED_SCORE * (n_bytes as f64 - 1.0)) as f32);
        }
        let largest = scores.iter().chain([&unknown]).fold(0.0, |largest: f64, score| largest.max(score.abs()));
        Self { scores, kinds, unknown, are_narrow, largest }
    }
}

impl Scores {
    /// Whether a token may be taken.
    pub fn may_take(&self, id: u32) -> bool {
        self.kinds[id as usize] != Kind::Never
    }

    /// A sum with a token more, or with a character that is in none.
    #[inline(always)]
    pub fn plus(&self, sum: f64, id: Option<u32>) -> f64 {
        self.rounded(sum + self.score(id))
    }

    /// A sum as the library makes it.
    ///
    /// The sum of two numbers of 32 bits, made in 64 and then rounded, is what 32 bits make of it: 64 are more than twice
    /// as many and two.
    #[inline(always)]
    pub fn rounded(&self, sum: f64) -> f64 {
        if self.are_narrow { f64::from(sum as f32) } else { sum }
    }

    /// The score of a token, or of a character that is in none.
    #[inline(always)]
    pub fn score(&self, id: Option<u32>) -> f64 {
        id.map_or(self.unknown, |id| self.scores[id as usize])
    }

    /// Whether a sum is so far from zero that the library counts anew from there, with this as zero.
    #[inline(always)]
    pub fn is_counted_anew(&self, sum: f64) -> bool {
        self.are_narrow && sum.abs() > MOST_SUM
    }

    /// How far from zero a sum may be so that no sum in the unit is counted anew, and so that rounding changes no choice in a unit of so many characters, in which each
    /// choice is made by such a margin or more. Below zero if even there it could.
    ///
    /// A sum is made by adding at most one score a character, and each addition is off by half a unit in the last place of
    /// its result at most. So the two sums that are compared are off by `2 * n * error * (before + n * largest)`
    /// together, at most, and the choice is the exact one while that is less than the margin.
    pub fn most_before(&self, n_characters: usize, margin: f64) -> f32 {
        let error = if self.are_narrow { f64::from(f32::EPSILON) / 2.0 } else { f64::EPSILON / 2.0 };
        let n = (n_characters + 1) as f64;
        let mut most = margin / (2.0 * n * error) * 0.99;
        if self.are_narrow {
            most = most.min(MOST_SUM * 0.99);
        }
        most -= 1.01 * n * self.largest;
        if most.is_nan() { -1.0 } else { (most * 0.999) as f32 }
    }
}
