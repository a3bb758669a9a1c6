//! All ways to cut a word into pieces: their sum, the share of each piece in it, and the best of them.

use super::floats::{exp, ln};
use super::pieces::Tree;

/// A path is better than another only if it is by more than this, so that sums that are added in another order choose the
/// same. Of paths that are as good the one is taken whose last piece is the longest, and so on towards the front.
pub const BETTER: f64 = 1e-9;

/// What a word is cut with; its memory is used again for the next one.
#[derive(Debug, Default)]
pub struct Lattice {
    /// End and piece of each edge, in the order of where they begin.
    edges: Vec<(u32, u32)>,
    /// Where the edges from each place begin.
    starts: Vec<u32>,
    /// The greatest summand that ends at each place, and the sum of all in shares of it.
    highest: Vec<f64>,
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// The piece that ends the best path to each place.
    last: Vec<(u32, u32)>,
}

impl Lattice {
    fn lay_out(&mut self, word: &[u32], tree: &Tree) {
        self.edges.clear();
        self.starts.clear();
        for at in 0..word.len() {
            self.starts.push(self.edges.len() as u32);
            tree.for_each(&word[at..], |length, piece| self.edges.push(((at + length) as u32, piece)));
        }
        self.starts.push(self.edges.len() as u32);
    }

    fn edges_from(&self, at: usize) -> &[(u32, u32)] {
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Gives each place of a piece in a word to `take`, with its share of all ways to cut the word. Returns the logarithm of
    /// their sum. Single characters must be among the pieces.
    pub fn for_each_share(&mut self, word: &[u32], tree: &Tree, scores: &[f64], mut take: impl FnMut(u32, f64)) -> f64 {
        self.lay_out(word, tree);
        let n = word.len();
        self.sum_forward(n, scores);
        self.sum_backward(n, scores);
        let total = self.forward[n];
        for at in 0..n {
            for (end, piece) in self.edges_from(at) {
                let path = self.forward[at] + scores[*piece as usize] + self.backward[*end as usize];
                take(*piece, exp((path - total).min(0.0)));
            }
        }
        total
    }

    /// The logarithms of the sums of all ways to each place.
    fn sum_forward(&mut self, n: usize, scores: &[f64]) {
        self.highest.clear();
        self.highest.resize(n + 1, f64::NEG_INFINITY);
        self.forward.clear();
        self.forward.resize(n + 1, 0.0);
        for at in 0..n {
            if at > 0 {
                self.forward[at] = self.highest[at] + ln(self.forward[at]);
            }
            for place in self.starts[at]..self.starts[at + 1] {
                let (end, piece) = self.edges[place as usize];
                let path = self.forward[at] + scores[piece as usize];
                let (highest, sum) = (&mut self.highest[end as usize], &mut self.forward[end as usize]);
                add_exp(highest, sum, path);
            }
        }
        self.forward[n] = self.highest[n] + ln(self.forward[n]);
    }

    /// The logarithms of the sums of all ways from each place.
    fn sum_backward(&mut self, n: usize, scores: &[f64]) {
        self.backward.clear();
        self.backward.resize(n + 1, 0.0);
        for at in (0..n).rev() {
            let (mut highest, mut sum) = (f64::NEG_INFINITY, 0.0);
            for (end, piece) in self.edges_from(at) {
                add_exp(&mut highest, &mut sum, self.backward[*end as usize] + scores[*piece as usize]);
            }
            self.backward[at] = highest + ln(sum);
        }
    }

    /// Gives the pieces of the best way to cut a word to `take`, from the last to the first; of the word as a whole only if
    /// `takes_whole`. Returns its score; None if there is no way.
    pub fn best(
        &mut self,
        word: &[u32],
        tree: &Tree,
        scores: &[f64],
        takes_whole: bool,
        mut take: impl FnMut(u32),
    ) -> Option<f64> {
        let n = word.len();
        self.forward.clear();
        self.forward.resize(n + 1, f64::NEG_INFINITY);
        self.forward[0] = 0.0;
        self.last.clear();
        self.last.resize(n + 1, (0, 0));
        for at in 0..n {
            let before = self.forward[at];
            let (paths, last) = (&mut self.forward, &mut self.last);
            tree.for_each(&word[at..], |length, piece| {
                let path = before + scores[piece as usize];
                let is_better = path > paths[at + length] + BETTER || paths[at + length] == f64::NEG_INFINITY;
                if (takes_whole || length < n) && is_better {
                    paths[at + length] = path;
                    last[at + length] = (at as u32, piece);
                }
            });
        }
        if self.forward[n] == f64::NEG_INFINITY {
            return None;
        }
        let mut end = n;
        while end > 0 {
            let (start, piece) = self.last[end];
            take(piece);
            end = start as usize;
        }
        Some(self.forward[n])
    }
}

/// Adds a summand to a sum, both logarithms: the sum is held in shares of its greatest summand.
#[inline]
fn add_exp(highest: &mut f64, sum: &mut f64, path: f64) {
    if path <= *highest {
        *sum += exp(path - *highest);
    } else {
        *sum = *sum * exp(*highest - path) + 1.0;
        *highest = path;
    }
}
