//! The decoder: how tokens become text.

use serde::Deserialize;

/// How tokens become text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decoder {
    /// The bytes as they are.
    Bytes {},
    /// Steps that change a list of token strings, which is joined in the end.
    Sequence {
        /// The steps, first to last.
        steps: Vec<DecoderStep>,
    },
}

/// A step of a decoder. Each takes a list of strings and gives another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum DecoderStep {
    /// One text in the place of another, in each string by itself.
    Replace {
        /// What is replaced.
        text: Option<String>,
        /// Or a regular expression for it.
        pattern: Option<String>,
        /// What takes its place.
        by: String,
    },
    /// Neighbouring `<0x..>` become the character of these bytes; U+FFFD for each if they are no UTF-8.
    ByteFallback {},
    /// All strings become one.
    Fuse {},
    /// A character is taken away from the edges of each string.
    Strip {
        /// The character.
        text: char,
        /// How often at the start, at most.
        start: usize,
        /// How often at the end, at most.
        stop: usize,
    },
    /// A character becomes a blank, or nothing in the first string.
    Metaspace {
        /// The character.
        replacement: char,
        /// Where the model's text had one put before it.
        prepend_scheme: PrependScheme,
    },
    /// Characters that stand for bytes become these.
    ByteLevel {},
    /// The mark of the end of a word becomes a blank, or nothing in the last string.
    EndOfWord {
        /// The mark.
        suffix: String,
    },
    /// A mark at the start is taken away, and strings without one get a blank before them, but for the first.
    Wordpiece {
        /// The mark.
        prefix: String,
        /// Blanks before signs are taken away.
        cleanup: bool,
    },
    /// All that SentencePiece does to pieces, which become one string.
    Sentencepiece {
        /// The unknown piece.
        unknown: String,
        /// What it becomes.
        unknown_surface: String,
        /// Pieces that become nothing.
        control: Vec<String>,
        /// Neighbouring `<0x..>` become the characters of these bytes; U+FFFD for each byte that is in none.
        byte_fallback: bool,
        /// Blanks that are dropped at the start of the text.
        drops_blanks: DroppedBlanks,
    },
    /// All strings become one, with a text between them.
    Join {
        /// The text.
        by: String,
    },
}

/// Which blanks are dropped at the start of a decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DroppedBlanks {
    /// None.
    None,
    /// The one that was put before the text.
    First,
    /// All that begin a piece.
    All,
}

/// Which stretches of a text get a mark for a blank in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrependScheme {
    /// All.
    Always,
    /// Those that come from the start of the text.
    First,
    /// None.
    Never,
}
