//! Any other pattern, on fancy-regex.
//!
//! Every byte of the text is in a piece: what lies between two matches is a piece as well, and an empty match between two
//! characters is a place between two pieces. A pattern may look behind, so a stretch of text is cut in one go, from its
//! start to its end. Nothing is sure before the end, and no place is a safe cut.
//!
//! fancy-regex reads valid UTF-8 alone. In a text that is not, each invalid byte is replaced in a copy by U+10FFFF, which
//! is no character, has no class and stands in no real text: like an invalid byte it is neither letter, number nor blank.
//! The ends in the copy are then counted back.
//!
//! The time that a pattern takes is its author's affair: fancy-regex gives up after a million steps back in one search.
//! A search goes over all places up to the next match, which may be far, so then each place is tried by itself; only if
//! one place takes so many steps is that an error, with the place.

use std::ops::Range;

use fancy_regex::Regex;

use crate::Tick;
use crate::error::{Error, Result};
use crate::wording::shown;

/// Stands for an invalid byte.
const STAND_IN: char = '\u{10FFFF}';

/// The most bytes that the copy takes for each of the text: a stand-in and its place.
pub const COPY_BYTES: usize = STAND_IN.len_utf8() + 2 * size_of::<usize>();

/// Pieces that are given together.
const GIVEN_PIECES: usize = 1 << 12;

/// Matches between two ticks. One may take tens of milliseconds.
const TICK_MATCHES: usize = 16;

/// Places that are tried one by one between two ticks.
const TICK_PLACES: usize = 1 << 10;

/// A pattern.
#[derive(Debug)]
pub struct Custom {
    regex: Regex,
    /// The same at one place; None if it cannot be had.
    at_place: Option<AtPlace>,
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.regex.as_str() == other.regex.as_str()
    }
}

impl Eq for Custom {}

impl Custom {
    /// Reads a pattern.
    pub fn new(pattern: &str) -> Result<Self> {
        Ok(Self { regex: read_pattern(pattern, "pretokenizer")?, at_place: AtPlace::new(pattern) })
    }

