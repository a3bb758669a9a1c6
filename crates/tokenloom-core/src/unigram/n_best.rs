//! The best ways to cut a text into tokens, of all its pieces together.
//!
//! From the end on, each place keeps its n best ways to the end. Those are the n best of all edges with the ways behind
//! them, which come in order, so a heap of one way an edge finds them. A way is an edge and another way, so what ways have in
//! common at the end is kept once.
//!
//! Searching from one end with the sums of the other as an exact estimate (A*) looks at fewer ways, but then a sum is made
//! in another order when it is compared than when it is given, and which of two ways comes first hangs on its last bits.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::lattice::Lattice;
use super::viterbi::character_length;
use super::{UNKNOWN, Unigram};
use crate::Tick;
use crate::error::{Error, Result};
use crate::vocab::Vocabulary;

/// Ways that are kept at most: 16 bytes each.
const MOST_WAYS: usize = 1 << 23;

/// Ways between two ticks.
const TICK_WAYS: usize = 1 << 16;

/// A token and where it goes on.
#[derive(Clone, Copy, Debug)]
struct Way {
    sum: f64,
    token: u32,
    next: u32,
}

/// What a text is made of, as pieces and added tokens.
#[derive(Debug, Default)]
pub struct Parts {
    text: Vec<u8>,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Piece(Range<usize>),
    Added(u32),
}

impl Parts {
    /// Appends a piece.
    pub fn push_piece(&mut self, piece: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(piece);
        self.parts.push(Part::Piece(start..self.text.len()));
    }

    /// Appends an added token.
    pub fn push_added(&mut self, id: u32) {
        self.parts.push(Part::Added(id));
    }
}

/// The n best ways to the end of a text, from the place to which the search has come.
#[derive(Debug)]
struct Search<'a> {
    unigram: &'a Unigram,
    vocabulary: &'a Vocabulary,
    n: usize,
    ways: Vec<Way>,
    /// Those from the place at hand, best first.
    best: Range<usize>,
    heap: BinaryHeap<Offer>,
}

impl Unigram {
    /// The ids and scores of the n best ways to cut a text, best first. Of equal ones that comes first whose first token is
    /// longer, and so on.
    pub fn n_best(
        &self,
        vocabulary: &Vocabulary,
        parts: &Parts,
        n: usize,
        tick: Tick<'_>,
    ) -> Result<Vec<(Vec<u32>, f64)>> {
        let most = (MOST_WAYS / n.max(1)).saturating_sub(1);
        if parts.text.len() + parts.parts.len() > most {
            return Err(Error::SegmentationLimit { n, length_bytes: parts.text.len(), most_bytes: most });
        }
        let end = Way { sum: 0.0, token: UNKNOWN, next: 0 };
        let (ways, heap) = (vec![end], BinaryHeap::new());
        let mut search = Search { unigram: self, vocabulary, n, ways, best: 0..1, heap };
        for part in parts.parts.iter().rev() {
            match part {
                Part::Piece(range) => search.go_before_piece(&parts.text[range.clone()], tick)?,
                Part::Added(id) => search.go_before_added(*id),
            }
        }
        search.best.clone().take(n).map(|way| Ok((search.ids(parts, way, tick)?, search.ways[way].sum))).collect()
    }
}

impl Search<'_> {
    fn go_before_added(&mut self, token: u32) {
        let start = self.ways.len();
        for next in self.best.clone() {
            self.ways.push(Way { sum: self.ways[next].sum, token, next: next as u32 });
        }
        self.best = start..self.ways.len();
    }

    fn go_before_piece(&mut self, piece: &[u8], tick: Tick<'_>) -> Result<()> {
        let lattice = Lattice::new(self.unigram, self.vocabulary, piece, tick)?;
        let mut lists = vec![0..0; piece.len() + 1];
        lists[piece.len()] = self.best.clone();
        let (mut edges, mut told) = (Vec::new(), self.ways.len());
        for &start in lattice.places().iter().rev() {
            lattice.edges(start, &mut edges);
            for edge in &edges {
                let list = &lists[edge.end];
                self.offer(edge.score, edge.id.unwrap_or(UNKNOWN), edge.end, list.clone());
            }
            lists[start] = self.choose();
            if self.ways.len() - told >= TICK_WAYS {
                told = self.ways.len();
                tick(0)?;
            }
        }
        self.best = lists.swap_remove(0);
        if self.best.is_empty() { Err(lattice.dead_end()) } else { Ok(()) }
    }

    fn offer(&mut self, score: f64, token: u32, end: usize, list: Range<usize>) {
        if let Some(way) = self.ways.get(list.start).filter(|_| !list.is_empty()) {
            self.heap.push(Offer { sum: score + way.sum, score, token, end, list });
        }
    }

    /// Keeps the best of what was offered.
    fn choose(&mut self) -> Range<usize> {
        let start = self.ways.len();
        while self.ways.len() - start < self.n
            && let Some(Offer { sum, score, token, end, list }) = self.heap.pop()
        {
            self.ways.push(Way { sum, token, next: list.start as u32 });
            self.offer(score, token, end, list.start + 1..list.end);
        }
        self.heap.clear();
        start..self.ways.len()
    }

    /// The ids of a way from the start.
    fn ids(&self, parts: &Parts, way: usize, tick: Tick<'_>) -> Result<Vec<u32>> {
        tick(0)?;
        let (mut ids, mut at, mut tokens) = (Vec::new(), self.ways[way], Vec::new());
        let mut step = || {
            let token = at.token;
            at = self.ways[at.next as usize];
            token
        };
        for part in &parts.parts {
            match part {
                Part::Added(_) => ids.push(step()),
                Part::Piece(range) => {
                    let piece = &parts.text[range.clone()];
                    let mut start = 0;
                    tokens.clear();
                    while start < piece.len() {
                        let token = Some(step()).filter(|id| *id != UNKNOWN);
                        start +=
                            token.map_or_else(|| character_length(piece, start), |id| self.vocabulary.span(id).len());
                        tokens.push(token);
                    }
                    self.unigram.write(self.vocabulary, piece, tokens.iter().copied(), &mut ids)?;
                }
            }
        }
        Ok(ids)
    }
}

/// The ways of an edge that were not taken yet; the best one of them counts.
#[derive(Debug)]
struct Offer {
    sum: f64,
    score: f64,
    token: u32,
    end: usize,
    list: Range<usize>,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sum.total_cmp(&other.sum).then(self.end.cmp(&other.end))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Offer {}
