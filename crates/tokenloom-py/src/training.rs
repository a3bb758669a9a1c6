//! `tokenloom_core::bpe::train` for Python.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use tokenloom_core::bpe::limits::Limits;
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
    /// `max_token_bytes` of None is no limit.
    #[new]
    #[pyo3(signature = (counts, start, tie_break, min_pair_count=1, max_token_bytes=None, whole_characters=false))]
    fn new(
        py: Python<'_>,
        counts: &PretokenCounts,
        start: &Bound<'_, PyAny>,
        tie_break: &str,
        min_pair_count: u64,
        max_token_bytes: Option<usize>,
        whole_characters: bool,
    ) -> PyResult<Self> {
        let (tie_break, start) = (self::tie_break(py, tie_break)?, Start::given(start)?);
        let start = start.get().core(py)?;
        let limits =
            Limits { min_pair_count, max_token_bytes: max_token_bytes.unwrap_or(usize::MAX), whole_characters };
        let core = ticker::run(py, None, |tick| CoreTrainer::new(&counts.core, &*start, tie_break, limits, tick))?;
        let gone = "this training is at work or was interrupted, and cannot go on. Begin again from the counts.";
        Ok(Self { core: Slot::new(core, "TrainingError", gone) })
    }

    /// Makes up to `n_merges` merges: left id, right id, count, tokens left, other pairs with that count; and, with
    /// `runner_up`, the two ids and the count of the pair that came second, all 0 for none. Fewer merges mean that no pair
    /// is left. `progress` is called with the merges made in this call.
    #[pyo3(signature = (n_merges, progress=None, runner_up=false))]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        n_merges: usize,
        progress: Option<Py<PyAny>>,
        runner_up: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let steps = self.core.with(py, progress, |core, tick| {
            let mut steps = Vec::new();
            while steps.len() < n_merges {
                let Some(step) = core.step(runner_up, tick)? else { break };
                steps.push(step);
                tick(1)?;
            }
            Ok(steps)
        })?;
        told(py, &steps, runner_up)
    }

    /// Makes the merges of an earlier training, which may then go on: what `advance` said of them. With `may_miss` a pair
    /// that does not occur is no error, and its count is 0. `progress` is called with the merges made in this call.
    #[pyo3(signature = (merges, progress=None, runner_up=false, may_miss=false))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        merges: Vec<(u32, u32)>,
        progress: Option<Py<PyAny>>,
        runner_up: bool,
        may_miss: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let steps: Vec<MergeStep> = self.core.with(py, progress, |core, tick| {
            let apply = |(left, right): (u32, u32)| {
                let step = if may_miss {
                    core.apply_or_enter(left, right, runner_up, tick)?
                } else {
                    core.apply(left, right, runner_up, tick)?
                };
                tick(1)?;
                Ok(step)
            };
            merges.into_iter().map(apply).collect()
        })?;
        told(py, &steps, runner_up)
    }

    /// The tokens of the corpus as it is segmented now.
    fn n_tokens(&self, py: Python<'_>) -> PyResult<u64> {
        self.core.with(py, None, |core, _| Ok(core.n_tokens()))
    }

    /// Makes merges before any other, whether their pairs occur or not: what `advance` says without a runner-up, and no
    /// ties, since nothing was chosen. A pair that does not occur has a count of 0.
    fn give<'py>(&self, py: Python<'py>, merges: Vec<(u32, u32)>) -> PyResult<Bound<'py, PyAny>> {
        let steps = self.core.with(py, None, |core, tick| core.give(&merges, tick))?;
        told(py, &steps, false)
    }

    /// The most memory that training takes, the counts with their positions included: an estimate.
    #[staticmethod]
    fn memory_bytes(py: Python<'_>, n_pretokens: u64, n_symbols: u64, n_merges: u64, tie_break: &str) -> PyResult<u64> {
        Ok(memory::training_bytes(n_pretokens, n_symbols, n_merges, self::tie_break(py, tie_break)?))
    }
}

/// Merges as `Trainer::advance` tells them: tuples of 5 numbers, or of 8.
fn told<'py>(py: Python<'py>, steps: &[MergeStep], runner_up: bool) -> PyResult<Bound<'py, PyAny>> {
    let short = |step: &MergeStep| (step.left, step.right, step.count, step.n_tokens, step.n_tied);
    if !runner_up {
        return steps.iter().map(short).collect::<Vec<_>>().into_bound_py_any(py);
    }
    let long = |step: &MergeStep| {
        let (left, right, count, n_tokens, n_tied) = short(step);
        let (other_left, other_right, other_count) = step.runner_up.unwrap_or_default();
        (left, right, count, n_tokens, n_tied, other_left, other_right, other_count)
    };
    steps.iter().map(long).collect::<Vec<_>>().into_bound_py_any(py)
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
