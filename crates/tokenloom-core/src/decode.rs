//! From ids back to text.
//!
//! Token bytes are text as they are where every byte has a token. Elsewhere a decoder has steps, and each makes a list of
//! strings of a list of strings: what lies side by side in one string and what does not decides what later steps do, as in
//! the decoders of `tokenizers`, of which these steps are. A list is one text and the ends of its strings in it.

use std::borrow::Cow;

use fancy_regex::Regex;

use crate::Tick;
use crate::byte_characters::byte_of;
use crate::error::{Error, Result};
use crate::growth::{self, At};
use crate::scan::read_pattern;
use crate::sentencepiece::PieceRules;
use crate::spec::{self, DecoderStep, PrependScheme};
use crate::vocab::Vocabulary;

/// Ids that are decoded between two ticks.
const TICK_IDS: usize = 1 << 16;

const NO_UTF8: Error = Error::SpecArrays { array: "token_bytes", problem: "hold a token that is no UTF-8" };

/// Makes text of ids.
#[derive(Debug)]
pub struct Decoder {
    /// None where the bytes of tokens are text.
    steps: Option<Vec<Step>>,
}

/// A step that runs.
#[derive(Debug)]
pub(crate) enum Step {
    ReplaceText { text: String, by: String },
    ReplaceMatches { regex: Regex, by: String },
    ByteFallback,
    Fuse,
    Strip { character: char, start: usize, stop: usize },
    Metaspace { replacement: char, drops_first: bool },
    ByteLevel,
    EndOfWord { suffix: String },
    Join { by: String },
    Wordpiece { prefix: String, cleanup: bool },
    Sentencepiece(Box<PieceRules>),
}

/// Strings, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Decoder {
    /// Reads the description. Where there are steps, all tokens must be UTF-8.
    pub fn new(decoder: &spec::Decoder, vocabulary: &Vocabulary) -> Result<Self> {
        let spec::Decoder::Sequence { steps } = decoder else {
            return Ok(Self { steps: None });
        };
        // Texts that end where characters do are UTF-8 if all are together: one look instead of one for each.
        let arena = str::from_utf8(vocabulary.arena()).map_err(|_| NO_UTF8)?;
        if !(0..vocabulary.size() as u32).all(|id| arena.is_char_boundary(vocabulary.span(id).end)) {
            return Err(NO_UTF8);
        }
        Ok(Self { steps: Some(steps.iter().map(Step::new).collect::<Result<_>>()?) })
    }

    /// The steps; none where the bytes of tokens are text.
    pub(crate) fn steps(&self) -> &[Step] {
        self.steps.as_deref().unwrap_or_default()
    }

    /// Whether the text is the bytes of tokens, one after the other.
    pub fn is_by_bytes(&self) -> bool {
        self.steps.is_none()
    }

    /// The bytes of a sequence of ids.
    pub fn decode(&self, vocabulary: &Vocabulary, ids: &[u32], tick: Tick<'_>) -> Result<Vec<u8>> {
        let bytes = joined(vocabulary, ids, tick)?;
        let Some(steps) = &self.steps else { return Ok(bytes) };
        let mut end = 0;
        let lengths = ids.iter().filter_map(|id| vocabulary.bytes_of(*id)).map(<[u8]>::len);
        let ends = lengths.map(|length| {
            end += length;
            end
        });
        let ends = ends.collect();
        let text = String::from_utf8(bytes).map_err(|_| NO_UTF8)?;
        let text_bytes = text.len();
        let (mut strings, most_bytes) = (Strings { text, ends }, growth::most_bytes(text_bytes));
        for (place, step) in steps.iter().enumerate() {
            let at = At { part: "decoder", step: place, n_steps: steps.len(), kind: step.kind() };
            strings = step.apply(strings, most_bytes)?.ok_or_else(|| at.fault(most_bytes))?;
            tick(0)?;
        }
        Ok(strings.text.into_bytes())
    }
}

/// The bytes of tokens, one after the other, before any step.
pub fn joined(vocabulary: &Vocabulary, ids: &[u32], tick: Tick<'_>) -> Result<Vec<u8>> {
    let mut length_bytes = 0;
    for (position, &id) in ids.iter().enumerate() {
        let token = vocabulary.bytes_of(id);
        let unknown = || Error::UnknownId { id: id.into(), position, size: vocabulary.size() };
        length_bytes += token.ok_or_else(unknown)?.len();
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length_bytes).map_err(|_| Error::OutOfMemory { length_bytes })?;
    for ids in ids.chunks(TICK_IDS) {
        for token in ids.iter().filter_map(|id| vocabulary.bytes_of(*id)) {
            bytes.extend_from_slice(token);
        }
        tick(0)?;
    }
    Ok(bytes)
}

