//! `tokenloom_core::pretokens` and `tokenloom_core::bpe::train` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::ties::TieBreak;
use tokenloom_core::bpe::train::Trainer as CoreTrainer;
use tokenloom_core::parallel;
use tokenloom_core::pretokens::count::{PretokenCounter as CoreCounter, PretokenCounts as CoreCounts};
use tokenloom_core::spec::Pretokenizer;

use crate::convert;
use crate::slot::Slot;
use crate::text::Text;
use crate::{error, ticker};

/// Counts the pretokens of documents. Documents may arrive in blocks.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct PretokenCounter {
    core: Slot<CoreCounter>,
}

#[pymethods]
impl PretokenCounter {
    #[new]
    #[pyo3(signature = (pretokenizer_json, special_tokens, *, n_threads))]
    fn new(
        py: Python<'_>,
        pretokenizer_json: &str,
        special_tokens: Vec<String>,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let scanner = Pretokenizer::from_json(pretokenizer_json).and_then(|pretokenizer| pretokenizer.scanner());
        let n_threads = n_threads.unwrap_or_else(parallel::available);
        let core = scanner.and_then(|scanner| CoreCounter::new(scanner, &special_tokens, n_threads));
        let core = core.map_err(|fault| error::to_python(py, &fault))?;
        let gone =
            "this counter is finished, at work or was interrupted, and counts no more. Begin again with a new one.";
        Ok(Self { core: Slot::new(core, "TrainingError", gone) })
    }

    /// Takes the next block of the document, and returns the number of bytes taken so far. `progress` is called with the
    /// bytes of this block that are done.
    #[pyo3(signature = (block, progress=None))]
    fn push(&self, block: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<u64> {
        let holder = Text::new(block, false)?;
        let bytes = holder.as_bytes()?;
        self.core.with(block.py(), progress, |core, tick| core.push(bytes, tick).map(|()| core.n_bytes()))
    }

    /// Ends the document.
    fn end_document(&self, py: Python<'_>) -> PyResult<()> {
        self.core.with(py, None, |core, _tick| {
            core.end_document();
            Ok(())
        })
    }

    /// The number of distinct pretokens in the text so far, as much of it as is sure, which is counted first.
    #[getter]
    fn n_distinct(&self, py: Python<'_>) -> PyResult<u64> {
        self.core.with(py, None, |core, tick| core.n_distinct(tick))
    }

    /// The number of bytes that are counted: all but what more text could change, and what waits for more.
    #[getter]
    fn n_counted_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.core.with(py, None, |core, _tick| Ok(core.n_counted_bytes()))
    }

    /// The counts of all documents; the counter is then of no more use.
    fn finish(&self, py: Python<'_>) -> PyResult<PretokenCounts> {
        let core = self.core.take(py)?;
        Ok(PretokenCounts { core: ticker::run(py, None, |tick| core.finish(tick))? })
    }
}

/// How often each pretoken occurs.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct PretokenCounts {
    core: CoreCounts,
}

#[pymethods]
impl PretokenCounts {
    /// Counts that are known already, in order of first occurrence.
    #[staticmethod]
    fn from_pairs(py: Python<'_>, pairs: Vec<(Bound<'_, PyBytes>, u64)>) -> PyResult<Self> {
        let pairs: Vec<_> = pairs.iter().map(|(pretoken, count)| (pretoken.as_bytes(), *count)).collect();
        Ok(Self { core: ticker::run(py, None, |tick| CoreCounts::from_pairs(pairs, tick))? })
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    /// Pretokens and counts, in order of the bytes.
    fn items<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, u64)> {
        let pair = |place| (PyBytes::new(py, self.core.pretoken(place)), self.core.counts[place]);
        (0..self.core.len()).map(pair).collect()
    }

    /// The number of bytes of the corpus that the counts stand for.
    #[getter]
    fn n_bytes(&self) -> u128 {
        let length = |place| self.core.pretoken(place).len() as u128 * u128::from(self.core.counts[place]);
        (0..self.core.len()).map(length).sum()
    }
}

/// Training in progress.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct Trainer {
    core: Slot<CoreTrainer>,
}

#[pymethods]
impl Trainer {
    #[new]
    fn new(py: Python<'_>, counts: &PretokenCounts, byte_order: [u8; 256], tie_break: &str) -> PyResult<Self> {
        let tie_break = match tie_break {
            "lexicographic" => TieBreak::Lexicographic,
            "lowest-id" => TieBreak::LowestId,
            "first-seen" => TieBreak::FirstSeen,
            _ => {
                let known = "'lexicographic', 'lowest-id' or 'first-seen'";
                return Err(convert::unknown_word(py, "TrainingError", "tie_break", tie_break, known));
            }
        };
        let core = ticker::run(py, None, |tick| CoreTrainer::new(&counts.core, &byte_order, tie_break, tick))?;
        let gone = "this training is at work or was interrupted, and cannot go on. Begin again from the counts.";
        Ok(Self { core: Slot::new(core, "TrainingError", gone) })
    }

    /// Makes up to `n_merges` merges: left id, right id, count, tokens left, other pairs with that count. Fewer mean that
    /// no pair is left. `progress` is called with the merges made in this call.
    #[pyo3(signature = (n_merges, progress=None))]
    fn advance(&self, py: Python<'_>, n_merges: usize, progress: Option<Py<PyAny>>) -> PyResult<Vec<Step>> {
        self.core.with(py, progress, |core, tick| {
            let mut steps = Vec::new();
            while steps.len() < n_merges {
                let Some(step) = core.step(tick)? else { break };
                steps.push((step.left, step.right, step.count, step.n_tokens, step.n_tied));
                tick(1)?;
            }
            Ok(steps)
        })
    }
}

/// A merge as `Trainer::advance` tells it.
type Step = (u32, u32, u64, u64, u64);
