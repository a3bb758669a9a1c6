//! `tokenloom_core::bpe::{count, train}` for Python.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::count::{PretokenCounter as CoreCounter, PretokenCounts as CoreCounts};
use tokenloom_core::bpe::ties::TieBreak;
use tokenloom_core::bpe::train::Trainer as CoreTrainer;
use tokenloom_core::parallel;
use tokenloom_core::spec::Pretokenizer;

use crate::convert::{self, Text};
use crate::error::{self, raise};
use crate::ticker;

/// Counts the pretokens of documents. Documents may arrive in blocks.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct PretokenCounter {
    core: Mutex<Option<CoreCounter>>,
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
        Ok(Self { core: Mutex::new(Some(core)) })
    }

    /// Counts the next block of the document. An error or an interruption ends the counter.
    fn push(&self, block: &Bound<'_, PyAny>) -> PyResult<()> {
        let holder = Text::new(block, false)?;
        let bytes = holder.as_bytes()?;
        self.with_core(block.py(), |core, tick| core.push(bytes, tick))
    }

    /// Ends the document.
    fn end_document(&self, py: Python<'_>) -> PyResult<()> {
        self.with_core(py, |core, tick| core.end_document(tick))
    }

    /// The counts of all documents; the counter is then of no more use.
    fn finish(&self, py: Python<'_>) -> PyResult<PretokenCounts> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner).take();
        let core = core.ok_or_else(|| finished(py))?;
        let counts = py.detach(|| core.finish()).map_err(|fault| error::to_python(py, &fault))?;
        Ok(PretokenCounts { core: counts })
    }
}

impl PretokenCounter {
    /// Takes the counter out while it works, so that what fails half-way is not used again.
    fn with_core(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut CoreCounter, tokenloom_core::Tick<'_>) -> tokenloom_core::Result<()> + Send,
    ) -> PyResult<()> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut core = core.ok_or_else(|| finished(py))?;
        let core = ticker::run(py, None, move |tick| work(&mut core, tick).map(|()| core))?;
        *self.core.lock().unwrap_or_else(PoisonError::into_inner) = Some(core);
        Ok(())
    }
}

fn finished(py: Python<'_>) -> PyErr {
    let message = "this counter is finished or was interrupted, and counts no more. Begin again with a new one.";
    raise(py, "TrainingError", message)
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
        let core = CoreCounts::from_pairs(pairs.iter().map(|(pretoken, count)| (pretoken.as_bytes(), *count)));
        core.map(|core| Self { core }).map_err(|fault| error::to_python(py, &fault))
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
    core: Mutex<Option<CoreTrainer>>,
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
        let core = py.detach(|| CoreTrainer::new(&counts.core, &byte_order, tie_break));
        let core = core.map_err(|fault| error::to_python(py, &fault))?;
        Ok(Self { core: Mutex::new(Some(core)) })
    }

    /// Makes up to `n_merges` merges: left id, right id, count, tokens left. Fewer mean that no pair is left. An
    /// interruption ends the trainer.
    fn advance(&self, py: Python<'_>, n_merges: usize) -> PyResult<Vec<(u32, u32, u64, u64)>> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut core = core.ok_or_else(|| {
            raise(py, "TrainingError", "this training was interrupted and cannot go on. Begin again from the counts.")
        })?;
        let (core, steps) = ticker::run(py, None, move |tick| {
            let mut steps = Vec::new();
            while steps.len() < n_merges {
                let Some(step) = core.step(tick)? else { break };
                steps.push((step.left, step.right, step.count, step.n_tokens));
                tick(1)?;
            }
            Ok((core, steps))
        })?;
        *self.core.lock().unwrap_or_else(PoisonError::into_inner) = Some(core);
        Ok(steps)
    }

    /// The number of tokens of the corpus now.
    #[getter]
    fn n_tokens(&self) -> u64 {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        core.as_ref().map_or(0, CoreTrainer::n_tokens)
    }
}
