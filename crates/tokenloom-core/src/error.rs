//! Everything that can go wrong in the core, as fields. The text of a message is made in one place, `message.rs`;
//! `tokenloom-py` only chooses the Python class.

mod message;

use crate::pretokens::run::RunFault;

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
    /// A character is in no token, and there is no token for such characters.
    MissingCharacter {
        /// Its bytes.
        character: Vec<u8>,
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
    /// A model without merges was asked for what merges decide.
    NoMerges {
        /// What was asked for.
        what: &'static str,
    },
    /// A model that is no unigram model was asked for what only scores of tokens decide.
    NoProbabilities {
        /// What was asked for.
        what: &'static str,
    },
    /// So many segmentations of so long a text take too much memory.
    SegmentationLimit {
        /// How many were asked for.
        n: usize,
        /// The length of the text as the normalizer makes it.
        length_bytes: usize,
        /// The most bytes for so many.
        most_bytes: usize,
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

impl std::error::Error for Error {}
