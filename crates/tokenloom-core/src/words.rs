//! Whole pieces as tokens: a dictionary of words, and one token for all others.

use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::spec::WordModel;
use crate::vocab::Vocabulary;

/// Looks up pieces.
#[derive(Debug)]
pub struct Words {
    unk_id: u32,
}

impl Words {
    /// Looks for the token of unknown words.
    pub fn new(vocabulary: &Vocabulary, model: &WordModel) -> Result<Self> {
        let missing = || Error::MissingUnknown { token: model.unk_token.clone() };
        let unk_id = vocabulary.id_of(model.unk_token.as_bytes()).ok_or_else(missing)?;
        Ok(Self { unk_id })
    }

    /// The id of a piece.
    pub(crate) fn id_of(&self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        vocabulary.model_id_of(piece).unwrap_or(self.unk_id)
    }
}

impl Encode for Words {
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        Some(self.id_of(vocabulary, piece))
    }

    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        ids.push(self.id_of(vocabulary, piece));
        Ok(())
    }
}
