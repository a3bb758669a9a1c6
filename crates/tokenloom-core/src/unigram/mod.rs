//! Unigram: of all ways to cut a piece into tokens the one with the highest sum of scores.
//!
//! Two libraries define it, and ids depend on how each adds: see [`viterbi`]. Beside that they differ in what is a token:
//!
//! * `sentencepiece`: unknown, control, byte and unused pieces are never found in text. A user-defined piece of `n` bytes has
//!   the score `0.1 * (n - 1)`, whatever the file says. The score of an unknown character is 10 less than the lowest one of
//!   a normal piece.
//! * `tokenizers`: every token is found in text, and every score counts for the lowest.
//!
//! An unknown character becomes the tokens of its bytes with `byte_fallback`; else it and unknown neighbours are one unknown
//! token. `tokenizers` joins them first, and takes the token or the byte tokens of what was joined.

mod trie;
mod viterbi;

pub mod training;

use std::ops::Range;

use self::trie::Trie;
use self::viterbi::Steps;
use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{Packed, Parts};
use crate::spec::{UnigramModel, UnigramSemantics};
use crate::vocab::Vocabulary;

/// How much lower than the lowest score that of an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

/// What a user-defined piece gains for each byte but the first.
const USER_DEFINED_BONUS: f64 = 0.1;

/// Ids whose tokens are not normal ones, of a model with the semantics of `sentencepiece`. Control pieces need not be told:
/// they are no tokens of the model. The unknown token and those of bytes are known by their text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kinds<'a> {
    /// These are nearly always taken where they stand in a text.
    pub user_defined: &'a [u32],
    /// These are never taken.
    pub unused: &'a [u32],
}

/// A unigram encoder.
#[derive(Debug)]
pub struct Unigram {
    trie: Trie,
    rules: Rules,
}

/// All but the trie.
#[derive(Debug)]
struct Rules {
    semantics: UnigramSemantics,
    /// By id, as they are added.
    scores: Vec<f64>,
    unk_id: Option<u32>,
    unk_score: f64,
    byte_fallback: bool,
    byte_ids: Box<[Option<u32>; 256]>,
    /// The bytes of the longest token, or of an unknown character.
    longest: usize,
}

impl Unigram {
    /// Builds the encoder of a model all of whose tokens are normal ones.
    pub fn new(vocabulary: &Vocabulary, scores: &[f64], model: &UnigramModel, tick: Tick<'_>) -> Result<Self> {
        Self::with_kinds(vocabulary, scores, model, Kinds::default(), tick)
    }

    /// Builds the encoder of a model, some of whose tokens are of other kinds.
    pub fn with_kinds(
        vocabulary: &Vocabulary,
        scores: &[f64],
        model: &UnigramModel,
        kinds: Kinds<'_>,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let (rules, hidden) = Rules::new(vocabulary, scores, model, kinds)?;
        let tokens = vocabulary.model_tokens().filter(|(id, _)| !hidden[*id as usize]);
        let trie = Trie::new(tokens.map(|(id, token)| (token, id)).collect(), tick)?;
        Ok(Self { trie, rules })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &UnigramModel, _tick: Tick<'_>) -> Result<Self> {
        let (rules, _) = Rules::new(vocabulary, &packed.table::<f64>("scores")?, model, Kinds::default())?;
        Ok(Self { trie: Trie::unpack(packed, vocabulary.size())?, rules })
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, parts: &mut Parts) {
        self.trie.pack(parts);
    }

    /// The ids of a piece, each with the stretch of the piece that it stands for. With the semantics of `sentencepiece` a
    /// byte token stands for its byte; with those of `tokenizers` for all unknown characters that stand together.
    pub fn spans(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        mut take: impl FnMut(u32, Range<usize>),
        tick: Tick<'_>,
    ) -> Result<()> {
        let mut steps = Steps::default();
        self.best(piece, 0.0, &mut steps, tick)?;
        self.rules.emit(vocabulary, piece, steps.path(piece.len()), &mut take);
        Ok(())
    }
}

impl Encode for Unigram {
    fn whole_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8]) -> Option<u32> {
        None
    }

    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        self.spans(vocabulary, piece, |id, _| ids.push(id), tick)
    }
}

