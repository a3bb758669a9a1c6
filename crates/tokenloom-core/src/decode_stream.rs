//! Text of ids that come a few at a time, where steps make text of tokens: all parts together are the text of all ids.
//!
//! Each step gets strings, or parts of the one string that there is behind a step that joins, and gives on what no later
//! token can change:
//!
//! | step | of strings | of the parts of one string |
//! |---|---|---|
//! | replace a text | at once | all but an end that the text may begin with |
//! | replace matches | at once | nothing before the end: a match may look at all of it |
//! | strip | at once | all but an end that could be stripped |
//! | metaspace | at once: only the first string differs | at once |
//! | wordpiece | at once: only the first string differs | nothing before the end: it is cleaned as a whole |
//! | byte fallback | all but the run of byte tokens at the end, which is read as a whole | when it is too long for a byte token |
//! | end of word | all but the last string, where the mark means nothing | as replacing a text |
//! | byte level | all but the start of a character, as one string | nothing while all characters stand for bytes |
//! | fuse, join | at once, as one string | at once |
//! | sentencepiece | all but the start of a character in bytes, as one string | nothing before the end |
//!
//! Any other step is given nothing before the end.

use crate::decode::{Decoder, Step, Strings, fallback_byte, string_bytes};
use crate::error::Result;
use crate::growth::{self, At};
use crate::sentencepiece::PieceState;
use crate::vocab::Vocabulary;

/// A byte token has so many bytes.
const BYTE_TOKEN_BYTES: usize = 6;

/// Text that is made of ids as they come.
#[derive(Clone, Debug, Default)]
pub struct DecodeFeed {
    stages: Vec<Stage>,
    /// The bytes of all tokens so far.
    n_bytes: usize,
}

/// What a step has seen.
#[derive(Clone, Debug, Default)]
struct Stage {
    /// Parts of one string come in, and not strings.
    of_parts: bool,
    /// Some string has come in.
    has_begun: bool,
    /// Strings that are held back.
    strings: Vec<String>,
    /// The part of the one string that is held back.
    part: String,
    /// What SentencePiece's rules have seen.
    pieces: PieceState,
    /// Bytes of a character that is not whole.
    bytes: Vec<u8>,
    /// So many characters were stripped at the start; more than are stripped when another one has come.
    n_stripped: usize,
    /// What it gave, in bytes.
    n_given: usize,
}

impl DecodeFeed {
    /// No text yet.
    pub fn new(decoder: &Decoder) -> Self {
        let mut of_parts = false;
        let stage = |step: &Step| {
            let stage = Stage { of_parts, ..Stage::default() };
            of_parts |= step.joins();
            stage
        };
        Self { stages: decoder.steps().iter().map(stage).collect(), n_bytes: 0 }
    }

    /// The text that is sure after these ids, which all have tokens. After an error the feed must not be used again.
    pub fn push(&mut self, decoder: &Decoder, vocabulary: &Vocabulary, ids: &[u32]) -> Result<String> {
        let tokens = ids.iter().map(|id| vocabulary.bytes_of(*id).unwrap_or_default());
        let strings: Vec<_> = tokens.map(|token| String::from_utf8_lossy(token).into_owned()).collect();
        self.n_bytes += strings.iter().map(String::len).sum::<usize>();
        self.run(decoder, strings, false)
    }

    /// The text of what is held back; the feed is then as new.
    pub fn finish(&mut self, decoder: &Decoder) -> Result<String> {
        let text = self.run(decoder, Vec::new(), true);
        *self = Self::new(decoder);
        text
    }

    fn run(&mut self, decoder: &Decoder, mut strings: Vec<String>, at_end: bool) -> Result<String> {
        let (n_steps, most_bytes) = (self.stages.len(), growth::most_bytes(self.n_bytes));
        for (place, (stage, step)) in self.stages.iter_mut().zip(decoder.steps()).enumerate() {
            let at = At { part: "decoder", step: place, n_steps, kind: step.kind() };
            let room = most_bytes.saturating_sub(stage.n_given);
            strings = stage.take(step, strings, at_end, room)?.ok_or_else(|| at.fault(most_bytes))?;
            stage.n_given += strings.iter().map(String::len).sum::<usize>();
            if stage.n_given > most_bytes {
                return Err(at.fault(most_bytes));
            }
        }
        Ok(strings.concat())
    }
}

