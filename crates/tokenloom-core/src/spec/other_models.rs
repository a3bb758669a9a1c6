//! The models that merge nothing: WordPiece, unigram and whole words.

use serde::Deserialize;

use super::flags::only_true;
use super::model::{some_text, some_texts};

/// The longest token at each place of a piece.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordpieceModel {
    /// What a piece becomes that cannot be cut into tokens.
    pub unk_token: String,
    /// Written before all tokens of a piece but the first.
    #[serde(default)]
    pub continuing_subword_prefix: String,
    /// A piece with more characters is unknown.
    pub max_input_chars_per_word: u32,
}

/// The most probable tokens of a piece.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnigramModel {
    /// Whose arithmetic and unknown pieces.
    pub semantics: UnigramSemantics,
    /// What a character becomes that is in no token.
    #[serde(default, deserialize_with = "some_text")]
    pub unk_token: Option<String>,
    /// Such a character becomes the tokens of its bytes, if all have one.
    #[serde(default, deserialize_with = "only_true")]
    pub byte_fallback: bool,
    /// Tokens that are always taken.
    #[serde(default, deserialize_with = "some_texts")]
    pub user_defined: Vec<String>,
    /// Tokens that are never taken.
    #[serde(default, deserialize_with = "some_texts")]
    pub unused: Vec<String>,
}

/// Which library a unigram model is exact to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnigramSemantics {
    /// `tokenizers`.
    Tokenizers,
    /// `sentencepiece`.
    Sentencepiece,
}

/// Pieces as they are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordModel {
    /// What a piece becomes that is no token.
    pub unk_token: String,
    /// It becomes the tokens of its bytes instead, if all have one.
    #[serde(default, deserialize_with = "only_true")]
    pub byte_fallback: bool,
    /// Such pieces side by side become one token.
    #[serde(default, deserialize_with = "only_true")]
    pub fuse_unk: bool,
    /// What a piece of numbers alone becomes that is no token.
    #[serde(default, deserialize_with = "some_text")]
    pub number_token: Option<String>,
}
