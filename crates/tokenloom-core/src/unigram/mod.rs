//! Unigram: of all ways to cut a piece into tokens the most probable one.

pub mod training;

use std::ops::Range;

use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{Packed, Parts};
use crate::spec::UnigramModel;
use crate::vocab::Vocabulary;

/// A unigram encoder.
#[derive(Debug)]
pub struct Unigram {}

impl Unigram {
    /// Builds the encoder.
    pub fn new(_vocabulary: &Vocabulary, _scores: &[f64], _model: &UnigramModel, _tick: Tick<'_>) -> Result<Self> {
        Err(Error::SpecArrays { array: "token_bytes", problem: "are of a model that is not built yet" })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &UnigramModel, tick: Tick<'_>) -> Result<Self> {
        Self::new(vocabulary, &packed.table::<f64>("scores")?, model, tick)
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, _parts: &mut Parts) {}

    /// The ids of a piece, each with the stretch of the piece that it stands for.
    pub fn spans(
        &self,
        _vocabulary: &Vocabulary,
        _piece: &[u8],
        _take: impl FnMut(u32, Range<usize>),
        _tick: Tick<'_>,
    ) -> Result<()> {
        Ok(())
    }
}

impl Encode for Unigram {
    fn whole_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8]) -> Option<u32> {
        None
    }

    fn merge_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8], _ids: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        Ok(())
    }
}
