//! Any other pattern, on fancy-regex.
//!
//! Every byte of the text is in a piece: what no match covers is a piece as well, from one match to the next, and empty
//! matches are passed over. A pattern may look behind, so a stretch of text is cut in one go, from its start to its end.
//! Nothing is sure before the end, and no place is a safe cut.
//!
//! fancy-regex reads valid UTF-8 alone. In a text that is not, each invalid byte is replaced in a copy by U+10FFFF, which
//! is no character, has no class and stands in no real text: like an invalid byte it is neither letter, number nor blank.
//! The ends in the copy are then counted back.
//!
//! The time that a pattern takes is its author's affair: fancy-regex gives up after a million steps back in one match,
//! which is an error with the place.

use std::ops::Range;

use fancy_regex::Regex;

use crate::error::{Error, Result};

/// Stands for an invalid byte.
const STAND_IN: char = '\u{10FFFF}';

/// A pattern.
#[derive(Debug)]
pub struct Custom {
    regex: Regex,
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
        let fault = |error: fancy_regex::Error| Error::Pattern { pattern: pattern.into(), detail: error.to_string() };
        Ok(Self { regex: Regex::new(pattern).map_err(fault)? })
    }

    /// See `Scanner::scan`; it does not stop before the end.
    pub fn scan(&self, text: &[u8], start: usize, at_end: bool, ends: &mut Vec<usize>) -> Result<usize> {
        if !at_end || start >= text.len() {
            return Ok(start);
        }
        let mut at = start;
        let whole = self.matches(&text[start..], |found| {
            let found = start + found.start..start + found.end;
            if found.end <= at || found.is_empty() {
                return Ok(());
            }
            if found.start > at {
                ends.push(found.start);
            }
            ends.push(found.end);
            at = found.end;
            Ok(())
        });
        whole.map_err(|_| Error::PatternLimit { byte_offset: at as u64 })?;
        if at < text.len() {
            ends.push(text.len());
        }
        Ok(text.len())
    }

    /// Gives the matches in a text, one after the other. An empty one does not follow another match without a character
    /// between them.
    pub fn matches(&self, text: &[u8], mut take: impl FnMut(Range<usize>) -> Result<()>) -> Result<()> {
        let mut reached = 0;
        let mut pass = |found: Range<usize>| {
            reached = found.end;
            take(found)
        };
        let is_whole = match str::from_utf8(text) {
            Ok(text) => self.find(text, &mut pass)?,
            Err(_) => {
                let (copy, stand_ins) = readable(text);
                let mut n_before = 0;
                let mut place = |at: usize| {
                    n_before += stand_ins[n_before..].iter().take_while(|place| **place < at).count();
                    at - n_before * (STAND_IN.len_utf8() - 1)
                };
                self.find(&copy, |found| pass(place(found.start)..place(found.end)))?
            }
        };
        if is_whole { Ok(()) } else { Err(Error::PatternLimit { byte_offset: reached as u64 }) }
    }

    /// Gives the matches in a text, and whether it came to the end.
    fn find(&self, text: &str, mut take: impl FnMut(Range<usize>) -> Result<()>) -> Result<bool> {
        for found in self.regex.find_iter(text) {
            let Ok(found) = found else { return Ok(false) };
            take(found.start()..found.end())?;
        }
        Ok(true)
    }
}

/// A copy with stand-ins for invalid bytes, and their places in it.
fn readable(text: &[u8]) -> (String, Vec<usize>) {
    let (mut copy, mut stand_ins) = (String::with_capacity(text.len() + 3), Vec::new());
    for chunk in text.utf8_chunks() {
        copy.push_str(chunk.valid());
        for _ in chunk.invalid() {
            stand_ins.push(copy.len());
            copy.push(STAND_IN);
        }
    }
    (copy, stand_ins)
}
