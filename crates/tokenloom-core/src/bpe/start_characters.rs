//! Pretokens begin as their characters, with a mark at the end of each or without one: the twin of what `characters`
//! makes of a piece before it merges anything.

use std::collections::{BTreeMap, HashMap};

use super::start::{Start, WALL};
use super::taken::Taken;
use crate::Tick;
use crate::error::Result;
use crate::pretokens::counts::PretokenCounts;

/// Pretokens that are looked at between two ticks.
const TICK_PRETOKENS: usize = 1 << 14;

/// The mark at the end of a pretoken.
#[derive(Clone, Debug)]
pub enum EndOfWord {
    /// There is none.
    None,
    /// A symbol of its own.
    Symbol(String),
    /// A part of the last character's symbol.
    Glued(String),
}

/// What a character becomes that is not among those chosen. What it becomes joins no merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing.
    Dropped,
    /// The unknown token.
    Unknown,
    /// A token for each of its bytes; a glued mark is written in bytes too.
    Bytes,
}

/// Each character is a symbol.
#[derive(Clone, Debug)]
pub struct CharacterStart {
    characters: Vec<char>,
    symbols: HashMap<char, u32>,
    end: EndOfWord,
    missing: Missing,
    others: Vec<Vec<u8>>,
}

impl CharacterStart {
    /// `characters` are all different, and in the order of their ids. `others` are tokens that no merge may make.
    pub fn new(characters: Vec<char>, end: EndOfWord, missing: Missing, others: Vec<Vec<u8>>) -> Self {
        let first = if matches!(end, EndOfWord::Symbol(_)) { 1 } else { 0 };
        let symbols = characters.iter().copied().zip(first..).collect();
        Self { characters, symbols, end, missing, others }
    }

    /// Appends a character that is not among those chosen, of so many bytes.
    fn miss(&self, n_bytes: usize, symbols: &mut Vec<u32>) {
        let n_tokens = match self.missing {
            Missing::Dropped => 0,
            Missing::Unknown => 1,
            Missing::Bytes => n_bytes,
        };
        symbols.extend(std::iter::repeat_n(WALL, n_tokens));
    }
}

impl Start for CharacterStart {
    /// The mark, the characters, and the characters with a glued mark.
    fn tokens(&self) -> Vec<Vec<u8>> {
        let characters = || self.characters.iter().map(char::to_string);
        match &self.end {
            EndOfWord::None => characters().map(String::into_bytes).collect(),
            EndOfWord::Symbol(mark) => std::iter::once(mark.clone()).chain(characters()).map(Into::into).collect(),
            EndOfWord::Glued(mark) => {
                characters().chain(characters().map(|one| one + mark.as_str())).map(Into::into).collect()
            }
        }
    }

    fn append(&self, pretoken: &[u8], symbols: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        let mut at = 0;
        for chunk in pretoken.utf8_chunks() {
            for character in chunk.valid().chars() {
                at += character.len_utf8();
                let glued = match &self.end {
                    EndOfWord::Glued(mark) if at == pretoken.len() => Some(mark),
                    _ => None,
                };
                match self.symbols.get(&character) {
                    Some(symbol) if glued.is_some() => symbols.push(symbol + self.characters.len() as u32),
                    Some(symbol) => symbols.push(*symbol),
                    None => self.miss(character.len_utf8() + glued.map_or(0, String::len), symbols),
                }
            }
            at += chunk.invalid().len();
            chunk.invalid().iter().for_each(|_| self.miss(1, symbols));
        }
        if matches!(self.end, EndOfWord::Symbol(_)) {
            symbols.push(0);
        }
        Ok(())
    }

    fn has_walls(&self) -> bool {
        true
    }

    fn n_marks(&self) -> usize {
        match &self.end {
            EndOfWord::Symbol(_) => 1,
            EndOfWord::Glued(mark) if self.missing == Missing::Bytes => mark.len(),
            _ => 0,
        }
    }

    /// A text may hold what looks like the mark, or like a token for a byte.
    fn taken(&self, _tick: Tick<'_>) -> Result<Option<Taken>> {
        let taken = Taken::new(self.tokens().into_iter().chain(self.others.iter().cloned()));
        Ok(Some(if matches!(self.end, EndOfWord::None) { taken } else { taken.of_ambiguous_pairs() }))
    }
}

/// How often each character occurs, in the order of code points. Bytes that are no UTF-8 are none.
pub fn count_characters(counts: &PretokenCounts, tick: Tick<'_>) -> Result<BTreeMap<char, u64>> {
    let mut found = HashMap::<char, u64>::new();
    for place in 0..counts.len() {
        if place.is_multiple_of(TICK_PRETOKENS) {
            tick(0)?;
        }
        for character in counts.pretoken(place).utf8_chunks().flat_map(|chunk| chunk.valid().chars()) {
            let n = found.entry(character).or_default();
            *n = n.saturating_add(counts.counts[place]);
        }
    }
    Ok(found.into_iter().collect())
}

/// The first pretoken, in order of the bytes, that has the mark before its end: also in part, where the mark that follows
/// completes it. Tokens of such a pretoken hold the mark where no word ends.
pub fn find_inner_mark<'a>(counts: &'a PretokenCounts, mark: &str, tick: Tick<'_>) -> Result<Option<&'a [u8]>> {
    let mark = mark.as_bytes();
    let mut marked = Vec::new();
    find_pretoken(counts, tick, |pretoken| {
        marked.clear();
        marked.extend_from_slice(pretoken);
        marked.extend_from_slice(mark);
        marked[..marked.len() - 1].windows(mark.len()).any(|part| part == mark)
    })
}

/// The first pretoken, in order of the bytes, that is no UTF-8.
pub fn find_invalid<'a>(counts: &'a PretokenCounts, tick: Tick<'_>) -> Result<Option<&'a [u8]>> {
    find_pretoken(counts, tick, |pretoken| std::str::from_utf8(pretoken).is_err())
}

fn find_pretoken<'a>(
    counts: &'a PretokenCounts,
    tick: Tick<'_>,
    mut is_meant: impl FnMut(&[u8]) -> bool,
) -> Result<Option<&'a [u8]>> {
    for place in 0..counts.len() {
        if place.is_multiple_of(TICK_PRETOKENS) {
            tick(0)?;
        }
        if is_meant(counts.pretoken(place)) {
            return Ok(Some(counts.pretoken(place)));
        }
    }
    Ok(None)
}
