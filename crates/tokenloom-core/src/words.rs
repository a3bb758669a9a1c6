//! Whole pieces as tokens: a dictionary of words, one token for numbers that it lacks, and one for all others.

use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::scan::classes::class_at;
use crate::spec::WordModel;
use crate::vocab::Vocabulary;

/// Looks up pieces.
#[derive(Debug)]
pub struct Words {
    unk_id: u32,
    number_id: Option<u32>,
}

impl Words {
    /// Looks for the tokens of unknown words and of numbers.
    pub fn new(vocabulary: &Vocabulary, model: &WordModel) -> Result<Self> {
        let id_of = |token: &str| vocabulary.id_of(token.as_bytes());
        let unknown = || Error::MissingUnknown { token: model.unk_token.clone() };
        let no_number = Error::SpecArrays { array: "token_bytes", problem: "lack the number_token of the model" };
        let number_id = model.number_token.as_deref().map(|token| id_of(token).ok_or(no_number)).transpose()?;
        Ok(Self { unk_id: id_of(&model.unk_token).ok_or_else(unknown)?, number_id })
    }

    /// The id of a piece.
    pub(crate) fn id_of(&self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        let missing = || self.number_id.filter(|_| is_number(piece)).unwrap_or(self.unk_id);
        vocabulary.model_id_of(piece).unwrap_or_else(missing)
    }
}

/// Whether all characters of a piece are numbers; invalid bytes are none, and there is at least one character.
pub fn is_number(piece: &[u8]) -> bool {
    let mut at = 0;
    while at < piece.len() {
        let (class, n_bytes) = class_at(piece, at);
        if !class.is_number() {
            return false;
        }
        at += n_bytes;
    }
    at > 0
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
