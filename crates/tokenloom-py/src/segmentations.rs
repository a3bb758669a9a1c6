//! `tokenloom_core::segmentations` for Python.

use pyo3::prelude::*;
use pyo3::types::PyList;
use tokenloom_core::segmentations::Alpha;
use tokenloom_core::specials::Policy;
use tokenloom_core::{Result, Tick};

use crate::error::raise;
use crate::pipeline::Pipeline;
use crate::text::Text;
use crate::ticker;

/// What is allowed in a text, and what is refused.
type Special<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// The ids and scores of the n best segmentations of a text.
#[pyfunction]
pub fn encode_n_best<'py>(
    pipeline: &Bound<'py, Pipeline>,
    text: &Bound<'py, PyAny>,
    special: Special<'py>,
    n: usize,
) -> PyResult<Vec<(Bound<'py, PyList>, f64)>> {
    let core = pipeline.get().core();
    let found = run(pipeline, text, &special, |text, policy, tick| core.encode_n_best(text, policy, n, tick))?;
    found.into_iter().map(|(ids, score)| Ok((pipeline.get().list(text.py(), &ids)?, score))).collect()
}

/// The ids of a segmentation that is drawn with an exponent and a seed.
#[pyfunction]
pub fn encode_sampled<'py>(
    pipeline: &Bound<'py, Pipeline>,
    text: &Bound<'py, PyAny>,
    special: Special<'py>,
    chance: (f64, u64),
) -> PyResult<Bound<'py, PyList>> {
    let (core, alpha) = (pipeline.get().core(), alpha_of(text.py(), chance.0)?);
    let mut ids = Vec::new();
    run(pipeline, text, &special, |text, policy, tick| {
        core.encode_sampled(text, policy, (alpha, chance.1), &mut ids, tick)
    })?;
    pipeline.get().list(text.py(), &ids)
}

/// The logarithm of the probability of a text.
#[pyfunction]
pub fn log_probability<'py>(
    pipeline: &Bound<'py, Pipeline>,
    text: &Bound<'py, PyAny>,
    special: Special<'py>,
) -> PyResult<f64> {
    let core = pipeline.get().core();
    run(pipeline, text, &special, |text, policy, tick| core.log_probability(text, policy, tick))
}

/// The entropy of the segmentation that is drawn with an exponent.
#[pyfunction]
pub fn segmentation_entropy<'py>(
    pipeline: &Bound<'py, Pipeline>,
    text: &Bound<'py, PyAny>,
    special: Special<'py>,
    alpha: f64,
) -> PyResult<f64> {
    let (core, alpha) = (pipeline.get().core(), alpha_of(text.py(), alpha)?);
    run(pipeline, text, &special, |text, policy, tick| core.segmentation_entropy(text, policy, alpha, tick))
}

fn run<'py, T: Send>(
    pipeline: &Bound<'py, Pipeline>,
    text: &Bound<'py, PyAny>,
    special: &Special<'py>,
    work: impl FnOnce(&[u8], &Policy, Tick<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let (py, pipeline) = (text.py(), pipeline.get());
    let policy = pipeline.policy(py, special.0.as_ref(), special.1.as_ref())?;
    let holder = Text::new(text, pipeline.replaces_surrogates())?;
    let bytes = holder.as_bytes()?;
    ticker::run(py, None, |tick| work(bytes, &policy, tick))
}

fn alpha_of(py: Python<'_>, alpha: f64) -> PyResult<Alpha> {
    let message = format!("alpha {alpha}: is no exponent. Use a number from 0 to 1,000,000.");
    Alpha::new(alpha).ok_or_else(|| raise(py, "EncodeError", &message))
}
