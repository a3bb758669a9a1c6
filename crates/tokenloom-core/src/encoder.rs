//! The encoders, and which one a model asks for. The choice is made once for each piece that no cache knows.

use std::ops::Range;

use crate::Tick;
use crate::bpe::characters::CharacterBpe;
use crate::bpe::cuts::SafeCuts;
use crate::bpe::encode::Bpe;
use crate::bpe::scored::ScoredBpe;
use crate::error::Result;
use crate::packed::{Packed, Parts};
use crate::scan::Scanner;
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
    /// Whether a text that nothing cuts may be encoded as two, cut at a place where a character begins, whatever stands
    /// farther than [`SAFE_CUT_REACH_BYTES`](crate::scan::SAFE_CUT_REACH_BYTES) from it. False is always a right answer.
    fn is_safe_border(&self, _text: &[u8], _at: usize) -> bool {
        false
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
    /// Joins characters by scores.
    Scored(ScoredBpe),
    /// Takes the longest token at each place.
    Wordpiece(Wordpiece),
    /// Takes the most probable tokens.
    Unigram(Unigram),
    /// Takes pieces whole.
    Words(Words),
}

impl Encoder {
    /// Builds the encoder of a model.
    pub fn new(
        vocabulary: &Vocabulary,
        arrays: Arrays<'_>,
        model: &Model,
        cache_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<Self> {
        if let Some(rules) = model.scores() {
            return ScoredBpe::new(vocabulary, arrays.scores, rules, tick).map(Self::Scored);
        }
        Ok(match model {
            Model::Bpe(bpe) => match bpe.characters() {
                None => Self::Bytes(Bpe::new(vocabulary, arrays.merges, bpe.semantics, bpe.ignore_merges, tick)?),
                Some(rules) => {
                    Self::Characters(CharacterBpe::new(vocabulary, arrays.merges, rules, bpe.ignore_merges, tick)?)
                }
            },
            Model::Wordpiece(model) => Self::Wordpiece(Wordpiece::new(vocabulary, model)?),
            Model::Unigram(model) => Self::Unigram(Unigram::new(vocabulary, arrays.scores, model, cache_bytes)?),
            Model::Word(model) => Self::Words(Words::new(vocabulary, model)?),
        })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &Model, cache_bytes: usize) -> Result<Self> {
        if let Some(rules) = model.scores() {
            return ScoredBpe::unpack(packed, vocabulary, rules).map(Self::Scored);
        }
        Ok(match model {
            Model::Bpe(bpe) => {
                let (merges, ignore) = (packed.table::<[u32; 2]>("merges")?, bpe.ignore_merges);
                match bpe.characters() {
                    None => Self::Bytes(Bpe::unpack(packed, vocabulary, merges.len(), bpe.semantics, ignore)?),
                    Some(rules) => Self::Characters(CharacterBpe::unpack(packed, vocabulary, &merges, rules, ignore)?),
                }
            }
            Model::Wordpiece(model) => Self::Wordpiece(Wordpiece::unpack(packed, vocabulary, model)?),
            Model::Unigram(model) => Self::Unigram(Unigram::unpack(packed, vocabulary, model, cache_bytes)?),
            Model::Word(model) => Self::Words(Words::new(vocabulary, model)?),
        })
    }

    /// Forgets what it keeps of texts.
    pub fn clear_caches(&self) {
        if let Self::Unigram(model) = self {
            model.clear_caches();
        }
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, vocabulary: &Vocabulary, parts: &mut Parts) -> Result<()> {
        match self {
            Self::Scored(model) => model.pack(parts)?,
            Self::Bytes(model) => model.pack(parts),
            Self::Characters(model) => model.pack(parts),
            Self::Wordpiece(model) => model.pack(vocabulary, parts)?,
            // Their tables are made of the arrays that the file has anyway.
            Self::Unigram(_) | Self::Words(_) => {}
        }
        Ok(())
    }

    /// Cuts a text further than the pretokenizer does, where that changes no id.
    pub(crate) fn scanner(&self) -> Option<Scanner> {
        match self {
            Self::Scored(model) => model.borders().cloned().map(Scanner::Borders),
            _ => None,
        }
    }

    /// The token of which neighbouring ones become one at the end.
    pub(crate) fn fused_unknown(&self) -> Option<u32> {
        match self {
            Self::Scored(model) => model.fused_unknown(),
            Self::Words(model) => model.fused_unknown(),
            _ => None,
        }
    }

    /// Whether ids may depend on the pieces of a text together.
    pub(crate) fn joins_pieces(&self) -> bool {
        match self {
            Self::Scored(model) => model.joins_words(),
            Self::Words(model) => model.fused_unknown().is_some(),
            Self::Unigram(model) => model.joins_words(),
            _ => false,
        }
    }

    /// Where long pieces may be cut before they are looked up, for models that such pieces are common for.
    pub(crate) fn wide_cuts(&self) -> Option<&SafeCuts> {
        match self {
            Self::Bytes(model) => Some(model.cuts()),
            Self::Scored(model) => model.cuts(),
            Self::Characters(_) | Self::Wordpiece(_) | Self::Unigram(_) | Self::Words(_) => None,
        }
    }

    /// See `Encode::is_safe_border`.
    pub(crate) fn is_safe_border(&self, text: &[u8], at: usize) -> bool {
        match self {
            Self::Bytes(model) => model.is_safe_border(text, at),
            Self::Characters(model) => model.is_safe_border(text, at),
            Self::Scored(model) => model.is_safe_border(text, at),
            Self::Wordpiece(model) => model.is_safe_border(text, at),
            Self::Unigram(model) => model.is_safe_border(text, at),
            Self::Words(model) => model.is_safe_border(text, at),
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
            Self::Scored(model) => model.spans(piece, take, tick)?,
            Self::Words(model) => model.spans(vocabulary, piece, take),
        }
        Ok(())
    }
}
