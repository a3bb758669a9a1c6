//! What each fault says: what was wrong, where, and what to do.

use std::fmt;

use super::Error;
use crate::wording::{literal, quoted, shown};

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
            Self::MissingCharacter { character } => write!(
                out,
                "the character {} of the text is in no token, and the model has no unk_token. Use a tokenizer with one, \
                 or take such characters out of the text.",
                literal(character)
            ),
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
            Self::NoProbabilities { what } => {
                write!(out, "{what}: only a Unigram model gives tokens probabilities. Use a Unigram tokenizer for it.")
            }
            Self::SegmentationLimit { n, length_bytes, most_bytes } => write!(
                out,
                "n {n}: the text has {length_bytes} bytes, and so many segmentations are found of {most_bytes} bytes at \
                 most. Ask for fewer, or split the text."
            ),
            Self::NoMerges { what } => {
                write!(
                    out,
                    "{what}: it is of the order of merges, and this model has none. Use a BPE tokenizer for it."
                )
            }
            Self::Interrupted => write!(out, "interrupted by the caller."),
        }
    }
}
