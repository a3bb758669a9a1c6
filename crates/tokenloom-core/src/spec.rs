//! The small parts of a tokenizer's description, read from its canonical JSON.
//!
//! An unknown key, component or version is refused by name: a tokenizer that is half understood gives wrong ids.

use std::sync::Arc;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::scan::{Cl100kRules, Custom, Digits, O200kRules, Scanner};

/// The only Unicode version whose class tables are built in.
const UNICODE: &str = "16.0";

/// The version of the description that is understood here.
const SPEC_VERSION: u32 = 1;

/// Everything about a tokenizer but its arrays.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    spec_version: u32,
    /// How pieces become ids.
    pub model: Model,
    /// Always null for now.
    pub normalizer: (),
    /// Where text is cut.
    pub pretokenizer: Pretokenizer,
    /// Tokens that stand for themselves.
    pub special_tokens: Vec<SpecialToken>,
    /// Always null for now.
    pub postprocessor: (),
    /// How token bytes become text.
    pub decoder: Decoder,
}

/// The model.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Model {
    /// Byte-pair encoding.
    Bpe {
        /// Which pair is merged first.
        semantics: Semantics,
    },
}

/// Which adjacent pair is merged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Semantics {
    /// The one that comes first in the merge list.
    Merges,
    /// The one whose joined bytes have the lowest id; a piece that is a token is that token.
    Ranks,
}

/// Where text is cut.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pretokenizer {
    /// Nowhere.
    None {},
    /// By GPT-2's pattern.
    Gpt2 {
        /// The version of the class tables.
        unicode: String,
    },
    /// By cl100k_base's pattern.
    Cl100k {
        /// The most digits of a group.
        digits: u8,
        /// The version of the class tables.
        unicode: String,
    },
    /// By Llama 3's pattern.
    Llama3 {
        /// The most digits of a group, more than one.
        digits: u8,
        /// The version of the class tables.
        unicode: String,
    },
    /// By Qwen's pattern: Llama 3's with digits one by one.
    Qwen2 {
        /// The version of the class tables.
        unicode: String,
    },
    /// By cl100k_base's pattern, with digits in groups of three from the right.
    #[serde(rename = "digits3_right")]
    Digits3Right {
        /// The version of the class tables.
        unicode: String,
    },
    /// By o200k_base's pattern.
    O200k {
        /// The version of the class tables.
        unicode: String,
    },
    /// By the pattern of Mistral's tekken.
    Tekken {
        /// The version of the class tables.
        unicode: String,
    },
    /// By DeepSeek-V3's chain of patterns.
    #[serde(rename = "deepseek_v3")]
    DeepseekV3 {
        /// The version of the class tables.
        unicode: String,
    },
    /// By GPT-2's pattern between digits that stand alone.
    Starcoder {
        /// The version of the class tables.
        unicode: String,
    },
    /// Into words, signs and blanks.
    Whitespace {
        /// The version of the class tables.
        unicode: String,
    },
    /// Before each space, also where it is written U+2581.
    Metaspace {},
    /// Into BERT's words and punctuation.
    Bert {
        /// The version of the class tables.
        unicode: String,
    },
    /// By a pattern of the user's.
    Custom {
        /// The pattern.
        regex: String,
        /// The version of the class tables.
        unicode: String,
    },
}

/// A token that text can only become on request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: u32,
}

/// How token bytes become text.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decoder {
    /// The bytes as they are.
    Bytes {},
}

impl Config {
    /// Reads canonical JSON.
    pub fn from_json(json: &str) -> Result<Self> {
        let config: Self = serde_json::from_str(json).map_err(|fault| spec_error(fault.to_string()))?;
        if config.spec_version != SPEC_VERSION {
            return Err(spec_error(format!("spec_version {} is not {SPEC_VERSION}", config.spec_version)));
        }
        Ok(config)
    }
}

impl Pretokenizer {
    /// The scanner that cuts like this.
    pub fn scanner(&self) -> Result<Scanner> {
        let cl100k = |digits, whole_end| Scanner::Cl100k(Cl100kRules { digits, whole_end });
        let (scanner, unicode) = match self {
            Self::None {} => return Ok(Scanner::None),
            Self::Metaspace {} => return Ok(Scanner::Metaspace),
            Self::Gpt2 { unicode } => (Scanner::Gpt2, unicode),
            Self::Cl100k { digits: digits @ 1..=3, unicode } => (cl100k(Digits::UpTo(*digits), true), unicode),
            Self::Llama3 { digits: digits @ 2..=3, unicode } => (cl100k(Digits::UpTo(*digits), false), unicode),
            Self::Cl100k { digits, .. } | Self::Llama3 { digits, .. } => {
                return Err(spec_error(format!("this pretokenizer cannot have digits in groups of {digits}")));
            }
            Self::Qwen2 { unicode } => (cl100k(Digits::UpTo(1), false), unicode),
            Self::Digits3Right { unicode } => (cl100k(Digits::ThreesFromRight, true), unicode),
            Self::O200k { unicode } => (Scanner::O200k(O200kRules { contractions: true, digits: 3 }), unicode),
            Self::Tekken { unicode } => (Scanner::O200k(O200kRules { contractions: false, digits: 1 }), unicode),
            Self::DeepseekV3 { unicode } => (Scanner::DeepseekV3, unicode),
            Self::Starcoder { unicode } => (Scanner::Starcoder, unicode),
            Self::Whitespace { unicode } => (Scanner::Whitespace, unicode),
            Self::Bert { unicode } => (Scanner::Bert, unicode),
            Self::Custom { regex, unicode } => (Scanner::Custom(Arc::new(Custom::new(regex)?)), unicode),
        };
        if unicode != UNICODE {
            let detail = format!("its pretokenizer asks for Unicode {unicode:?}, and only {UNICODE:?} is built in");
            return Err(spec_error(detail));
        }
        Ok(scanner)
    }

    /// Reads the JSON of this part alone.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|fault| spec_error(fault.to_string()))
    }
}

fn spec_error(detail: String) -> Error {
    Error::SpecJson { detail }
}
