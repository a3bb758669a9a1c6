//! Training of a unigram model: many pieces to begin with, and rounds in which the least useful ones are left out.
//!
//! As in SentencePiece: pieces get probabilities by expectation and maximization, of which each round has two steps; then
//! of those that remain a quarter is left out, in the order of what the likelihood of the text would lose by each. It works on
//! distinct pretokens, so memory and time follow these and not the text.
//!
//! Expected counts are added up as whole numbers, so that no order of additions, and no number of threads, changes them.

mod floats;
mod lattice;
mod pieces;
mod prune;
mod seeds;
mod words;

use crate::Tick;
use crate::error::Result;
use crate::parallel;
use crate::pretokens::counts::PretokenCounts;

use floats::{digamma, ln};
use lattice::Lattice;
use pieces::Pieces;
use words::Words;

/// Expected counts and likelihoods are whole numbers of this part of one.
const FRACTION: f64 = (1_u64 << 40) as f64;

/// A piece that is expected less often is left out. A bit less than the half that is meant, since sums that are added in
/// another order may miss it.
const LEAST_EXPECTED: f64 = 0.5 - 1e-9;

/// What a character counts as at least, which stays whatever is expected of it.
const LEAST_CHARACTER: f64 = 0.5;

/// Training in progress.
#[derive(Debug)]
pub struct UnigramTrainer {
    words: Words,
    n_characters: usize,
    pieces: Pieces,
    n_threads: usize,
}

/// What a step of expectation and maximization saw, before it changed anything.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The number of pieces after it.
    pub n_pieces: usize,
    /// The likelihood of the text as the negative logarithm of its probability, over all ways to cut it.
    pub loss: f64,
    /// The number of tokens that are expected of the text.
    pub n_tokens: f64,
}

/// What a thread adds up.
struct Sums {
    expected: Vec<u128>,
    loss: u128,
    lattice: Lattice,
}

impl UnigramTrainer {
    /// Looks for pieces to begin with: `characters`, in the order of code points, of which a space is U+2581, and up to `n_seeds`
    /// substrings of at most `most_chars` characters. Other characters end a word.
    pub fn new(
        counts: &PretokenCounts,
        characters: &[char],
        most_chars: usize,
        n_seeds: usize,
        n_threads: usize,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let words = Words::new(counts, characters, tick)?;
        let seeds = seeds::find(&words, characters.len(), most_chars, n_seeds, n_threads, tick)?;
        Ok(Self { words, n_characters: characters.len(), pieces: seeds::as_pieces(&seeds, ln), n_threads })
    }

    /// The number of pieces.
    pub fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The number of symbols of all words: the amount of work of a step, as ticks tell it.
    pub fn n_symbols(&self) -> usize {
        self.words.n_symbols()
    }

    /// The pieces, as places in the list of characters, with their scores.
    pub fn pieces(&self) -> impl Iterator<Item = (Vec<usize>, f64)> {
        let symbols = |place| self.pieces.piece(place).iter().map(|symbol| *symbol as usize - 1).collect();
        (0..self.pieces.len()).map(move |place| (symbols(place), self.pieces.scores[place]))
    }

    /// One step of expectation and maximization.
    pub fn step(&mut self, tick: Tick<'_>) -> Result<Step> {
        let (expected, loss) = self.expect(tick)?;
        let counts: Vec<f64> = expected.iter().map(|count| *count as f64 / FRACTION).collect();
        let n_tokens = counts.iter().sum();
        let is_kept = |place: usize| place < self.n_characters || counts[place] >= LEAST_EXPECTED;
        let floor = |place: usize| if place < self.n_characters { LEAST_CHARACTER } else { 0.0 };
        let kept: Vec<f64> =
            (0..counts.len()).filter(|place| is_kept(*place)).map(|place| counts[place].max(floor(place))).collect();
        self.pieces = self.pieces.kept(is_kept);
        let total = digamma(kept.iter().sum());
        for (score, count) in self.pieces.scores.iter_mut().zip(kept) {
            *score = digamma(count) - total;
        }
        Ok(Step { n_pieces: self.pieces.len(), loss, n_tokens })
    }

    /// How often each piece is expected, and the loss.
    fn expect(&self, tick: Tick<'_>) -> Result<(Vec<u128>, f64)> {
        let (tree, scores) = (self.pieces.tree(self.n_characters + 1), &self.pieces.scores);
        let work = |sums: &mut Sums, place: usize| {
            let (weight, Sums { expected, loss, lattice }) = (u128::from(self.words.weight(place)), sums);
            let total = lattice.for_each_share(self.words.word(place), &tree, scores, |piece, share| {
                expected[piece as usize] += (share * FRACTION) as u128 * weight;
            });
            *loss += (-total * FRACTION) as u128 * weight;
        };
        let empty = || Sums { expected: vec![0; scores.len()], loss: 0, lattice: Lattice::default() };
        let sums = self.over_words(empty, work, tick)?;
        let loss: u128 = sums.iter().map(|sums| sums.loss).sum();
        let expected = sums.into_iter().map(|sums| sums.expected).reduce(added).unwrap_or_default();
        Ok((expected, loss as f64 / FRACTION))
    }

    /// Works on every word on several threads, each with its own sums.
    fn over_words<S: Send>(
        &self,
        empty: impl Fn() -> S,
        work: impl Fn(&mut S, usize) + Sync,
        tick: Tick<'_>,
    ) -> Result<Vec<S>> {
        let units = self.words.units();
        let mut states: Vec<S> = (0..self.n_threads.clamp(1, units.len().max(1))).map(|_| empty()).collect();
        let unit_work = |state: &mut S, unit: &std::ops::Range<usize>, tick: Tick<'_>| {
            let mut n_symbols = 0;
            for place in unit.clone() {
                work(state, place);
                n_symbols += self.words.word(place).len();
            }
            tick(n_symbols as u64)
        };
        parallel::map_with(&units, &mut states, unit_work, tick)?;
        Ok(states)
    }

    /// Leaves out the least useful pieces until there are `n_wanted`, but not more than a quarter. Single characters stay.
    pub fn prune(&mut self, n_wanted: usize, tick: Tick<'_>) -> Result<usize> {
        let counts = self.count_best(tick)?;
        let n_left = n_wanted.max(self.pieces.len() * 3 / 4);
        let kept = prune::useful(&self.pieces, &counts, self.n_characters, n_left, tick)?;
        self.pieces = self.pieces.kept(|place| kept[place]);
        Ok(self.pieces.len())
    }

    /// How often each piece is part of the best way to cut the text.
    fn count_best(&self, tick: Tick<'_>) -> Result<Vec<u128>> {
        let (tree, scores) = (self.pieces.tree(self.n_characters + 1), &self.pieces.scores);
        let work = |(counts, lattice): &mut (Vec<u128>, Lattice), place: usize| {
            let weight = u128::from(self.words.weight(place));
            lattice.best(self.words.word(place), &tree, scores, true, |piece| counts[piece as usize] += weight);
        };
        let states = self.over_words(|| (vec![0; scores.len()], Lattice::default()), work, tick)?;
        Ok(states.into_iter().map(|(counts, _)| counts).reduce(added).unwrap_or_default())
    }
}

fn added(mut one: Vec<u128>, other: Vec<u128>) -> Vec<u128> {
    one.iter_mut().zip(other).for_each(|(sum, more)| *sum += more);
    one
}
