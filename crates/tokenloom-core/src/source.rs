//! Where the tables of a tokenizer come from: arrays that they are built of, or sections in which they are ready.

use crate::Tick;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::packed::Packed;
use crate::spec::{AddedToken, Model};
use crate::vocab::Vocabulary;

/// The arrays of a tokenizer's description.
#[derive(Clone, Copy, Debug)]
pub struct Arrays<'a> {
    /// All token bytes, joined in id order.
    pub token_bytes: &'a [u8],
    /// Where each token begins, and the end: one more than ids.
    pub token_offsets: &'a [u32],
    /// Pairs of ids in rank order.
    pub merges: &'a [(u32, u32)],
    /// The score of each id, for models that have scores.
    pub scores: &'a [f64],
}

/// What a tokenizer is built of beside its small parts.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The tables are made.
    Arrays(Arrays<'a>),
    /// The tables are there.
    Packed(&'a Packed),
}

impl Source<'_> {
    /// The tokens.
    pub(crate) fn vocabulary(self, added_tokens: &[AddedToken]) -> Result<Vocabulary> {
        match self {
            Self::Arrays(arrays) => Vocabulary::new(arrays.token_bytes, arrays.token_offsets, added_tokens),
            Self::Packed(packed) => Vocabulary::unpack(packed, added_tokens),
        }
    }

    /// The encoder of a model, with the tokens from the same source.
    pub(crate) fn encoder(
        self,
        vocabulary: &Vocabulary,
        model: &Model,
        cache_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<Encoder> {
        match self {
            Self::Arrays(arrays) => Encoder::new(vocabulary, arrays, model, cache_bytes, tick),
            Self::Packed(packed) => Encoder::unpack(packed, vocabulary, model, cache_bytes),
        }
    }
}