impl Step {
    fn new(step: &DecoderStep) -> Result<Self> {
        Ok(match step.clone() {
            DecoderStep::Replace { text: Some(text), pattern: None, by } if !text.is_empty() => {
                Self::ReplaceText { text, by }
            }
            DecoderStep::Replace { text: None, pattern: Some(pattern), by } => {
                Self::ReplaceMatches { regex: read_pattern(&pattern, "decoder")?, by }
            }
            DecoderStep::Replace { .. } => {
                let detail = "a replace step of the decoder has no text, or a text and a pattern".to_owned();
                return Err(Error::SpecJson { detail });
            }
            DecoderStep::ByteFallback {} => Self::ByteFallback,
            DecoderStep::Fuse {} => Self::Fuse,
            DecoderStep::Strip { text: character, start, stop } => Self::Strip { character, start, stop },
            DecoderStep::Metaspace { replacement, prepend_scheme } => {
                Self::Metaspace { replacement, drops_first: prepend_scheme != PrependScheme::Never }
            }
            DecoderStep::ByteLevel {} => Self::ByteLevel,
            DecoderStep::EndOfWord { suffix } => Self::EndOfWord { suffix },
            DecoderStep::Join { by } => Self::Join { by },
            DecoderStep::Wordpiece { prefix, cleanup } => Self::Wordpiece { prefix, cleanup },
            DecoderStep::Sentencepiece { unknown, unknown_surface, control, byte_fallback, drops_blanks } => {
                let control = control.into_iter().collect();
                let rules = PieceRules { unknown, unknown_surface, control, byte_fallback, drops_blanks };
                Self::Sentencepiece(Box::new(rules))
            }
        })
    }

    /// Whether it makes one string of all.
    pub(crate) fn joins(&self) -> bool {
        matches!(self, Self::Fuse | Self::ByteLevel | Self::Join { .. } | Self::Sentencepiece(_))
    }

    /// What the description calls it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::ReplaceText { .. } | Self::ReplaceMatches { .. } => "replace",
            Self::ByteFallback => "byte_fallback",
            Self::Fuse => "fuse",
            Self::Strip { .. } => "strip",
            Self::Metaspace { .. } => "metaspace",
            Self::ByteLevel => "byte_level",
            Self::EndOfWord { .. } => "end_of_word",
            Self::Join { .. } => "join",
            Self::Wordpiece { .. } => "wordpiece",
            Self::Sentencepiece(_) => "sentencepiece",
        }
    }

    /// The strings that the step makes; None where they would have more than `most_bytes` together.
    pub(crate) fn apply(&self, strings: Strings, most_bytes: usize) -> Result<Option<Strings>> {
        Ok(match self {
            Self::ReplaceText { text, by } => strings.each(most_bytes, |_, string, out| {
                let places = string.match_indices(text.as_str());
                out.replace(string, places.map(|(at, _)| at..at + text.len()), by)
            }),
            Self::ReplaceMatches { regex, by } => return replace_matches(&strings, regex, by, most_bytes),
            Self::ByteFallback => Some(byte_fallback(&strings)),
            Self::Fuse => strings.joined("", most_bytes),
            Self::Strip { character, start, stop } => {
                strings.each(most_bytes, |_, string, out| out.push(strip(string, *character, *start, *stop)))
            }
            Self::Metaspace { replacement, drops_first } => strings.each(most_bytes, |place, string, out| {
                let by = if place == 0 && *drops_first { "" } else { " " };
                let places = string.match_indices(*replacement);
                out.replace(string, places.map(|(at, _)| at..at + replacement.len_utf8()), by)
            }),
            Self::ByteLevel => Some(byte_level(&strings)),
            Self::EndOfWord { suffix } => {
                let last = strings.ends.len().saturating_sub(1);
                strings.each(most_bytes, |place, string, out| {
                    let by = if place == last { "" } else { " " };
                    let places = string.match_indices(suffix.as_str());
                    out.replace(string, places.map(|(at, _)| at..at + suffix.len()), by)
                })
            }
            Self::Join { by } => strings.joined(by, most_bytes),
            Self::Wordpiece { prefix, cleanup } => strings.each(most_bytes, |place, string, out| {
                let string = match string.strip_prefix(prefix.as_str()) {
                    _ if place == 0 => Cow::Borrowed(string),
                    Some(rest) => Cow::Borrowed(rest),
                    None => Cow::Owned(format!(" {string}")),
                };
                out.push(&if *cleanup { cleaned(string) } else { string })
            }),
            Self::Sentencepiece(rules) => {
                let text = rules.text(strings.iter(), most_bytes);
                text.map(|text| Strings { ends: vec![text.len()], text })
            }
        })
    }
}

impl<'s> FromIterator<&'s str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'s str>>(strings: I) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|string| all.push(string));
        all
    }
}

