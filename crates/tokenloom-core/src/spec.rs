//! The small parts of a tokenizer's description, read from its canonical JSON.
//!
//! An unknown key, component or version is refused by name: a tokenizer that is half understood gives wrong ids.

mod decoder;
pub mod flags;
mod model;
mod other_models;
mod pretokenizer;

use serde::Deserialize;

pub use self::decoder::{Decoder, DecoderStep, DroppedBlanks, PrependScheme};
pub use self::model::{BpeModel, CharacterRules, Model, ScoreRules, Semantics};
pub use self::other_models::{UnigramModel, UnigramSemantics, WordModel, WordpieceModel};
pub use self::pretokenizer::Pretokenizer;
use crate::bert::Rules;
use crate::error::{Error, Result};

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
    /// BERT's cleaning.
    Bert(Rules),
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
    /// All that SentencePiece does to a text.
    Sentencepiece {
        /// The map of a model file in base64; empty for none.
        charsmap: String,
        /// Texts that the map does not change.
        symbols: Vec<String>,
        /// A blank is put before a text.
        add_dummy_prefix: bool,
        /// Of blanks side by side one is left, and none at the edges.
        remove_extra_whitespaces: bool,
        /// Blanks are written U+2581.
        escape_whitespaces: bool,
        /// The blank is put behind the text.
        treat_whitespace_as_suffix: bool,
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
        config.model.check()?;
        if config.model.joins_bytes() != matches!(config.decoder, Decoder::Bytes {}) {
            return Err(spec_error("unit \"byte\" goes with no steps of a decoder, and all others do".to_owned()));
        }
        Ok(config)
    }
}

/// Reads the JSON of the steps of a normalizer alone.
pub fn read_steps(json: &str) -> Result<Vec<Step>> {
    let steps: Vec<Step> = serde_json::from_str(json).map_err(|fault| spec_error(fault.to_string()))?;
    steps.iter().try_for_each(Step::check)?;
    Ok(steps)
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

fn spec_error(detail: String) -> Error {
    Error::SpecJson { detail }
}
