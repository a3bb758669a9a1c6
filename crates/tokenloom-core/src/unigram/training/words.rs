//! The distinct pretokens of a corpus as the training of unigrams sees them: runs of known characters, as numbers.

use std::collections::HashMap;
use std::ops::Range;

use crate::Tick;
use crate::error::{Error, Result};
use crate::parallel;
use crate::pretokens::counts::PretokenCounts;

/// What stands for a space, as in SentencePiece.
pub const MARK: char = '\u{2581}';

/// Longer words are cut. A cut costs the pieces that would span it, one place in so many.
const MOST_SYMBOLS: usize = 1 << 12;

/// Places are below this, with room for what comes between two looks.
const MOST_PLACES: usize = 1 << 31;

/// Symbols of a unit of work.
const UNIT_SYMBOLS: usize = 1 << 15;

/// Pretokens between two ticks.
const TICK_PRETOKENS: usize = 1 << 14;

/// Behind each word; less than any symbol.
pub const END: u32 = 0;

/// See the module.
#[derive(Debug)]
pub struct Words {
    /// All words, each with an end mark: places in the list of characters, from 1.
    pub(super) symbols: Vec<u32>,
    /// Where the end marks stand.
    ends: Vec<usize>,
    weights: Vec<u64>,
}

impl Words {
    /// Cuts pretokens at characters that are not among those given; of each the space is the mark.
    pub fn new(counts: &PretokenCounts, characters: &[char], tick: Tick<'_>) -> Result<Self> {
        let symbols_of: HashMap<char, u32> = characters.iter().copied().zip(1..).collect();
        let mut words = Self { symbols: Vec::new(), ends: Vec::new(), weights: Vec::new() };
        let mut total = 0_u64;
        for place in 0..counts.len() {
            if place.is_multiple_of(TICK_PRETOKENS) {
                tick(0)?;
                if words.symbols.len() > MOST_PLACES {
                    return Err(Error::TooManyPretokens { length_bytes: counts.bytes.len() });
                }
            }
            let (pretoken, weight) = (counts.pretoken(place), counts.counts[place]);
            let added = (pretoken.len() as u64).checked_mul(weight).and_then(|added| total.checked_add(added));
            total = added.ok_or_else(|| Error::CountOverflow { bytes: pretoken.to_vec() })?;
            for chunk in pretoken.utf8_chunks() {
                for character in chunk.valid().chars() {
                    let character = if character == ' ' { MARK } else { character };
                    match symbols_of.get(&character) {
                        Some(symbol) => words.push(*symbol, weight),
                        None => words.end(weight),
                    }
                }
                if !chunk.invalid().is_empty() {
                    words.end(weight);
                }
            }
            words.end(weight);
        }
        Ok(words)
    }

    fn push(&mut self, symbol: u32, weight: u64) {
        if self.symbols.len() - self.start(self.len()) == MOST_SYMBOLS {
            self.end(weight);
        }
        self.symbols.push(symbol);
    }

    fn end(&mut self, weight: u64) {
        if self.start(self.len()) < self.symbols.len() {
            self.ends.push(self.symbols.len());
            self.symbols.push(END);
            self.weights.push(weight);
        }
    }

    fn start(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |before| self.ends[before] + 1)
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of symbols of all words.
    pub fn n_symbols(&self) -> usize {
        self.symbols.len() - self.len()
    }

    /// How often the word occurs that a symbol belongs to.
    pub fn weight_at(&self, at: usize) -> u64 {
        self.weights[self.ends.partition_point(|end| *end < at)]
    }

    /// The symbols of a word.
    pub fn word(&self, place: usize) -> &[u32] {
        &self.symbols[self.start(place)..self.ends[place]]
    }

    /// How often a word occurs.
    pub fn weight(&self, place: usize) -> u64 {
        self.weights[place]
    }

    /// Words in units of about the same work, which do not depend on threads.
    pub fn units(&self) -> Vec<Range<usize>> {
        parallel::group((0..self.len()).map(|place| self.word(place).len()), UNIT_SYMBOLS)
    }
}
