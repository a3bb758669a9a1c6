//! The model: how pieces become ids.

use serde::{Deserialize, Deserializer, de};

use super::flags::only_true;
use super::other_models::{UnigramModel, WordModel, WordpieceModel};
use super::spec_error;
use crate::error::Result;

/// The model.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Model {
    /// Byte-pair encoding.
    Bpe(BpeModel),
    /// The longest token at each place.
    Wordpiece(WordpieceModel),
    /// The most probable tokens.
    Unigram(UnigramModel),
    /// Whole pieces.
    Word(WordModel),
}

impl Model {
    /// Whether tokens are the bytes of the text, and not strings that a decoder makes text of.
    pub fn joins_bytes(&self) -> bool {
        matches!(self, Self::Bpe(model) if model.characters().is_none())
    }

    /// The rules of a model that merges by scores.
    pub fn scores(&self) -> Option<ScoreRules<'_>> {
        match self {
            Self::Bpe(model) => model.scores(),
            Self::Wordpiece(_) | Self::Unigram(_) | Self::Word(_) => None,
        }
    }

    /// Makes a model read spaces as U+2581, which a text then does not have; false if it cannot.
    pub fn read_marks_as_spaces(&mut self) -> bool {
        match self {
            Self::Bpe(model) if model.semantics == Semantics::Scores => model.marks_are_spaces = true,
            _ => return false,
        }
        true
    }

    /// Refuses what contradicts itself, and a second way to write the same.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Bpe(model) => model.check(),
            Self::Wordpiece(_) | Self::Unigram(_) | Self::Word(_) => Ok(()),
        }
    }
}

/// Byte-pair encoding.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BpeModel {
    /// Which pair is merged first.
    pub semantics: Semantics,
    /// A piece that is a token is that token, whatever merges make of it. Only written where it is true.
    #[serde(default, deserialize_with = "only_true")]
    pub ignore_merges: bool,
    /// What is merged, where it is not bytes.
    unit: Option<Unit>,
    /// The rules of characters that have no token and of affixes, all left out for bytes.
    #[serde(default, deserialize_with = "only_true")]
    byte_fallback: bool,
    #[serde(default, deserialize_with = "some_text")]
    unk_token: Option<String>,
    #[serde(default, deserialize_with = "only_true")]
    fuse_unk: bool,
    #[serde(default, deserialize_with = "some_text")]
    continuing_subword_prefix: Option<String>,
    #[serde(default, deserialize_with = "some_text")]
    end_of_word_suffix: Option<String>,
    #[serde(default, deserialize_with = "only_true")]
    end_of_word_symbol: bool,
    /// Tokens that are taken out of the text first, and tokens that are cut again, both left out where there are none.
    #[serde(default, deserialize_with = "some_texts")]
    user_defined: Vec<String>,
    #[serde(default, deserialize_with = "some_texts")]
    unused: Vec<String>,
    /// The pipeline writes U+2581 as a space before the model sees it; see `normalize`.
    #[serde(skip)]
    pub marks_are_spaces: bool,
}

/// What is merged, where it is not bytes, each of which has a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// Characters, some of which may have no token.
    Character,
}

/// Which adjacent pair is merged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Semantics {
    /// The one that comes first in the merge list.
    Merges,
    /// The one whose joined bytes have the lowest id; a piece that is a token is that token.
    Ranks,
    /// The one whose joined characters have the highest score.
    Scores,
}

/// The rules of a model that merges by scores.
#[derive(Clone, Copy, Debug)]
pub struct ScoreRules<'a> {
    /// A character without a token becomes the tokens of its bytes.
    pub byte_fallback: bool,
    /// What it becomes otherwise; those side by side become one.
    pub unk_token: &'a str,
    /// Tokens that are taken out of the text before anything is merged.
    pub user_defined: &'a [String],
    /// Tokens that are cut again into what was merged.
    pub unused: &'a [String],
    /// A space stands for U+2581, which is in no piece.
    pub marks_are_spaces: bool,
}

/// The rules of a model that merges characters.
#[derive(Clone, Copy, Debug)]
pub struct CharacterRules<'a> {
    /// A character without a token becomes the tokens of its bytes, if all have one.
    pub byte_fallback: bool,
    /// What a character becomes that has no token otherwise; without it such a character is dropped.
    pub unk_token: Option<&'a str>,
    /// Such characters side by side become one token.
    pub fuse_unk: bool,
    /// Written before all characters of a piece but the first.
    pub prefix: &'a str,
    /// Written behind the last character of a piece.
    pub suffix: &'a str,
    /// The suffix is a symbol of its own.
    pub suffix_is_symbol: bool,
}

impl BpeModel {
    /// The rules of characters; None where bytes are merged.
    pub fn characters(&self) -> Option<CharacterRules<'_>> {
        self.unit.map(|Unit::Character| CharacterRules {
            byte_fallback: self.byte_fallback,
            unk_token: self.unk_token.as_deref(),
            fuse_unk: self.fuse_unk,
            prefix: self.continuing_subword_prefix.as_deref().unwrap_or_default(),
            suffix: self.end_of_word_suffix.as_deref().unwrap_or_default(),
            suffix_is_symbol: self.end_of_word_symbol,
        })
    }

    /// The rules of scores; None where merges or ranks decide.
    pub fn scores(&self) -> Option<ScoreRules<'_>> {
        (self.semantics == Semantics::Scores).then(|| ScoreRules {
            byte_fallback: self.byte_fallback,
            unk_token: self.unk_token.as_deref().unwrap_or_default(),
            user_defined: &self.user_defined,
            unused: &self.unused,
            marks_are_spaces: self.marks_are_spaces,
        })
    }

    /// Refuses what contradicts itself, and a second way to write the same.
    fn check(&self) -> Result<()> {
        let is_scores = self.semantics == Semantics::Scores;
        let is_ranks = self.semantics == Semantics::Ranks;
        let has_affix = self.continuing_subword_prefix.is_some() || self.end_of_word_suffix.is_some();
        let has_rules =
            self.byte_fallback || self.unk_token.is_some() || self.fuse_unk || has_affix || self.end_of_word_symbol;
        let has_others = self.ignore_merges || self.fuse_unk || has_affix || self.end_of_word_symbol;
        let fault = match self.unit {
            Some(Unit::Character) if is_scores && self.unk_token.is_some() && !has_others => return Ok(()),
            _ if is_scores => "semantics \"scores\" go with unit \"character\", an unk_token and no merges",
            _ if !self.user_defined.is_empty() || !self.unused.is_empty() => {
                "user_defined and unused go with semantics \"scores\""
            }
            _ if is_ranks && self.ignore_merges => "semantics \"ranks\" are written without ignore_merges",
            None if has_rules => "rules for missing characters and affixes go with unit \"character\"",
            Some(Unit::Character) if is_ranks => "unit \"character\" goes with semantics \"merges\"",
            Some(Unit::Character) if self.fuse_unk && self.unk_token.is_none() => "fuse_unk goes with an unk_token",
            _ if self.end_of_word_symbol && self.end_of_word_suffix.is_none() => {
                "end_of_word_symbol goes with an end_of_word_suffix"
            }
            _ => return Ok(()),
        };
        Err(spec_error(fault.to_owned()))
    }
}

/// A text that is left out where there is none.
pub(super) fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        Err(de::Error::custom("a text is empty, which is written by leaving it out"))
    } else {
        Ok(Some(text))
    }
}

/// Texts that are left out where there are none.
pub(super) fn some_texts<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        Err(de::Error::custom("a list of texts is empty or has an empty one, which is written by leaving it out"))
    } else {
        Ok(texts)
    }
}
