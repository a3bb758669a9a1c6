//! User-defined symbols: texts that are taken whole.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};

use crate::error::{Error, Result};

/// Texts that stay as they are.
#[derive(Clone, Debug)]
pub struct Symbols {
    finder: AhoCorasick,
    /// The bytes that they begin with.
    pub firsts: Box<[bool; 256]>,
}

impl Symbols {
    /// None if there are none.
    pub fn new(symbols: &[String]) -> Result<Option<Self>> {
        if symbols.is_empty() {
            return Ok(None);
        }
        let mut firsts = Box::new([false; 256]);
        for first in symbols.iter().filter_map(|symbol| symbol.bytes().next()) {
            firsts[usize::from(first)] = true;
        }
        Ok(Some(Self { finder: finder(symbols, StartKind::Anchored)?, firsts }))
    }

    /// The length of the longest one that a text begins with.
    pub fn longest(&self, text: &[u8]) -> Option<usize> {
        let first = text.first().filter(|first| self.firsts[usize::from(**first)]);
        first.and_then(|_| self.finder.find(Input::new(text).anchored(Anchored::Yes))).map(|found| found.end())
    }
}

/// Finds the longest of some texts, of those that begin first.
pub fn finder<T: AsRef<[u8]>>(texts: &[T], start: StartKind) -> Result<AhoCorasick> {
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).start_kind(start).kind(kind).build(texts);
    built.map_err(|_| Error::SpecJson { detail: "its user-defined symbols are too many or too long".to_owned() })
}
