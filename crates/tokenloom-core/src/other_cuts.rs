//! Other ways to cut a piece into tokens of a vocabulary than the model's: the longest token at each place, and as few
//! tokens as there can be.
//!
//! Both ask at each place which tokens begin there. An automaton of Aho and Corasick over the tokens read backwards,
//! which reads the piece backwards, is at each place in the state of the longest token, or beginning of one read backwards,
//! that begins there; links lead from each token to the next shorter one. So the longest tokens of all places take time
//! in the length of the piece, however long tokens are, and the fewest tokens take time in the number of places where a
//! token fits.

use std::ops::Range;

use crate::Tick;
use crate::error::{Error, Result};
use crate::scan::classes::class_at;

/// No token, and no state.
const NONE: u32 = u32::MAX;

/// The state before anything is read.
const ROOT: u32 = 0;

/// Places between two ticks.
const TICK_PLACES: usize = 1 << 16;

/// Characters that are in no token weigh more than all tokens of a piece.
const UNKNOWN: u64 = 1 << 32;

/// Which of the ways to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The longest token at each place, from the left.
    Greedy,
    /// First as few characters as can be that are in no token, then as few tokens; of equals the cut that begins with a
    /// token and not with such a character, then the one whose first token is longest, and so on for what is left.
    Fewest,
}

/// Cuts pieces into tokens.
#[derive(Debug)]
pub struct OtherCuts {
    /// The byte by which each state is reached; those from the same one stand side by side, in order.
    bytes: Vec<u8>,
    /// The first state that is reached from each; its last is before the first of the next one.
    firsts: Vec<u32>,
    /// The state of the longest other end of what was read that begins a token.
    fails: Vec<u32>,
    /// The token that ends in each state.
    ids: Vec<u32>,
    /// The bytes read in each state.
    depths: Vec<u32>,
    /// The state of the next shorter token.
    shorter: Vec<u32>,
}

/// What stands at a place of a piece: a token, or a character that is in none.
#[derive(Clone, Copy, Debug)]
struct Step {
    id: u32,
    n_bytes: u32,
}

impl OtherCuts {
    /// Takes tokens with their ids. Refuses an empty token and one that is there twice.
    pub fn new(mut tokens: Vec<(Vec<u8>, u32)>, tick: Tick<'_>) -> Result<Self> {
        tokens.iter_mut().for_each(|(token, _)| token.reverse());
        tokens.sort_unstable();
        tick(0)?;
        for pair in tokens.windows(2) {
            if pair[0].0 == pair[1].0 {
                let token = pair[0].0.iter().rev().copied().collect();
                return Err(Error::DuplicateToken { token, first: pair[0].1, second: pair[1].1 });
            }
        }
        if tokens.first().is_some_and(|(token, _)| token.is_empty()) {
            return Err(Error::SpecArrays { array: "token_bytes", problem: "have an empty token" });
        }
        let n_bytes: usize = tokens.iter().map(|(token, _)| token.len()).sum();
        if n_bytes >= NONE as usize {
            return Err(Error::SpecArrays { array: "token_bytes", problem: "have 4 GiB or more" });
        }
        let mut cuts = Self::tree(&tokens, tick)?;
        cuts.link(tick)?;
        Ok(cuts)
    }

    /// The states, level by level: each stands for a stretch of the sorted tokens that begin alike.
    fn tree(tokens: &[(Vec<u8>, u32)], tick: Tick<'_>) -> Result<Self> {
        let mut tree = Self {
            bytes: vec![0],
            firsts: Vec::new(),
            fails: Vec::new(),
            ids: vec![NONE],
            depths: vec![0],
            shorter: Vec::new(),
        };
        let mut level: Vec<Range<usize>> = std::iter::once(0..tokens.len()).collect();
        let mut depth = 0;
        while !level.is_empty() {
            let mut below = Vec::new();
            for range in level {
                tree.firsts.push(tree.bytes.len() as u32);
                // A token that ends here is before all that go on.
                let mut start = range.start
                    + usize::from(tokens[range.clone()].first().is_some_and(|first| first.0.len() == depth));
                while start < range.end {
                    let byte = tokens[start].0[depth];
                    let end = start + tokens[start..range.end].partition_point(|(token, _)| token[depth] == byte);
                    let (token, id) = &tokens[start];
                    tree.bytes.push(byte);
                    tree.ids.push(if token.len() == depth + 1 { *id } else { NONE });
                    tree.depths.push(depth as u32 + 1);
                    below.push(start..end);
                    start = end;
                }
            }
            (level, depth) = (below, depth + 1);
            tick(0)?;
        }
        tree.firsts.push(tree.bytes.len() as u32);
        Ok(tree)
    }