    /// See `Scanner::scan`; it does not stop before the end.
    pub fn scan(
        &self,
        text: &[u8],
        start: usize,
        at_end: bool,
        ends: &mut Vec<usize>,
        tick: Tick<'_>,
    ) -> Result<usize> {
        let take = |_: usize, some: &[usize], _: Tick<'_>| {
            ends.extend_from_slice(some);
            Ok(())
        };
        self.scan_by_parts(text, start, at_end, take, tick)
    }

    /// The same for a text of which not all ends shall be held: gives the start of a piece, its end, and those of some that
    /// follow.
    pub fn scan_by_parts(
        &self,
        text: &[u8],
        start: usize,
        at_end: bool,
        mut take: impl FnMut(usize, &[usize], Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<usize> {
        if !at_end || start >= text.len() {
            return Ok(start);
        }
        let (mut given, mut ends) = (start, Vec::new());
        let gather = |range: Range<usize>, _: bool, tick: Tick<'_>| {
            if !range.is_empty() {
                ends.push(start + range.end);
            }
            if ends.len() >= GIVEN_PIECES || (start + range.end == text.len() && !ends.is_empty()) {
                take(given, &ends, tick)?;
                given = start + range.end;
                ends.clear();
            }
            Ok(())
        };
        self.matches(&text[start..], gather, tick).map_err(|fault| fault.behind(start as u64))?;
        Ok(text.len())
    }

    /// Gives the matches and the stretches between them in their order, and which they are. Matches may be empty,
    /// but none is that begins where another one ended.
    pub fn matches(
        &self,
        text: &[u8],
        mut take: impl FnMut(Range<usize>, bool, Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        match Readable::new(text) {
            Readable::Same(text) => self.each(text, take, tick),
            Readable::Copy { text, stand_ins } => {
                let (mut reached, mut n_before) = (0, 0);
                let back = |range: Range<usize>, is_match: bool, tick: Tick<'_>| {
                    n_before += stand_ins[n_before..].iter().take_while(|place| **place < range.end).count();
                    let start = std::mem::replace(&mut reached, range.end - n_before * LONGER);
                    take(start..reached, is_match, tick)
                };
                let done = self.each(&text, back, tick);
                done.map_err(|fault| fault.moved(|_| reached as u64))
            }
        }
    }

    fn each(
        &self,
        text: &str,
        mut take: impl FnMut(Range<usize>, bool, Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        // The end of the last match, and where the next one may begin: one character on, where one was empty.
        let (mut reached, mut from, mut n_matches, mut has_match) = (0, 0, 0, false);
        while from <= text.len() {
            let Some(found) = self.next(text, from, reached, tick)? else { break };
            let is_empty = found.is_empty();
            from = if is_empty { next_place(text, found.end) } else { found.end };
            if is_empty && has_match && found.end == reached {
                continue;
            }
            if found.start > reached {
                take(reached..found.start, false, tick)?;
            }
            (reached, has_match) = (found.end, true);
            take(found, true, tick)?;
            n_matches += 1;
            if n_matches % TICK_MATCHES == 0 {
                tick(0)?;
            }
        }
        if reached < text.len() { take(reached..text.len(), false, tick) } else { Ok(()) }
    }

    /// Where the piece ends that begins at `start`: with the match there, or before the next one. `reached` is for the
    /// error.
    pub(crate) fn piece_end(&self, text: &str, start: usize, reached: usize, tick: Tick<'_>) -> Result<usize> {
        let mut from = start;
        while from <= text.len()
            && let Some(found) = self.next(text, from, reached, tick)?
        {
            if found.start > start {
                return Ok(found.start);
            }
            if !found.is_empty() {
                return Ok(found.end);
            }
            from = next_place(text, start);
        }
        Ok(text.len())
    }

    /// The next match. `reached` is for the error.
    fn next(&self, text: &str, from: usize, reached: usize, tick: Tick<'_>) -> Result<Option<Range<usize>>> {
        let limit = || Error::PatternLimit { byte_offset: reached as u64 };
        if let Ok(found) = self.regex.find_from_pos(text, from) {
            return Ok(found.map(|found| found.range()));
        }
        let regex = self.at_place.as_ref().ok_or_else(limit)?;
        let (mut place, mut n_places) = (from, 0);
        while place <= text.len() {
            if let Some(end) = regex.end(text, place).ok_or_else(limit)? {
                return Ok(Some(place..end));
            }
            place = next_place(text, place);
            n_places += 1;
            if n_places % TICK_PLACES == 0 {
                tick(0)?;
            }
        }
        Ok(None)
    }
}

/// Reads the pattern of some part of a tokenizer; the error says what is wrong with it, and where if that is sure.
pub(crate) fn read_pattern(pattern: &str, part: &'static str) -> Result<Regex> {
    let fault = |error| Error::Pattern { part, pattern: pattern.into(), detail: detail(pattern, &error) };
    Regex::new(pattern).map_err(fault)
}

/// The cause of an error: fancy-regex gives parts of a pattern to other libraries, and does not say what these say.
fn detail(pattern: &str, error: &fancy_regex::Error) -> String {
    let fancy_regex::Error::CompileError(fancy_regex::CompileError::InnerError(inner)) = error else {
        return error.to_string();
    };
    let causes = std::iter::successors(Some(inner as &dyn std::error::Error), |cause| cause.source());
    let cause = causes.last().unwrap_or(inner);
    let (kind, part, span) = match cause.downcast_ref::<regex_syntax::Error>() {
        Some(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.pattern(), error.span()),
        Some(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.pattern(), error.span()),
        _ => return cause.to_string(),
    };
    let Some(wrong) = part.get(span.start.offset..span.end.offset).filter(|wrong| !wrong.is_empty()) else {
        return kind;
    };
    // The part is a rewritten one, so its places are not those of the pattern.
    let mut places = pattern.match_indices(wrong).map(|(place, _)| place);
    match (places.next(), places.next()) {
        (Some(place), None) => format!("{kind}: {} at byte {place}", shown(wrong)),
        _ => format!("{kind}: {}", shown(wrong)),
    }
}

/// A pattern that is tried at one place.
#[derive(Debug)]
pub(crate) struct AtPlace(Regex);

impl AtPlace {
    /// None for a pattern that cannot stand in a group.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        // Where the pattern does not match, any character does, so that the search goes no farther; `\K` lets that match
        // begin behind the character, which tells the two apart.
        Regex::new(&format!(r"(?:{pattern})|(?s:.)\K")).ok().map(Self)
    }

    /// Where the match ends that begins at a place, if there is one; None if it takes too many steps to say.
    pub(crate) fn end(&self, text: &str, place: usize) -> Option<Option<usize>> {
        let found = self.0.find_from_pos(text, place).ok()?;
        Some(found.filter(|found| found.start() == place).map(|found| found.end()))
    }
}

