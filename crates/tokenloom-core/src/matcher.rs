//! The first of many patterns in a text: leftmost, then longest.
//!
//! The automaton of `aho_corasick` jumps from one first byte to the next while patterns have few of them, as `<` and `[`.
//! Thousands of words begin with every letter, and it then takes each byte of the text through its states, in ten times
//! the time of looking whether the next eight bytes may begin a pattern. So where there are many, a set of hashes of their
//! first bytes says where the automaton has to start; once it is back at its start, that is asked again. Each byte goes
//! through the automaton once at most, whatever the text.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous;
use aho_corasick::{AhoCorasick, Anchored, BuildError, Input, MatchKind};

/// A pattern that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Its number.
    pub pattern: usize,
    /// Its first byte in the text.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// Finds patterns, none of which is empty.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// By the automaton alone.
    Plain(AhoCorasick),
    /// Where the first bytes may be those of a pattern.
    Filtered(Arc<Filtered>),
}

/// An automaton, and where it has to start.
#[derive(Debug)]
pub struct Filtered {
    starts: Starts,
    automaton: contiguous::NFA,
}

/// More different first bytes than this are not jumped to.
const MOST_FIRST_BYTES: usize = 3;
/// Up to so many patterns are looked for all at once, 16 bytes of text at a time.
const MOST_TOGETHER: usize = 64;

impl Matcher {
    /// A matcher for these patterns.
    pub fn new(patterns: &[&[u8]]) -> Result<Self, BuildError> {
        let mut first_bytes: Vec<_> = patterns.iter().filter_map(|pattern| pattern.first()).collect();
        first_bytes.sort_unstable();
        first_bytes.dedup();
        match Starts::new(patterns) {
            Some(starts) if first_bytes.len() > MOST_FIRST_BYTES && patterns.len() > MOST_TOGETHER => {
                let mut builder = contiguous::NFA::builder();
                let automaton = builder.match_kind(MatchKind::LeftmostLongest).prefilter(false).build(patterns)?;
                Ok(Self::Filtered(Arc::new(Filtered { starts, automaton })))
            }
            _ => Ok(Self::Plain(AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns)?)),
        }
    }

    /// The first match in a range of the text.
    pub fn find(&self, text: &[u8], range: Range<usize>) -> Option<Match> {
        match self {
            Self::Plain(automaton) => {
                let found = automaton.find(Input::new(text).range(range))?;
                Some(Match { pattern: found.pattern().as_usize(), start: found.start(), end: found.end() })
            }
            Self::Filtered(filtered) => filtered.find(&text[..range.end], range.start),
        }
    }
}

impl Filtered {
    fn find(&self, text: &[u8], from: usize) -> Option<Match> {
        let (automaton, mut at) = (&self.automaton, from);
        let start = automaton.start_state(Anchored::No).ok()?;
        loop {
            at = self.starts.next(text, at)?;
            let (mut state, mut found) = (start, None);
            while at < text.len() {
                state = automaton.next_state(Anchored::No, state, text[at]);
                at += 1;
                if automaton.is_dead(state) {
                    return found;
                }
                if automaton.is_match(state) {
                    let pattern = automaton.match_pattern(state, 0);
                    let start = at - automaton.pattern_len(pattern);
                    found = Some(Match { pattern: pattern.as_usize(), start, end: at });
                } else if state == start && found.is_none() {
                    break;
                }
            }
            if at >= text.len() {
                return found;
            }
        }
    }
}

/// Where a pattern may start.
#[derive(Debug)]
struct Starts {
    /// A bit for each hash that the start of a pattern has.
    bits: Box<[u64]>,
    /// So many bytes are hashed: as many as each pattern has, up to eight.
    n_bytes: usize,
}

impl Starts {
    /// None for patterns too short to tell from other text.
    fn new(patterns: &[&[u8]]) -> Option<Self> {
        let n_bytes = patterns.iter().map(|pattern| pattern.len()).min()?.min(8);
        if n_bytes < 2 {
            return None;
        }
        // One in a hundred places of other text has a hash of some pattern.
        let n_words = (patterns.len() * 2).next_power_of_two();
        let mut starts = Self { bits: vec![0; n_words].into(), n_bytes };
        for pattern in patterns {
            let (word, bit) = starts.place(starts.key(pattern, 0));
            starts.bits[word] |= bit;
        }
        Some(starts)
    }

    /// The first place from `from` on where a pattern may start and end in the text.
    fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        (from..(text.len() + 1).saturating_sub(self.n_bytes)).find(|at| {
            let (word, bit) = self.place(self.key(text, *at));
            self.bits[word] & bit != 0
        })
    }

    /// The first bytes of what stands at a place that has so many.
    #[inline(always)]
    fn key(&self, text: &[u8], at: usize) -> u64 {
        let unused = 64 - 8 * self.n_bytes;
        match text.get(at..at + 8).and_then(|window| window.first_chunk()) {
            Some(window) => u64::from_le_bytes(*window) << unused,
            None => {
                let mut window = [0; 8];
                window[..self.n_bytes].copy_from_slice(&text[at..at + self.n_bytes]);
                u64::from_le_bytes(window) << unused
            }
        }
    }

    #[inline(always)]
    fn place(&self, key: u64) -> (usize, u64) {
        // The upper half of the product depends on all bits of the key; an odd number without a pattern of its own.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        ((hash >> 6) as usize & (self.bits.len() - 1), 1 << (hash & 63))
    }
}
