//! The encoders, and which one a model asks for. The choice is made once for each piece that no cache knows.

use std::ops::Range;

use crate::Tick;
use crate::bpe::characters::CharacterBpe;
use crate::bpe::cuts::SafeCuts;
use crate::bpe::encode::Bpe;
use crate::error::Result;
use crate::packed::{Packed, Parts};
use crate::source::Arrays;
use crate::spec::Model;
use crate::unigram::Unigram;
use crate::vocab::Vocabulary;
use crate::wordpiece::Wordpiece;
use crate::words::Words;

/// Takes an id, with the stretch of the piece that it stands for.
pub type TakeSpan<'a> = &'a mut dyn FnMut(u32, Range<usize>);

/// Turns pieces into ids.
pub trait Encode {
    /// The id of a piece that is a token as a whole, where that is asked for before anything else.
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32>;
    /// Appends the ends of the parts of a piece that may be encoded each by itself; the last is the end of the piece.
    fn safe_cuts(&self, piece: &[u8], ends: &mut Vec<usize>) {
        ends.push(piece.len());
    }
    /// Appends the ids of a piece, or of what lies between two safe cuts.
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
    /// Takes the longest token at each place.
    Wordpiece(Wordpiece),
    /// Takes the most probable tokens.
    Unigram(Unigram),
    /// Takes pieces whole.
    Words(Words),
}

impl Encoder {
    /// Builds the encoder of a model.
    pub fn new(vocabulary: &Vocabulary, arrays: Arrays<'_>, model: &Model, tick: Tick<'_>) -> Result<Self> {
        Ok(match model {
            Model::Bpe(bpe) => match bpe.characters() {
                None => Self::Bytes(Bpe::new(vocabulary, arrays.merges, bpe.semantics, bpe.ignore_merges, tick)?),
                Some(rules) => {
                    Self::Characters(CharacterBpe::new(vocabulary, arrays.merges, rules, bpe.ignore_merges, tick)?)
                }
            },
            Model::Wordpiece(model) => Self::Wordpiece(Wordpiece::new(vocabulary, model)?),
            Model::Unigram(model) => Self::Unigram(Unigram::new(vocabulary, arrays.scores, model, tick)?),
            Model::Word(model) => Self::Words(Words::new(vocabulary, model)?),
        })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &Model, tick: Tick<'_>) -> Result<Self> {
        Ok(match model {
            Model::Bpe(bpe) => {
                let (merges, ignore) = (packed.table::<[u32; 2]>("merges")?, bpe.ignore_merges);
                match bpe.characters() {
                    None => Self::Bytes(Bpe::unpack(packed, vocabulary, merges.len(), bpe.semantics, ignore)?),
                    Some(rules) => Self::Characters(CharacterBpe::unpack(packed, vocabulary, &merges, rules, ignore)?),
                }
            }
            Model::Wordpiece(model) => Self::Wordpiece(Wordpiece::unpack(packed, vocabulary, model)?),
            Model::Unigram(model) => Self::Unigram(Unigram::unpack(packed, vocabulary, model, tick)?),
            Model::Word(model) => Self::Words(Words::new(vocabulary, model)?),
        })
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, vocabulary: &Vocabulary, parts: &mut Parts) -> Result<()> {
        match self {
            Self::Bytes(model) => model.pack(parts),
            Self::Characters(model) => model.pack(parts),
            Self::Wordpiece(model) => model.pack(vocabulary, parts)?,
            Self::Unigram(model) => model.pack(parts),
            Self::Words(_) => {}
        }
        Ok(())
    }

    /// Where long pieces may be cut before they are looked up, for models that such pieces are common for.
    pub(crate) fn wide_cuts(&self) -> Option<&SafeCuts> {
        match self {
            Self::Bytes(model) => Some(model.cuts()),
            Self::Characters(_) | Self::Wordpiece(_) | Self::Unigram(_) | Self::Words(_) => None,
        }
    }

    /// Gives the ids of a piece, each with the stretch of the piece that it stands for; none where tokens have the bytes of
    /// the text, so that their lengths say as much.
    pub(crate) fn spans(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        take: TakeSpan<'_>,
        tick: Tick<'_>,
    ) -> Result<()> {
        match self {
            Self::Bytes(_) => {}
            Self::Characters(model) => model.spans(vocabulary, piece, take, tick)?,
            Self::Wordpiece(model) => model.spans(vocabulary, piece, take, tick)?,
            Self::Unigram(model) => model.spans(vocabulary, piece, take, tick)?,
            Self::Words(model) => take(model.id_of(vocabulary, piece), 0..piece.len()),
        }
        Ok(())
    }
}
