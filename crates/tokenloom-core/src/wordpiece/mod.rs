//! WordPiece: at each place of a word the longest token that fits.

pub mod start;

use std::ops::Range;

use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{Packed, Parts};
use crate::spec::WordpieceModel;
use crate::vocab::Vocabulary;

/// A WordPiece encoder.
#[derive(Debug)]
pub struct Wordpiece {}

impl Wordpiece {
    /// Builds the encoder.
    pub fn new(_vocabulary: &Vocabulary, _model: &WordpieceModel, _tick: Tick<'_>) -> Result<Self> {
        Err(Error::SpecArrays { array: "token_bytes", problem: "are of a model that is not built yet" })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(_packed: &Packed, vocabulary: &Vocabulary, model: &WordpieceModel, tick: Tick<'_>) -> Result<Self> {
        Self::new(vocabulary, model, tick)
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

impl Encode for Wordpiece {
    fn whole_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8]) -> Option<u32> {
        None
    }

    fn merge_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8], _ids: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        Ok(())
    }
}
