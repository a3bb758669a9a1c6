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
    /// A bit for one part of the hash of each pattern's start, and one for another part. All stay in the nearest cache.
    words: Box<[u64]>,
    /// A part of a hash has so many bits.
    n_bits: u32,
    /// So many bytes are hashed: as many as each pattern has, up to `WINDOW_BYTES`.
    n_bytes: usize,
}

/// What is looked at in one step.
const WINDOW_BYTES: usize = 8;

/// Bits for each pattern: one place in sixteen of other text has the first bit, and one in ninety both.
const PATTERN_BITS: usize = 16;

impl Starts {
    /// None for patterns too short to tell from other text.
    fn new(patterns: &[&[u8]]) -> Option<Self> {
        let n_bytes = patterns.iter().map(|pattern| pattern.len()).min()?.min(WINDOW_BYTES);
        if n_bytes < 2 {
            return None;
        }
        let n_bits = (patterns.len() * PATTERN_BITS).next_power_of_two().ilog2().clamp(6, 31);
        let mut starts = Self { words: vec![0; 1 << (n_bits - 6)].into(), n_bits, n_bytes };
        for pattern in patterns {
            let hash = starts.hash(padded(&pattern[..n_bytes]));
            for place in [starts.first(hash), starts.second(hash)] {
                starts.words[place >> 6] |= 1 << (place & 63);
            }
        }
        Some(starts)
    }

    /// The first place from `from` on where a pattern may start and end in the text.
    fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let whole = rest
            .windows(WINDOW_BYTES)
            .position(|window| window.first_chunk().is_some_and(|window| self.may_start(*window)));
        let tail = rest.len().saturating_sub(WINDOW_BYTES - 1);
        let mut short = tail..(rest.len() + 1).saturating_sub(self.n_bytes);
        let at = whole.or_else(|| short.find(|at| self.may_start(padded(&rest[*at..]))))?;
        Some(from + at)
    }

    #[inline(always)]
    fn may_start(&self, window: [u8; WINDOW_BYTES]) -> bool {
        let hash = self.hash(window);
        self.has(self.first(hash)) && self.has(self.second(hash))
    }

    /// The hash of what a window begins with, in its upper bits: those of a product depend on all bits of the key.
    #[inline(always)]
    fn hash(&self, window: [u8; WINDOW_BYTES]) -> u64 {
        let key = u64::from_le_bytes(window) << (8 * (WINDOW_BYTES - self.n_bytes));
        // An odd number without a pattern of its own.
        key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        (hash >> (64 - self.n_bits)) as usize
    }

    #[inline(always)]
    fn second(&self, hash: u64) -> usize {
        (hash << self.n_bits >> (64 - self.n_bits)) as usize
    }

    #[inline(always)]
    fn has(&self, place: usize) -> bool {
        self.words.get(place >> 6).is_some_and(|word| word >> (place & 63) & 1 != 0)
    }
}

/// A window of bytes that are fewer.
fn padded(bytes: &[u8]) -> [u8; WINDOW_BYTES] {
    let mut window = [0; WINDOW_BYTES];
    window[..bytes.len()].copy_from_slice(bytes);
    window
}
