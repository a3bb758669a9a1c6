//! Everything that can go wrong in the core, as fields. The text of a message is made in one place, here;
//! `tokenloom-py` only chooses the Python class.

use std::fmt;

use crate::pretokens::run::RunFault;
use crate::wording::{literal, quoted, shown};

/// What every fallible function of the core returns.
pub type Result<T> = std::result::Result<T, Error>;

/// A fault, with what is needed to say what was wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The description of a tokenizer is no JSON of the expected form.
    SpecJson {
        /// What the JSON reader says, with line and column.
        detail: String,
    },
    /// A pattern is none that can be used.
    Pattern {
        /// What it is the pattern of.
        part: &'static str,
        /// The pattern.
        pattern: String,
        /// What the regex library says.
        detail: String,
    },
    /// The pattern of a pretokenizer found no end in a text.
    PatternLimit {
        /// Where the piece begins that it could not end.
        byte_offset: u64,
    },
    /// The pattern of a normalizer found no end in a text.
    NormalizerLimit {
        /// The pattern.
        pattern: String,
        /// Where it was looked for.
        byte_offset: u64,
    },
    /// A step makes far more of a text than it was given.
    Growth {
        /// What it is a step of.
        part: &'static str,
        /// The number of the step, from 0.
        step: usize,
        /// How many steps there are.
        n_steps: usize,
        /// What kind of step it is.
        kind: &'static str,
        /// The most bytes that the text may have.
        most_bytes: usize,
    },
    /// The arrays of a tokenizer do not fit together.
    SpecArrays {
        /// Which array.
        array: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A section of a packed tokenizer is not what it should be.
    PackedSection {
        /// The name of the section.
        section: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A byte has no token of its own.
    MissingByte {
        /// The byte.
        byte: u8,
    },
    /// Two ids have the same token bytes.
    DuplicateToken {
        /// The token bytes.
        token: Vec<u8>,
        /// The lower id.
        first: u32,
        /// The higher id.
        second: u32,
    },
    /// A merge names an id that has no token.
    MergePart {
        /// The merge rank.
        rank: usize,
        /// The id without a token.
        id: u32,
    },
    /// The right part of a merge is shorter than the prefix that it should begin with.
    MergePrefix {
        /// The merge rank.
        rank: usize,
        /// The id of the part.
        id: u32,
    },
    /// The token for what has no token is not in the vocabulary.
    MissingUnknown {
        /// The token.
        token: String,
    },
    /// The pattern of a decoder found no end in a token.
    DecoderLimit {
        /// The pattern.
        pattern: String,
    },
    /// The result of a merge is not in the vocabulary.
    MergeResult {
        /// The merge rank.
        rank: usize,
        /// The joined token bytes.
        token: Vec<u8>,
    },
    /// A merge stands in the list twice.
    DuplicateMerge {
        /// The rank of its first place.
        first: usize,
        /// The rank of its second place.
        second: usize,
    },
    /// A special token has no text, stands twice, or its id is taken.
    SpecialToken {
        /// The special token.
        content: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A call names a special token that the tokenizer does not have.
    UnknownSpecialToken {
        /// The name that was given.
        content: String,
    },
    /// The text contains a special token that it may not contain.
    SpecialTokenInText {
        /// The special token.
        content: String,
        /// Its first byte in the text.
        byte_offset: u64,
    },
    /// A piece between two boundaries is longer than the core can index.
    PieceTooLong {
        /// Its length.
        length_bytes: usize,
    },
    /// An id has no token.
    UnknownId {
        /// The id.
        id: u64,
        /// Its place in the sequence.
        position: usize,
        /// One more than the highest id.
        size: usize,
    },
    /// There is no memory for a result.
    OutOfMemory {
        /// The length of the result.
        length_bytes: usize,
    },
    /// The number of a pretoken, or of all tokens up to it, does not fit in 64 bits.
    CountOverflow {
        /// The pretoken.
        bytes: Vec<u8>,
    },
    /// The distinct pretokens together are longer than the trainer can index.
    TooManyPretokens {
        /// Their total length.
        length_bytes: usize,
    },
    /// A record of a run cannot be used.
    Run {
        /// Which of several runs; None if there is one alone.
        run: Option<usize>,
        /// Where the record begins in the run.
        byte_offset: u64,
        /// What is wrong with it.
        fault: RunFault,
    },
    /// Counts do not say where pretokens occur first.
    MissingPositions,
    /// The most bytes of a pretoken are fewer than a character may have, or more than a window holds.
    PretokenLimit {
        /// What was asked for.
        max_bytes: usize,
        /// The most that may be asked for.
        most_bytes: usize,
    },
    /// Two symbols that are to be merged stand nowhere side by side.
    MissingPair {
        /// The merge rank.
        rank: usize,
        /// The id on the left.
        left: u32,
        /// The id on the right.
        right: u32,
    },
    /// A fault in one document of several.
    InDocument {
        /// The number of the document, from 0.
        index: usize,
        /// What is wrong there.
        fault: Box<Error>,
    },
    /// The environment names instructions that are unknown, or that the machine does not have.
    UnknownSimd {
        /// The environment variable.
        variable: &'static str,
        /// What it holds.
        name: String,
        /// What it may hold.
        available: Vec<&'static str>,
    },
    /// The caller asked to stop; nothing was changed that can be seen.
    Interrupted,
}

impl Error {
    /// The same fault in a text of which `n_bytes` stand before the part that was looked at, or in a sequence of which so
    /// many ids do.
    pub fn behind(self, n_bytes: u64) -> Self {
        match self {
            Self::UnknownId { id, position, size } => {
                Self::UnknownId { id, position: position + n_bytes as usize, size }
            }
            Self::PatternLimit { byte_offset } => Self::PatternLimit { byte_offset: byte_offset + n_bytes },
            Self::NormalizerLimit { pattern, byte_offset } => {
                Self::NormalizerLimit { pattern, byte_offset: byte_offset + n_bytes }
            }
            fault => fault,
        }
    }

    /// The same fault in the text from which the part came that was looked at; `origin` says where places came from.
    pub fn moved(self, origin: impl Fn(usize) -> u64) -> Self {
        match self {
            Self::PatternLimit { byte_offset } => Self::PatternLimit { byte_offset: origin(byte_offset as usize) },
            fault => fault,
        }
    }

    /// The same fault, with the number of the run it is in.
    pub fn in_run(self, index: usize) -> Self {
        match self {
            Self::Run { run: _, byte_offset, fault } => Self::Run { run: Some(index), byte_offset, fault },
            fault => fault,
        }
    }

    /// The same fault, with the document it is in. An interruption is no fault and stays as it is.
    pub fn in_document(self, index: usize) -> Self {
        match self {
            Self::Interrupted => self,
            fault => Self::InDocument { index, fault: Box::new(fault) },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SpecJson { detail } => write!(
                out,
                "the description of the tokenizer cannot be used: {detail}. Use a tokenizer that this version can read."
            ),
            Self::Pattern { part, pattern, detail } => {
                let remedy = if *part == "pretokenizer" { "Mend it, or use a named pattern" } else { "Mend it" };
                write!(out, "the pattern {} of the {part} cannot be used: {detail}. {remedy}.", shown(pattern))
            }
            Self::PatternLimit { byte_offset } => write!(
                out,
                "the pattern of the pretokenizer takes too many steps at byte {byte_offset} of the text. Write it so \
                 that it gives back less (possessive or lazy repeats), or use a named pattern."
            ),
            Self::NormalizerLimit { pattern, byte_offset } => write!(
                out,
                "the pattern {} of the normalizer takes too many steps at byte {byte_offset} of the text. Write it so \
                 that it gives back less (possessive or lazy repeats), or replace a text.",
                shown(pattern)
            ),
            Self::Growth { part, step, n_steps, kind, most_bytes } => write!(
                out,
                "step {} of {n_steps} of the {part} ({kind}) makes more than {most_bytes} bytes of this text, which is \
                 far more than it was given. Take the step out of the tokenizer, or those before it that write what it \
                 makes longer.",
                step + 1
            ),
            Self::SpecArrays { array, problem } => {
                write!(out, "{array} of the tokenizer {problem}. Save the tokenizer again from its source.")
            }
            Self::PackedSection { section, problem } => {
                write!(out, "section {section:?} {problem}. Restore the file from a copy, or pack the tokenizer again.")
            }
            Self::MissingByte { byte } => write!(
                out,
                "the vocabulary has no token for the single byte {}. A byte-level tokenizer needs all 256; add it.",
                literal(&[*byte])
            ),
            Self::DuplicateToken { token, first, second } => write!(
                out,
                "token {} has two ids, {first} and {second}. Each token has one id; delete one of the two entries.",
                literal(token)
            ),
            Self::MergePart { rank, id } => {
                write!(out, "merge {rank} joins id {id}, which has no token. Add the token or delete the merge.")
            }
            Self::MergePrefix { rank, id } => write!(
                out,
                "merge {rank}: its right part, id {id}, is shorter than continuing_subword_prefix, which it should begin \
                 with. Delete the merge."
            ),
            Self::MissingUnknown { token } => {
                write!(out, "unk_token {} is not in the vocabulary. Add it, or leave unk_token out.", quoted(token))
            }
            Self::DecoderLimit { pattern } => write!(
                out,
                "the pattern {} of the decoder takes too many steps in one token. Write it so that it gives back less \
                 (possessive or lazy repeats).",
                shown(pattern)
            ),
            Self::MergeResult { rank, token } => write!(
                out,
                "merge {rank} makes {}, which is not in the vocabulary. Add the token or delete the merge.",
                literal(token)
            ),
            Self::DuplicateMerge { first, second } => {
                write!(out, "merge {second} repeats merge {first}. Each pair is merged once; delete one of the two.")
            }
            Self::SpecialToken { content, problem } => write!(out, "special token {} {problem}.", shown(content)),
            Self::UnknownSpecialToken { content } => write!(
                out,
                "{} in allowed_special or disallowed_special is not a special token of this tokenizer. Name only \
                 tokens of Tokenizer.special_tokens.",
                quoted(content)
            ),
            Self::SpecialTokenInText { content, byte_offset } => write!(
                out,
                "special token {token} found at byte {byte_offset} of the text. Text must not create special tokens \
                 by accident: pass allowed_special={{{token}}} to make it one token, or disallowed_special=() to read \
                 it as ordinary text.",
                token = quoted(content)
            ),
            Self::PieceTooLong { length_bytes } => write!(
                out,
                "one piece of the text has {length_bytes} bytes, and a piece may have {} at most. Split the text.",
                u32::MAX >> 1
            ),
            Self::UnknownId { id, position, size } => write!(
                out,
                "id {id} at position {position} has no token. Ids of this tokenizer are below {size}; was the \
                 sequence made by another tokenizer?"
            ),
            Self::OutOfMemory { length_bytes } => {
                write!(out, "no memory for a result of {length_bytes} bytes. Work on a part of the ids at a time.")
            }
            Self::CountOverflow { bytes } => write!(
                out,
                "with {} the counts outgrow 64 bits. Divide all counts by a common factor, or use smaller multipliers.",
                literal(bytes)
            ),
            Self::TooManyPretokens { length_bytes } => write!(
                out,
                "the distinct pretokens have {length_bytes} bytes together, and the trainer can hold {} at most. Train \
                 on a sample, or with a pattern that cuts shorter pieces.",
                u32::MAX >> 1
            ),
            Self::Run { run, byte_offset, fault } => {
                let which = run.map_or_else(|| "the run".to_owned(), |run| format!("run {run}"));
                write!(out, "{which}, byte {byte_offset}: {fault}. Restore the file from a copy, or count again.")
            }
            Self::MissingPositions => write!(
                out,
                "the counts do not say where pretokens occur first. Count again with positions, or train with another \
                 tie_break than 'first-seen'."
            ),
            Self::PretokenLimit { max_bytes, most_bytes } => write!(
                out,
                "max_pretoken_bytes {max_bytes}: must be from 4, the bytes of the longest character, to {most_bytes}. \
                 Use one of these, or None to cut no pretoken."
            ),
            Self::MissingPair { rank, left, right } => write!(
                out,
                "merge {rank} joins ids {left} and {right}, which stand nowhere side by side after the merges before \
                 it. Give the merges that were learned from these counts, in their order."
            ),
            Self::InDocument { index, fault } => write!(out, "document {index}: {fault}"),
            Self::UnknownSimd { variable, name, available } => write!(
                out,
                "the environment variable {variable} is {}, which this machine cannot do. Set it to one of {}, or leave \
                 it out for the fastest.",
                shown(name),
                available.join(", ")
            ),
            Self::Interrupted => write!(out, "interrupted by the caller."),
        }
    }
}

impl std::error::Error for Error {}
