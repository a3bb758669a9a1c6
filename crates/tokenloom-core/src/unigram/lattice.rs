//! All ways to cut a piece into tokens: their probability together, one of them by chance, and how uncertain it is.
//!
//! A place is where a character begins, and an edge a token from one place to another, or a character that is no token by
//! itself, as unknown. The probability of a way is the product of its tokens', so logarithms are added. Sums over all ways
//! from a place to the end are made from the end on, and a way is then drawn from the start: each edge with the share that
//! the ways behind it have. That is forward filtering and backward sampling seen in a mirror. So no edge need be kept,
//! since the trie gives those that begin at a place, and memory is one number a byte whatever the vocabulary is.
//!
//! Source: Kudo 2018, "Subword Regularization", section 3.

use super::Unigram;
use super::trie::{ROOT, Trie};
use super::viterbi::character_length;
use crate::Tick;
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::vocab::Vocabulary;

/// Characters between two ticks.
const TICK_CHARACTERS: usize = 1 << 14;

/// Scores are kept within this, so that no sum becomes infinite.
const MOST_SCORE: f64 = 1e200;

/// A token that may be taken at a place.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// None for a character that is no token.
    pub id: Option<u32>,
    /// Where it ends.
    pub end: usize,
    /// The logarithm of its probability.
    pub score: f64,
}

/// The ways to cut one piece.
#[derive(Debug)]
pub struct Lattice<'a> {
    unigram: &'a Unigram,
    vocabulary: &'a Vocabulary,
    trie: &'a Trie,
    piece: &'a [u8],
    places: Vec<usize>,
}

impl<'a> Lattice<'a> {
    /// Finds the places of a piece.
    pub fn new(unigram: &'a Unigram, vocabulary: &'a Vocabulary, piece: &'a [u8], tick: Tick<'_>) -> Result<Self> {
        let trie = unigram.trie(vocabulary, tick)?;
        let (mut places, mut at) = (Vec::new(), 0);
        while at < piece.len() {
            places.push(at);
            at += character_length(piece, at);
        }
        Ok(Self { unigram, vocabulary, trie, piece, places })
    }

    /// Where characters begin.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Finds the edges that begin at a place, shortest first. A character is unknown only if there is something to write
    /// for it.
    pub fn edges(&self, start: usize, edges: &mut Vec<Edge>) {
        edges.clear();
        let end = start + character_length(self.piece, start);
        let (mut node, mut at, mut has_character) = (ROOT, start, false);
        while let Some(child) = self.piece.get(at).and_then(|byte| self.trie.child(node, *byte)) {
            (node, at) = (child, at + 1);
            if let Some(id) = self.trie.id(node) {
                has_character |= at == end;
                edges.push(self.edge(Some(id), at));
            }
        }
        if !has_character && (self.unigram.unk_id.is_some() || self.unigram.byte_ids.is_some()) {
            edges.push(self.edge(None, end));
        }
    }

    fn edge(&self, id: Option<u32>, end: usize) -> Edge {
        Edge { id, end, score: self.unigram.scores.score(id).clamp(-MOST_SCORE, MOST_SCORE) }
    }

    /// For each place the logarithm of the sum over all ways to the end of `exp(alpha * score)`.
    pub fn log_sums(&self, alpha: f64, tick: Tick<'_>) -> Result<Vec<f64>> {
        let mut sums = vec![f64::NEG_INFINITY; self.piece.len() + 1];
        sums[self.piece.len()] = 0.0;
        let (mut edges, mut terms) = (Vec::new(), Vec::new());
        for (number, &start) in self.places.iter().rev().enumerate() {
            self.edges(start, &mut edges);
            terms.clear();
            terms.extend(edges.iter().map(|edge| alpha * edge.score + sums[edge.end]));
            sums[start] = log_sum(&terms);
            if number % TICK_CHARACTERS == TICK_CHARACTERS - 1 {
                tick(0)?;
            }
        }
        if sums[0] == f64::NEG_INFINITY { Err(self.dead_end()) } else { Ok(sums) }
    }

    /// Draws a way, with a probability in proportion to `exp(alpha * score)`, and appends its ids.
    pub fn draw(&self, alpha: f64, dice: &mut Dice, ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let sums = self.log_sums(alpha, tick)?;
        let (mut edges, mut tokens, mut at) = (Vec::new(), Vec::new(), 0);
        while at < self.piece.len() {
            self.edges(at, &mut edges);
            edges.retain(|edge| sums[edge.end] > f64::NEG_INFINITY);
            let share = |edge: &Edge| (alpha * edge.score + sums[edge.end] - sums[at]).exp();
            let mut rest = dice.share() * edges.iter().map(share).sum::<f64>();
            let is_drawn = |edge: &&Edge| {
                rest -= share(edge);
                rest < 0.0
            };
            let drawn = edges.iter().find(is_drawn).or(edges.last()).ok_or_else(|| self.dead_end())?;
            tokens.push(drawn.id);
            at = drawn.end;
            if tokens.len() % TICK_CHARACTERS == 0 {
                tick(0)?;
            }
        }
        self.unigram.write(self.vocabulary, self.piece, tokens.into_iter(), ids)
    }

    /// The entropy of a way that is drawn, in nats.
    pub fn entropy(&self, alpha: f64, tick: Tick<'_>) -> Result<f64> {
        let sums = self.log_sums(alpha, tick)?;
        let mut entropies = vec![0.0; self.piece.len() + 1];
        let mut edges = Vec::new();
        for (number, &start) in self.places.iter().rev().enumerate() {
            self.edges(start, &mut edges);
            edges.retain(|edge| sums[edge.end] > f64::NEG_INFINITY);
            let part = |edge: &Edge| {
                let logarithm = alpha * edge.score + sums[edge.end] - sums[start];
                logarithm.exp() * (entropies[edge.end] - logarithm)
            };
            entropies[start] = edges.iter().map(part).sum();
            if number % TICK_CHARACTERS == TICK_CHARACTERS - 1 {
                tick(0)?;
            }
        }
        Ok(entropies[0])
    }

    /// What to say where no way leads to the end: the character that none leads over.
    #[cold]
    pub fn dead_end(&self) -> Error {
        let (mut is_reached, mut edges, mut last) = (vec![false; self.piece.len() + 1], Vec::new(), 0);
        is_reached[0] = true;
        for &start in &self.places {
            if is_reached[start] {
                last = start;
                self.edges(start, &mut edges);
                edges.iter().for_each(|edge| is_reached[edge.end] = true);
            }
        }
        Error::MissingCharacter { character: self.piece[last..last + character_length(self.piece, last)].to_vec() }
    }
}

impl Unigram {
    /// Appends the ids of tokens that a piece is cut into; None is a character that is in none.
    pub(super) fn write(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        tokens: impl Iterator<Item = Option<u32>>,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        let take = |id, _| ids.push(id);
        let mut writer = super::Writer { unigram: self, vocabulary, piece, unknown: 0..0, take };
        let mut start = 0;
        for token in tokens {
            let n_bytes = token.map_or_else(|| character_length(piece, start), |id| vocabulary.span(id).len());
            writer.push(token, start..start + n_bytes)?;
            start += n_bytes;
        }
        writer.finish()
    }
}

/// The logarithm of a sum of which the logarithms of the terms are given.
fn log_sum(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
}
