//! The pretokenizer's part of the description.

use std::sync::Arc;

use serde::Deserialize;

use super::{UNICODE, spec_error};
use crate::chain::{Chain, ChainStep};
use crate::error::Result;
use crate::scan::{Cl100kRules, Custom, Digits, O200kRules, Scanner};

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
    /// By several pretokenizers, one after the other.
    Sequence {
        /// They.
        steps: Vec<ChainStep>,
        /// The version of the class tables.
        unicode: String,
    },
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
            Self::Sequence { .. } => {
                let detail = "training and counting cut by one pattern, and this pretokenizer is a sequence";
                return Err(spec_error(detail.to_owned()));
            }
        };
        check_unicode(unicode)?;
        Ok(scanner)
    }

    /// The chain, if it is one. With `unmaps`, characters that stand for bytes become bytes in the end.
    pub fn chain(&self, unmaps: bool) -> Result<Option<Chain>> {
        let Self::Sequence { steps, unicode } = self else { return Ok(None) };
        check_unicode(unicode)?;
        if steps.is_empty() {
            return Err(spec_error("its pretokenizer is a sequence without steps".to_owned()));
        }
        Chain::new(steps, unmaps).map(Some)
    }

    /// Reads the JSON of this part alone.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|fault| spec_error(fault.to_string()))
    }
}

fn check_unicode(unicode: &str) -> Result<()> {
    if unicode == UNICODE {
        return Ok(());
    }
    Err(spec_error(format!("its pretokenizer asks for Unicode {unicode:?}, and only {UNICODE:?} is built in")))
}