impl Strings {
    /// Each as a string of its own.
    pub(crate) fn into_vec(self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.text[*start..*end])
    }

    fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len());
    }

    /// A list of as many strings, each made of the one in its place; None if `make` gives None for one.
    fn each(&self, most_bytes: usize, mut make: impl FnMut(usize, &str, &mut Bounded) -> Option<()>) -> Option<Self> {
        let mut out = Bounded { text: String::with_capacity(self.text.len().min(most_bytes)), most_bytes };
        let mut ends = Vec::with_capacity(self.ends.len());
        for (place, string) in self.iter().enumerate() {
            make(place, string, &mut out)?;
            ends.push(out.text.len());
        }
        Some(Self { text: out.text, ends })
    }

    /// One string of all, with a text between them; None if it would be too long.
    fn joined(self, by: &str, most_bytes: usize) -> Option<Self> {
        let n_between = self.ends.len().saturating_sub(1).saturating_mul(by.len());
        if n_between > most_bytes.saturating_sub(self.text.len()) {
            return None;
        }
        let text = if by.is_empty() { self.text } else { self.iter().collect::<Vec<_>>().join(by) };
        Some(Self { ends: vec![text.len()], text })
    }
}

/// A text that becomes no longer than it may. What is put to it is counted before there is room for it.
struct Bounded {
    text: String,
    most_bytes: usize,
}

impl Bounded {
    /// Appends a string; None if it is too long.
    fn push(&mut self, string: &str) -> Option<()> {
        if string.len() > self.most_bytes.saturating_sub(self.text.len()) {
            return None;
        }
        self.text.push_str(string);
        Some(())
    }

    /// Appends a string with a text in the place of some ranges.
    fn replace(&mut self, string: &str, ranges: impl Iterator<Item = std::ops::Range<usize>>, by: &str) -> Option<()> {
        let mut at = 0;
        for range in ranges {
            self.push(&string[at..range.start])?;
            self.push(by)?;
            at = range.end;
        }
        self.push(&string[at..])
    }
}

fn replace_matches(strings: &Strings, regex: &Regex, by: &str, most_bytes: usize) -> Result<Option<Strings>> {
    let mut fault = Ok(());
    let made = strings.each(most_bytes, |_, string, out| {
        // The library does not look at an empty string, though a pattern may match there.
        let matches = (!string.is_empty()).then(|| regex.find_iter(string)).into_iter().flatten();
        let found = matches.map_while(|found| match found {
            Ok(found) => Some(found.range()),
            Err(_) => {
                fault = Err(Error::DecoderLimit { pattern: regex.as_str().to_owned() });
                None
            }
        });
        out.replace(string, found, by)
    });
    fault.map(|()| made)
}

fn byte_fallback(strings: &Strings) -> Strings {
    let (mut made, mut bytes) = (Strings::default(), Vec::new());
    for string in strings.iter() {
        if let Some(byte) = fallback_byte(string) {
            bytes.push(byte);
            continue;
        }
        release_bytes(&mut bytes, &mut made);
        made.push(string);
    }
    release_bytes(&mut bytes, &mut made);
    made
}

/// The byte of `<0x..>`; the library reads the digits as a number, so a sign counts as one.
pub(crate) fn fallback_byte(string: &str) -> Option<u8> {
    let digits = string.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Bytes that are UTF-8 as a whole are one string; others are one U+FFFD each.
fn release_bytes(bytes: &mut Vec<u8>, made: &mut Strings) {
    match str::from_utf8(bytes) {
        Ok("") => {}
        Ok(text) => made.push(text),
        Err(_) => bytes.iter().for_each(|_| made.push("\u{FFFD}")),
    }
    bytes.clear();
}

/// Blanks that the cleaning of WordPiece takes away, in its order: what stands there, and what comes in its place.
const CLEANED: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// A string without blanks before signs.
fn cleaned(string: Cow<'_, str>) -> Cow<'_, str> {
    CLEANED.into_iter().fold(
        string,
        |string, (text, by)| {
            if string.contains(text) { Cow::Owned(string.replace(text, by)) } else { string }
        },
    )
}

/// A string without so many of a character at its start and at its end.
fn strip(string: &str, character: char, start: usize, stop: usize) -> &str {
    let mut string = string;
    for _ in 0..start {
        let Some(rest) = string.strip_prefix(character) else { break };
        string = rest;
    }
    for _ in 0..stop {
        let Some(rest) = string.strip_suffix(character) else { break };
        string = rest;
    }
    string
}

/// One string of all: a string of which every character stands for a byte gives these, others give themselves.
fn byte_level(strings: &Strings) -> Strings {
    let mut bytes = Vec::with_capacity(strings.text.len());
    strings.iter().for_each(|string| string_bytes(string, &mut bytes));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Strings { ends: vec![text.len()], text }
}

/// Appends the bytes that the characters of a string stand for, or its own where one stands for none.
pub(crate) fn string_bytes(string: &str, bytes: &mut Vec<u8>) {
    let before = bytes.len();
    for character in string.chars() {
        let Some(byte) = byte_of(character) else {
            bytes.truncate(before);
            bytes.extend_from_slice(string.as_bytes());
            return;
        };
        bytes.push(byte);
    }
}