    /// The links, level by level, so that those of shorter ends are there.
    fn link(&mut self, tick: Tick<'_>) -> Result<()> {
        self.fails = vec![ROOT; self.bytes.len()];
        self.shorter = vec![NONE; self.bytes.len()];
        for state in 0..self.bytes.len() as u32 {
            for child in self.firsts[state as usize]..self.firsts[state as usize + 1] {
                let fail = match state {
                    ROOT => ROOT,
                    _ => self.next(self.fails[state as usize], self.bytes[child as usize]),
                };
                self.fails[child as usize] = fail;
                let is_token = self.ids[fail as usize] != NONE;
                self.shorter[child as usize] = if is_token { fail } else { self.shorter[fail as usize] };
            }
            if (state as usize).is_multiple_of(TICK_PLACES) {
                tick(0)?;
            }
        }
        Ok(())
    }

    /// The state after one more byte.
    fn next(&self, mut state: u32, byte: u8) -> u32 {
        loop {
            let children = self.firsts[state as usize] as usize..self.firsts[state as usize + 1] as usize;
            if let Ok(place) = self.bytes[children.clone()].binary_search(&byte) {
                return (children.start + place) as u32;
            }
            if state == ROOT {
                return ROOT;
            }
            state = self.fails[state as usize];
        }
    }

    /// The state of the longest token that begins at a place, if one does; `state` is that of all that is behind.
    fn longest(&self, state: u32) -> Option<u32> {
        let longest = if self.ids[state as usize] == NONE { self.shorter[state as usize] } else { state };
        (longest != NONE).then_some(longest)
    }

    /// Gives the tokens of a piece in order: id and length. A character that is in no token comes without an id.
    pub fn cut(&self, piece: &[u8], way: Way, mut take: impl FnMut(Option<u32>, usize), tick: Tick<'_>) -> Result<()> {
        let steps = self.steps(piece, way, tick)?;
        let mut at = 0;
        while at < piece.len() {
            let Step { id, n_bytes } = steps[at];
            if id == NONE {
                let n_bytes = class_at(piece, at).1;
                take(None, n_bytes);
                at += n_bytes;
            } else {
                take(Some(id), n_bytes as usize);
                at += n_bytes as usize;
            }
        }
        Ok(())
    }

    /// For each place the token that is taken there, if a token ends or the piece begins there.
    fn steps(&self, piece: &[u8], way: Way, tick: Tick<'_>) -> Result<Vec<Step>> {
        let mut steps = vec![Step { id: NONE, n_bytes: 0 }; piece.len()];
        let mut costs = if way == Way::Fewest { vec![0_u64; piece.len() + 1] } else { Vec::new() };
        let mut state = ROOT;
        for at in (0..piece.len()).rev() {
            state = self.next(state, piece[at]);
            let mut found = self.longest(state);
            if way == Way::Greedy {
                if let Some(token) = found {
                    steps[at] = self.step(token);
                }
            } else {
                let mut least = u64::MAX;
                while let Some(token) = found {
                    let step = self.step(token);
                    let cost = costs[at + step.n_bytes as usize].saturating_add(1);
                    if cost < least {
                        (least, steps[at]) = (cost, step);
                    }
                    let shorter = self.shorter[token as usize];
                    found = (shorter != NONE).then_some(shorter);
                }
                let unknown = costs[at + class_at(piece, at).1].saturating_add(UNKNOWN);
                if unknown < least {
                    (least, steps[at]) = (unknown, Step { id: NONE, n_bytes: 0 });
                }
                costs[at] = least;
            }
            if at.is_multiple_of(TICK_PLACES) {
                tick(0)?;
            }
        }
        Ok(steps)
    }

    fn step(&self, token: u32) -> Step {
        Step { id: self.ids[token as usize], n_bytes: self.depths[token as usize] }
    }
}