/// The place behind the next character.
fn next_place(text: &str, place: usize) -> usize {
    place + text[place..].chars().next().map_or(1, char::len_utf8)
}

/// How much longer a stand-in is than what it stands for.
const LONGER: usize = STAND_IN.len_utf8() - 1;

/// A text as fancy-regex can read it.
pub(crate) enum Readable<'t> {
    /// It is valid UTF-8.
    Same(&'t str),
    /// A copy with stand-ins for invalid bytes, and their places in it.
    Copy { text: String, stand_ins: Vec<usize> },
}

impl<'t> Readable<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        if let Ok(text) = str::from_utf8(text) {
            return Self::Same(text);
        }
        let (mut copy, mut stand_ins) = (String::with_capacity(text.len() + LONGER), Vec::new());
        for chunk in text.utf8_chunks() {
            copy.push_str(chunk.valid());
            for _ in chunk.invalid() {
                stand_ins.push(copy.len());
                copy.push(STAND_IN);
            }
        }
        Self::Copy { text: copy, stand_ins }
    }

    /// The text itself, or the copy.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Same(text) => text,
            Self::Copy { text, .. } => text,
        }
    }

    /// Where ascending places of the text as it came are in what is read.
    pub(crate) fn places(&self, places: &[usize]) -> Vec<usize> {
        let Self::Copy { stand_ins, .. } = self else { return places.to_vec() };
        let mut n_before = 0;
        let moved = |place: &usize| {
            while stand_ins.get(n_before).is_some_and(|at| *at < *place + n_before * LONGER) {
                n_before += 1;
            }
            place + n_before * LONGER
        };
        places.iter().map(moved).collect()
    }
}

/// Finds places of a text in what is read of it, and back.
pub(crate) struct Places<'r> {
    stand_ins: &'r [usize],
    /// What they stand for, in the text as it came.
    invalid: Vec<usize>,
}

impl<'r> Places<'r> {
    pub(crate) fn new(readable: &'r Readable<'_>) -> Self {
        let stand_ins = match readable {
            Readable::Same(_) => &[],
            Readable::Copy { stand_ins, .. } => stand_ins.as_slice(),
        };
        let invalid = stand_ins.iter().enumerate().map(|(n_before, place)| place - n_before * LONGER);
        Self { stand_ins, invalid: invalid.collect() }
    }

    /// Where a place of the text as it came is in what is read.
    pub(crate) fn read(&self, place: usize) -> usize {
        place + self.invalid.partition_point(|invalid| *invalid < place) * LONGER
    }

    /// Where a place of what is read is in the text as it came.
    pub(crate) fn back(&self, place: usize) -> usize {
        place - self.stand_ins.partition_point(|stand_in| *stand_in < place) * LONGER
    }
}
