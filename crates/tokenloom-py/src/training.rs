//! `tokenloom_core::bpe::train` for Python.

use pyo3::prelude::*;
use tokenloom_core::bpe::ties::TieBreak;
use tokenloom_core::bpe::train::{MergeStep, Trainer as CoreTrainer};
use tokenloom_core::bpe::training_memory as memory;

use crate::counts::PretokenCounts;
use crate::slot::Slot;
use crate::start::Start;
use crate::{convert, ticker};

/// Training in progress.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct Trainer {
    core: Slot<CoreTrainer>,
}

#[pymethods]
impl Trainer {
    #[new]
    fn new(py: Python<'_>, counts: &PretokenCounts, start: &Bound<'_, PyAny>, tie_break: &str) -> PyResult<Self> {
        let (tie_break, start) = (self::tie_break(py, tie_break)?, Start::given(start)?);
        let start = start.get().core(py)?;
        let core = ticker::run(py, None, |tick| CoreTrainer::new(&counts.core, &*start, tie_break, tick))?;
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
                steps.push(told(step));
                tick(1)?;
            }
            Ok(steps)
        })
    }

    /// Makes the merges of an earlier training, which may then go on: what `advance` said of them. `progress` is called
    /// with the merges made in this call.
    #[pyo3(signature = (merges, progress=None))]
    fn apply(&self, py: Python<'_>, merges: Vec<(u32, u32)>, progress: Option<Py<PyAny>>) -> PyResult<Vec<Step>> {
        self.core.with(py, progress, |core, tick| {
            let apply = |(left, right): (u32, u32)| {
                let step = core.apply(left, right, tick)?;
                tick(1)?;
                Ok(told(step))
            };
            merges.into_iter().map(apply).collect()
        })
    }

    /// The most memory that training takes, the counts with their positions included: an estimate.
    #[staticmethod]
    fn memory_bytes(py: Python<'_>, n_pretokens: u64, n_symbols: u64, n_merges: u64, tie_break: &str) -> PyResult<u64> {
        Ok(memory::training_bytes(n_pretokens, n_symbols, n_merges, self::tie_break(py, tie_break)?))
    }
}

/// A merge as `Trainer::advance` tells it.
type Step = (u32, u32, u64, u64, u64);

fn told(step: MergeStep) -> Step {
    (step.left, step.right, step.count, step.n_tokens, step.n_tied)
}

/// The rule with a name.
fn tie_break(py: Python<'_>, name: &str) -> PyResult<TieBreak> {
    match name {
        "lexicographic" => Ok(TieBreak::Lexicographic),
        "lowest-id" => Ok(TieBreak::LowestId),
        "first-seen" => Ok(TieBreak::FirstSeen),
        _ => {
            let known = "'lexicographic', 'lowest-id' or 'first-seen'";
            Err(convert::unknown_word(py, "TrainingError", "tie_break", name, known))
        }
    }
}