/// Strings, or parts of one; None where they would have too many bytes.
type Given = Result<Option<Vec<String>>>;

impl Stage {
    fn take(&mut self, step: &Step, strings: Vec<String>, at_end: bool, room: usize) -> Given {
        if self.of_parts {
            return self.take_part(step, &strings.concat(), at_end, room);
        }
        match step {
            Step::ReplaceText { .. }
            | Step::ReplaceMatches { .. }
            | Step::Strip { .. }
            | Step::Metaspace { .. }
            | Step::Wordpiece { .. } => self.each(step, strings, room),
            Step::ByteFallback => self.byte_fallback(step, strings, at_end, room),
            Step::EndOfWord { .. } => self.end_of_word(step, strings, at_end, room),
            Step::ByteLevel => Ok(Some(vec![self.byte_level(&strings, at_end)])),
            Step::Fuse => Ok(Some(vec![strings.concat()])),
            Step::Join { by } => Ok(self.joined(by, &strings, room)),
            Step::Sentencepiece(rules) => {
                let text = rules.next_text(&mut self.pieces, strings.iter().map(String::as_str), room);
                let rest = if at_end { self.pieces.finish() } else { String::new() };
                Ok(text.map(|text| vec![text + &rest]))
            }
            #[allow(unreachable_patterns, reason = "a new step waits for the end until it has its own rule")]
            _ => self.whole(step, strings, at_end, room),
        }
    }

    /// The strings that a step makes of some, which may be the first.
    fn applied(&mut self, step: &Step, strings: &[String], is_last: bool, room: usize) -> Given {
        if strings.is_empty() {
            return Ok(Some(Vec::new()));
        }
        // An empty string stands for those before and behind: no step makes anything of it.
        let (n_before, n_behind) = (usize::from(self.has_begun), usize::from(!is_last));
        self.has_begun = true;
        let empty = || std::iter::once("");
        let all = empty().take(n_before).chain(strings.iter().map(String::as_str)).chain(empty().take(n_behind));
        let made = step.apply(all.collect(), room)?;
        Ok(made.map(|made| {
            let mut made: Vec<_> = made.iter().map(str::to_owned).collect();
            made.truncate(made.len() - n_behind);
            made.drain(..n_before);
            made
        }))
    }

    fn each(&mut self, step: &Step, strings: Vec<String>, room: usize) -> Given {
        self.applied(step, &strings, true, room)
    }

    /// Waits for the end.
    fn whole(&mut self, step: &Step, strings: Vec<String>, at_end: bool, room: usize) -> Given {
        self.strings.extend(strings);
        if !at_end {
            return Ok(Some(Vec::new()));
        }
        let strings = std::mem::take(&mut self.strings);
        self.each(step, strings, room)
    }

    fn byte_fallback(&mut self, step: &Step, strings: Vec<String>, at_end: bool, room: usize) -> Given {
        // Those held are tokens for bytes, all of them.
        let last = strings.iter().rposition(|string| fallback_byte(string).is_none());
        let n_held = self.strings.len();
        self.strings.extend(strings);
        let sure = if at_end { self.strings.len() } else { last.map_or(0, |last| n_held + last + 1) };
        let strings: Vec<_> = self.strings.drain(..sure).collect();
        let made = step.apply(strings.iter().map(String::as_str).collect(), room)?;
        Ok(made.map(|made| made.iter().map(str::to_owned).collect()))
    }

    fn end_of_word(&mut self, step: &Step, strings: Vec<String>, at_end: bool, room: usize) -> Given {
        self.strings.extend(strings);
        let sure = if at_end { self.strings.len() } else { self.strings.len().saturating_sub(1) };
        let strings: Vec<_> = self.strings.drain(..sure).collect();
        self.applied(step, &strings, at_end, room)
    }