impl Rules {
    /// The rules, and which tokens are never found in text.
    fn new(
        vocabulary: &Vocabulary,
        scores: &[f64],
        model: &UnigramModel,
        kinds: Kinds<'_>,
    ) -> Result<(Self, Vec<bool>)> {
        let n_ids = vocabulary.size();
        if scores.len() != n_ids {
            return Err(Error::SpecArrays { array: "scores", problem: "are not one of each id" });
        }
        let unk_id = model.unk_token.as_ref().map(|token| {
            let missing = || Error::MissingUnknown { token: token.clone() };
            vocabulary.model_id_of(token.as_bytes()).ok_or_else(missing)
        });
        let byte_id = |byte: usize| vocabulary.model_id_of(format!("<0x{byte:02X}>").as_bytes());
        let byte_ids = std::array::from_fn(|byte| if model.byte_fallback { byte_id(byte) } else { None });
        let mut rules = Self {
            semantics: model.semantics,
            scores: scores.to_vec(),
            unk_id: unk_id.transpose()?,
            unk_score: f64::INFINITY,
            byte_fallback: model.byte_fallback,
            byte_ids: Box::new(byte_ids),
            longest: vocabulary.model_tokens().map(|(_, token)| token.len()).fold(4, usize::max),
        };
        let mut hidden = vec![false; n_ids];
        match model.semantics {
            UnigramSemantics::Tokenizers => {
                rules.unk_score = scores.iter().copied().fold(f64::INFINITY, f64::min) - UNKNOWN_PENALTY;
            }
            UnigramSemantics::Sentencepiece => rules.narrow(vocabulary, kinds, &mut hidden)?,
        }
        Ok((rules, hidden))
    }

    /// Makes the scores those of `sentencepiece`, and notes which tokens are never found in text.
    fn narrow(&mut self, vocabulary: &Vocabulary, kinds: Kinds<'_>, hidden: &mut [bool]) -> Result<()> {
        self.scores.iter_mut().for_each(|score| *score = f64::from(*score as f32));
        let never = kinds.unused.iter().chain(&self.unk_id).chain(self.byte_ids.iter().flatten());
        let problem = "have no token for an id that is named";
        for id in never {
            *hidden.get_mut(*id as usize).ok_or(Error::SpecArrays { array: "token_bytes", problem })? = true;
        }
        let mut is_normal: Vec<bool> = hidden.iter().map(|hidden| !hidden).collect();
        for id in kinds.user_defined {
            let token = vocabulary.bytes_of(*id).ok_or(Error::SpecArrays { array: "token_bytes", problem })?;
            self.scores[*id as usize] = f64::from((USER_DEFINED_BONUS * (token.len() - 1) as f64) as f32);
            is_normal[*id as usize] = false;
        }
        let normal = vocabulary.model_tokens().filter(|(id, _)| is_normal[*id as usize]);
        let lowest = normal.map(|(id, _)| self.scores[id as usize]).fold(f64::from(f32::MAX), f64::min);
        self.unk_score = f64::from((lowest - UNKNOWN_PENALTY) as f32);
        Ok(())
    }

    /// Gives the ids of a path, which comes from its end.
    fn emit(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        path: impl Iterator<Item = (u32, Range<usize>)>,
        take: &mut impl FnMut(u32, Range<usize>),
    ) {
        let mut path: Vec<(u32, Range<usize>)> = path.collect();
        path.reverse();
        let mut path = path.into_iter().peekable();
        while let Some((id, mut span)) = path.next() {
            if Some(id) != self.unk_id {
                take(id, span);
                continue;
            }
            let is_tokenizers = self.semantics == UnigramSemantics::Tokenizers;
            while (is_tokenizers || !self.byte_fallback)
                && let Some((_, next)) = path.next_if(|(next, _)| *next == id)
            {
                span.end = next.end;
            }
            if is_tokenizers {
                self.emit_joined(vocabulary, piece, id, span, take);
            } else if self.byte_fallback {
                span.for_each(|at| take(self.byte_ids[usize::from(piece[at])].unwrap_or(id), at..at + 1));
            } else {
                take(id, span);
            }
        }
    }

    /// Gives the ids of unknown characters that were joined.
    fn emit_joined(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        unk_id: u32,
        span: Range<usize>,
        take: &mut impl FnMut(u32, Range<usize>),
    ) {
        let text = &piece[span.clone()];
        let byte_id = |byte: &u8| self.byte_ids[usize::from(*byte)];
        if let Some(id) = vocabulary.model_id_of(text) {
            take(id, span);
        } else if text.iter().all(|byte| byte_id(byte).is_some()) {
            text.iter().filter_map(byte_id).for_each(|id| take(id, span.clone()));
        } else {
            take(unk_id, span);
        }
    }
}
