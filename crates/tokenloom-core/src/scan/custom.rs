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
        let (stretch, n_ends) = (&text[start..], ends.len());
        let is_whole = match str::from_utf8(stretch) {
            Ok(stretch) => self.cut(stretch, |end| ends.push(start + end)),
            Err(_) => {
                let (copy, stand_ins) = readable(stretch);
                let mut n_before = 0;
                self.cut(&copy, |end| {
                    n_before += stand_ins[n_before..].iter().take_while(|place| **place < end).count();
                    ends.push(start + end - n_before * (STAND_IN.len_utf8() - 1));
                })
            }
        };
        let reached = ends[n_ends..].last().copied().unwrap_or(start);
        if is_whole { Ok(text.len()) } else { Err(Error::PatternLimit { byte_offset: reached as u64 }) }
    }

    /// Gives the end of each piece, and whether it came to the end of the text.
    fn cut(&self, text: &str, mut push: impl FnMut(usize)) -> bool {
        let mut at = 0;
        for found in self.regex.find_iter(text) {
            let Ok(found) = found else { return false };
            if found.end() <= at || found.start() == found.end() {
                continue;
            }
            if found.start() > at {
                push(found.start());
            }
            push(found.end());
            at = found.end();
        }
        if at < text.len() {
            push(text.len());
        }
        true
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
