//! The small parts of a tokenizer's description, read from its canonical JSON.
//!
//! An unknown key, component or version is refused by name: a tokenizer that is half understood gives wrong ids.

mod decoder;
mod model;

use std::sync::Arc;

use serde::Deserialize;

pub use self::decoder::{Decoder, DecoderStep, PrependScheme};
pub use self::model::{BpeModel, CharacterRules, Model, Semantics};
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
    /// How text is changed before it is cut; None leaves it as it is.
    pub normalizer: Option<Vec<Step>>,
    /// Where text is cut.
    pub pretokenizer: Pretokenizer,
    /// Tokens that are found in text as a whole.
    pub added_tokens: Vec<AddedToken>,
    /// Ids around those of a text: the caller's work, known here so that nothing unknown passes.
    pub postprocessor: Option<Postprocessor>,
    /// How token bytes become text.
    pub decoder: Decoder,
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

/// A step of the normalizer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Step {
    /// Canonical composition.
    Nfc {
        /// The version of the tables.
        unicode: String,
    },
    /// Canonical decomposition.
    Nfd {
        /// The version of the tables.
        unicode: String,
    },
    /// Compatibility composition.
    Nfkc {
        /// The version of the tables.
        unicode: String,
    },
    /// Compatibility decomposition.
    Nfkd {
        /// The version of the tables.
        unicode: String,
    },
    /// Lower case, character by character.
    Lowercase {},
    /// A text before each stretch.
    Prepend {
        /// The text.
        text: String,
    },
    /// One text in the place of another.
    Replace {
        /// What is replaced.
        text: Option<String>,
        /// Or a regular expression for it.
        pattern: Option<String>,
        /// What takes its place.
        by: String,
    },
    /// No blanks at the edges.
    Strip {
        /// At the start.
        left: bool,
        /// At the end.
        right: bool,
    },
}

/// A token that is found in text as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenToken")]
pub struct AddedToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: u32,
    /// What its text means is the caller's choice; others are always found.
    pub special: bool,
    /// It is not found beside a word character.
    pub single_word: bool,
    /// It takes the blanks before it.
    pub lstrip: bool,
    /// It takes the blanks behind it.
    pub rstrip: bool,
    /// It is looked for behind the normalizer.
    pub normalized: bool,
}

/// An added token as it stands in the description: flags only where they are not the default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenToken {
    content: String,
    id: u32,
    special: Option<bool>,
    single_word: Option<bool>,
    lstrip: Option<bool>,
    rstrip: Option<bool>,
    normalized: Option<bool>,
}

impl AddedToken {
    /// A special token without other flags.
    pub fn special(content: String, id: u32) -> Self {
        Self { content, id, special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }
    }

    /// Whether it has all the flags of `AddedToken::special`.
    pub fn is_plain(&self) -> bool {
        self.special && !self.single_word && !self.lstrip && !self.rstrip && !self.normalized
    }
}

impl TryFrom<WrittenToken> for AddedToken {
    type Error = String;

    fn try_from(written: WrittenToken) -> std::result::Result<Self, String> {
        let flags = [written.single_word, written.lstrip, written.rstrip, written.normalized];
        if written.special == Some(true) || flags.contains(&Some(false)) {
            return Err(format!("added token {:?} has a flag that is the default", written.content));
        }
        let [single_word, lstrip, rstrip, normalized] = flags.map(|flag| flag.is_some());
        let special = written.special.is_none();
        Ok(Self { content: written.content, id: written.id, special, single_word, lstrip, rstrip, normalized })
    }
}

/// Ids around those of a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Postprocessor {
    /// Ids and sequences in their order.
    Template {
        /// Around one text.
        single: Vec<TemplateItem>,
        /// Around two.
        pair: Vec<TemplateItem>,
    },
}

/// One part of a template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum TemplateItem {
    /// An id.
    Id(u32),
    /// The ids of a text: "A" is the first, "B" the second.
    Sequence(Sequence),
}

/// Which of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Sequence {
    /// The first.
    A,
    /// The second.
    B,
}

impl Config {
    /// Reads canonical JSON.
    pub fn from_json(json: &str) -> Result<Self> {
        let config: Self = serde_json::from_str(json).map_err(|fault| spec_error(fault.to_string()))?;
        if config.spec_version != SPEC_VERSION {
            return Err(spec_error(format!("spec_version {} is not {SPEC_VERSION}", config.spec_version)));
        }
        for step in config.normalizer.iter().flatten() {
            step.check()?;
        }
        if config.normalizer.as_ref().is_some_and(Vec::is_empty) {
            return Err(spec_error("normalizer has no steps, which is written as null".to_owned()));
        }
        let Model::Bpe(model) = &config.model;
        model.check()?;
        if model.characters().is_some() == matches!(config.decoder, Decoder::Bytes {}) {
            return Err(spec_error("unit \"character\" goes with a decoder of steps, and no other does".to_owned()));
        }
        Ok(config)
    }
}

impl Step {
    fn check(&self) -> Result<()> {
        match self {
            Self::Nfc { unicode } | Self::Nfd { unicode } | Self::Nfkc { unicode } | Self::Nfkd { unicode }
                if unicode != UNICODE =>
            {
                Err(spec_error(format!(
                    "the normalizer asks for Unicode {unicode:?}, and only {UNICODE:?} is built in"
                )))
            }
            _ => Ok(()),
        }
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