    /// The text of the bytes of strings, without the start of a character.
    fn byte_level(&mut self, strings: &[String], at_end: bool) -> String {
        strings.iter().for_each(|string| string_bytes(string, &mut self.bytes));
        let n_sure = if at_end { self.bytes.len() } else { sure_bytes(&self.bytes) };
        let text = String::from_utf8_lossy(&self.bytes[..n_sure]).into_owned();
        self.bytes.drain(..n_sure);
        text
    }

    fn joined(&mut self, by: &str, strings: &[String], room: usize) -> Option<Vec<String>> {
        let n_between = by.len().saturating_mul(strings.len());
        if n_between > room {
            return None;
        }
        let mut text = String::new();
        for string in strings {
            text.push_str(if self.has_begun { by } else { "" });
            text.push_str(string);
            self.has_begun = true;
        }
        Some(vec![text])
    }

    /// The part of the one string that is sure.
    fn take_part(&mut self, step: &Step, part: &str, at_end: bool, room: usize) -> Given {
        match step {
            Step::Fuse | Step::Join { .. } => return Ok(Some(vec![part.to_owned()])),
            Step::Metaspace { .. } => {
                return Ok(step.apply([part].into_iter().collect(), room)?.map(|made| made.into_vec()));
            }
            _ => self.part.push_str(part),
        }
        match step {
            Step::ReplaceText { text, .. } => self.replaced(step, text, at_end, room),
            Step::EndOfWord { suffix } => self.replaced(step, suffix, at_end, room),
            Step::Strip { character, start, stop } => Ok(Some(vec![self.stripped(*character, *start, *stop, at_end)])),
            Step::ByteFallback if self.has_begun || self.part.len() > BYTE_TOKEN_BYTES => {
                self.has_begun = true;
                Ok(Some(vec![std::mem::take(&mut self.part)]))
            }
            Step::ByteLevel if self.has_begun || !stands_for_bytes(part) => {
                self.has_begun = true;
                Ok(Some(vec![std::mem::take(&mut self.part)]))
            }
            _ if at_end => {
                let part = std::mem::take(&mut self.part);
                Ok(step.apply([part.as_str()].into_iter().collect(), room)?.map(Strings::into_vec))
            }
            _ => Ok(Some(Vec::new())),
        }
    }

    /// Matches of a text follow one another, so what is behind the last one and cannot begin another is sure.
    fn replaced(&mut self, step: &Step, text: &str, at_end: bool, room: usize) -> Given {
        let behind = self.part.match_indices(text).last().map_or(0, |(at, _)| at + text.len());
        let may_begin = |at: &usize| self.part.is_char_boundary(*at) && text.starts_with(&self.part[*at..]);
        let first = behind.max(self.part.len().saturating_sub(text.len() - 1));
        let sure = if at_end { None } else { (first..self.part.len()).find(may_begin) };
        let rest = self.part.split_off(sure.unwrap_or(self.part.len()));
        let part = std::mem::replace(&mut self.part, rest);
        Ok(step.apply([part.as_str()].into_iter().collect(), room)?.map(Strings::into_vec))
    }

    fn stripped(&mut self, character: char, start: usize, stop: usize, at_end: bool) -> String {
        while self.n_stripped < start && self.part.starts_with(character) {
            self.part.drain(..character.len_utf8());
            self.n_stripped += 1;
        }
        if !self.part.is_empty() {
            self.n_stripped = start;
        }
        let at_edge = self.part.chars().rev().take(stop).take_while(|other| *other == character).count();
        let rest = self.part.split_off(self.part.len() - at_edge * character.len_utf8());
        std::mem::replace(&mut self.part, if at_end { String::new() } else { rest })
    }
}

/// How many bytes are sure as UTF-8 whatever follows: all but the start of a character.
fn sure_bytes(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_start = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    if is_start { bytes.len() - last.len() } else { bytes.len() }
}

/// Whether each character stands for a byte.
fn stands_for_bytes(text: &str) -> bool {
    text.chars().all(|character| crate::byte_characters::byte_of(character).is_some())
}
