//! Whole pieces as tokens: a dictionary of words, and one token for all others.

use crate::Tick;
use crate::bpe::scored_tables::byte_ids;
use crate::encoder::{Encode, TakeSpan};
use crate::error::{Error, Result};
use crate::spec::WordModel;
use crate::vocab::Vocabulary;

/// Looks up pieces.
#[derive(Debug)]
pub struct Words {
    unk_id: u32,
    fuse_unk: bool,
    byte_ids: Option<Box<[u32; 256]>>,
}

impl Words {
    /// Looks for the token of unknown words.
    pub fn new(vocabulary: &Vocabulary, model: &WordModel) -> Result<Self> {
        let missing = || Error::MissingUnknown { token: model.unk_token.clone() };
        let unk_id = vocabulary.id_of(model.unk_token.as_bytes()).ok_or_else(missing)?;
        let byte_ids = if model.byte_fallback { byte_ids(vocabulary) } else { None };
        Ok(Self { unk_id, fuse_unk: model.fuse_unk, byte_ids })
    }

    /// The unknown token, if neighbouring ones become one.
    pub(crate) fn fused_unknown(&self) -> Option<u32> {
        self.fuse_unk.then_some(self.unk_id)
    }

    /// The id of a piece; None if its bytes stand for it.
    fn id_of(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        let id = vocabulary.model_id_of(piece).filter(|id| !self.is_byte(*id)).unwrap_or(self.unk_id);
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

impl Encode for Words {
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        self.id_of(vocabulary, piece)
    }

    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        self.spans(vocabulary, piece, &mut |id, _| ids.push(id));
        Ok(())
    }
}
