//! The small parts of a tokenizer's description, read from its canonical JSON.
//!
//! An unknown key, component or version is refused by name: a tokenizer that is half understood gives wrong ids.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::scan::Scanner;

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
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Pretokenizer {
    /// Nowhere.
    None {},
    /// By GPT-2's pattern.
    Gpt2 {
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
        match self {
            Self::None {} => Ok(Scanner::None),
            Self::Gpt2 { unicode } if unicode == UNICODE => Ok(Scanner::Gpt2),
            Self::Gpt2 { unicode } => Err(spec_error(format!(
                "pretokenizer \"gpt2\" asks for Unicode {unicode:?}, and only {UNICODE:?} is built in"
            ))),
        }
    }

    /// Reads the JSON of this part alone.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|fault| spec_error(fault.to_string()))
    }
}

fn spec_error(detail: String) -> Error {
    Error::SpecJson { detail }
}
