//! `tokenloom_core::{bpe::score, unigram::training}` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::score::{Least, ScoreStep, ScoreTrainer};
use tokenloom_core::parallel;
use tokenloom_core::unigram::training::UnigramTrainer as CoreUnigram;
use tokenloom_core::wordpiece::start::WordpieceStart;

use crate::counts::PretokenCounts;
use crate::slot::Slot;
use crate::ticker;

const GONE: &str = "this training is at work or was interrupted, and cannot go on. Begin again from the counts.";

/// A training of WordPiece in progress.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct WordpieceTrainer {
    core: Slot<ScoreTrainer>,
}

#[pymethods]
impl WordpieceTrainer {
    /// Words begin as `characters`, those behind the first with `prefix`. Nothing in `taken` is made. `first_least` of None is a
    /// thousandth of all symbols.
    #[new]
    fn new(
        py: Python<'_>,
        counts: &PretokenCounts,
        characters: &str,
        prefix: String,
        taken: Vec<Vec<u8>>,
        first_least: Option<u64>,
        last_least: u64,
    ) -> PyResult<Self> {
        let start = WordpieceStart::new(characters.chars().collect(), prefix.clone());
        let least = Least { first: first_least, last: last_least };
        let core = ticker::run(py, None, |tick| ScoreTrainer::new(&counts.core, &start, &prefix, taken, least, tick))?;
        Ok(Self { core: Slot::new(core, "TrainingError", GONE) })
    }

    /// Makes up to `n_merges` merges: left id, right id, the counts of the pair and of its parts, tokens left, and the token.
    /// Fewer mean that no pair is left. `progress` is called with the merges made in this call.
    #[pyo3(signature = (n_merges, progress=None))]
    #[expect(clippy::type_complexity, reason = "a tuple, as Python gets it")]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        n_merges: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<(u32, u32, u64, u64, u64, u64, Bound<'py, PyBytes>)>> {
        let steps = self.core.with(py, progress, |core, tick| {
            let mut steps = Vec::new();
            while steps.len() < n_merges {
                let Some(step) = core.step(tick)? else { break };
                steps.push((step, core.last_token().to_vec()));
                tick(1)?;
            }
            Ok(steps)
        })?;
        let told = |(step, token): (ScoreStep, Vec<u8>)| {
            let ScoreStep { left, right, n_pairs, n_left, n_right, n_tokens } = step;
            (left, right, n_pairs, n_left, n_right, n_tokens, PyBytes::new(py, &token))
        };
        Ok(steps.into_iter().map(told).collect())
    }

    /// The tokens of the corpus as it is segmented now.
    fn n_tokens(&self, py: Python<'_>) -> PyResult<u64> {
        self.core.with(py, None, |core, _| Ok(core.n_tokens()))
    }
}

/// A training of a unigram model in progress.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct UnigramTrainer {
    core: Slot<CoreUnigram>,
    characters: Vec<char>,
}

#[pymethods]
impl UnigramTrainer {
    /// `characters` are those that have a piece, by code point; a space is U+2581 among them. `n_threads` of None is one a core.
    #[new]
    #[pyo3(signature = (counts, characters, *, max_piece_chars, n_seeds, n_threads))]
    fn new(
        py: Python<'_>,
        counts: &PretokenCounts,
        characters: &str,
        max_piece_chars: usize,
        n_seeds: usize,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let characters: Vec<char> = characters.chars().collect();
        let n_threads = n_threads.unwrap_or_else(parallel::available);
        let core = ticker::run(py, None, |tick| {
            CoreUnigram::new(&counts.core, &characters, max_piece_chars, n_seeds, n_threads, tick)
        })?;
        Ok(Self { core: Slot::new(core, "TrainingError", GONE), characters })
    }

    /// The number of pieces.
    #[getter]
    fn n_pieces(&self, py: Python<'_>) -> PyResult<usize> {
        self.core.with(py, None, |core, _| Ok(core.n_pieces()))
    }

    /// One step of expectation and maximization: pieces left, the loss before it, and the tokens that were expected.
    fn step(&self, py: Python<'_>) -> PyResult<(usize, f64, f64)> {
        let step = self.core.with(py, None, |core, tick| core.step(tick))?;
        Ok((step.n_pieces, step.loss, step.n_tokens))
    }

    /// Leaves out pieces until there are `n_wanted`, but not more than a quarter: how many are left.
    fn prune(&self, py: Python<'_>, n_wanted: usize) -> PyResult<usize> {
        self.core.with(py, None, |core, tick| core.prune(n_wanted, tick))
    }

    /// The pieces with their scores: the characters, then the others.
    fn pieces(&self, py: Python<'_>) -> PyResult<Vec<(String, f64)>> {
        let pieces: Vec<_> = self.core.with(py, None, |core, _| Ok(core.pieces().collect()))?;
        let text = |symbols: Vec<usize>| symbols.into_iter().map(|symbol| self.characters[symbol]).collect();
        Ok(pieces.into_iter().map(|(symbols, score)| (text(symbols), score)).collect())
    }
}
