//! The encoders, and which one a model asks for. The choice is made once for each piece that no cache knows.

use super::characters::CharacterBpe;
use super::encode::Bpe;
use crate::Tick;
use crate::error::Result;
use crate::packed::{Packed, Parts};
use crate::spec::BpeModel;
use crate::vocab::Vocabulary;

/// Turns pieces into ids.
pub trait Encode {
    /// The id of a piece that is a token as a whole, where that is asked for before anything is merged.
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32>;
    /// Appends the ends of the parts of a piece that may be merged each by itself; the last is the end of the piece.
    fn safe_cuts(&self, piece: &[u8], ends: &mut Vec<usize>);
    /// Appends the ids of a piece, or of what lies between two safe cuts, by merging.
    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()>;
}

/// One of the encoders.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a tokenizer has one")]
pub enum Encoder {
    /// Merges bytes.
    Bytes(Bpe),
    /// Merges characters.
    Characters(CharacterBpe),
}

impl Encoder {
    /// Builds the encoder of a model. `merges` are pairs of ids in rank order.
    pub fn new(vocabulary: &Vocabulary, merges: &[(u32, u32)], model: &BpeModel, tick: Tick<'_>) -> Result<Self> {
        Ok(match model.characters() {
            None => Self::Bytes(Bpe::new(vocabulary, merges, model.semantics, model.ignore_merges, tick)?),
            Some(rules) => Self::Characters(CharacterBpe::new(vocabulary, merges, rules, model.ignore_merges, tick)?),
        })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &BpeModel) -> Result<Self> {
        let (merges, ignore) = (packed.table::<[u32; 2]>("merges")?, model.ignore_merges);
        Ok(match model.characters() {
            None => Self::Bytes(Bpe::unpack(packed, vocabulary, merges.len(), model.semantics, ignore)?),
            Some(rules) => Self::Characters(CharacterBpe::unpack(packed, vocabulary, &merges, rules, ignore)?),
        })
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, parts: &mut Parts) {
        match self {
            Self::Bytes(model) => model.pack(parts),
            Self::Characters(model) => model.pack(parts),
        }
    }
}
