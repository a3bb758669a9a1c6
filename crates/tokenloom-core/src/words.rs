//! Whole pieces as tokens: a dictionary of words, one token for numbers that it lacks, and one for all others.

use crate::Tick;
use crate::byte_tokens::byte_ids;
use crate::encoder::{Encode, TakeSpan};
use crate::error::{Error, Result};
use crate::scan::classes::class_at;
use crate::spec::WordModel;
use crate::vocab::Vocabulary;

/// Looks up pieces.
#[derive(Debug)]
pub struct Words {
    unk_id: u32,
    fuse_unk: bool,
    byte_ids: Option<Box<[u32; 256]>>,
    number_id: Option<u32>,
}

impl Words {
    /// Looks for the tokens of unknown words and of numbers.
    pub fn new(vocabulary: &Vocabulary, model: &WordModel) -> Result<Self> {
        let id_of = |token: &str| vocabulary.id_of(token.as_bytes());
        let unknown = || Error::MissingUnknown { token: model.unk_token.clone() };
        let no_number = Error::SpecArrays { array: "token_bytes", problem: "lack the number_token of the model" };
        let number_id = model.number_token.as_deref().map(|token| id_of(token).ok_or(no_number)).transpose()?;
        let byte_ids = if model.byte_fallback { byte_ids(vocabulary) } else { None };
        Ok(Self { unk_id: id_of(&model.unk_token).ok_or_else(unknown)?, fuse_unk: model.fuse_unk, byte_ids, number_id })
    }

    /// The unknown token, if neighbouring ones become one.
    pub(crate) fn fused_unknown(&self) -> Option<u32> {
        self.fuse_unk.then_some(self.unk_id)
    }

    /// The id of a piece; None if its bytes stand for it.
    fn id_of(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        let missing = || self.number_id.filter(|_| is_number(piece)).unwrap_or(self.unk_id);
        let id = vocabulary.model_id_of(piece).filter(|id| !self.is_byte(*id)).unwrap_or_else(missing);
        Some(id).filter(|id| *id != self.unk_id || self.byte_ids.is_none())
    }

    /// Whether a token stands for a byte, and not for the text that is its name.
    fn is_byte(&self, id: u32) -> bool {
        self.byte_ids.as_ref().is_some_and(|byte_ids| byte_ids.contains(&id))
    }

    /// The ids of a piece, each with the stretch of it that it stands for.
    pub(crate) fn spans(&self, vocabulary: &Vocabulary, piece: &[u8], take: TakeSpan<'_>) {
        match (self.id_of(vocabulary, piece), &self.byte_ids) {
            (None, Some(byte_ids)) => {
                piece.iter().zip(0..).for_each(|(byte, at)| take(byte_ids[usize::from(*byte)], at..at + 1));
            }
            (id, _) => take(id.unwrap_or(self.unk_id), 0..piece.len()),
        }
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
        self.id_of(vocabulary, piece)
    }

    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        self.spans(vocabulary, piece, &mut |id, _| ids.push(id));
        Ok(())
    }
}
