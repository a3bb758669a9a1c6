//! `tokenloom_core::dropout` for Python.

use pyo3::prelude::*;
use pyo3::types::PyList;
use tokenloom_core::bpe::dropout::Dropout;
use tokenloom_core::parallel;

use crate::error::raise;
use crate::pipeline::Pipeline;
use crate::text::Text;
use crate::{numpy, ticker};

/// What is allowed in a text, and what is refused.
type Special<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);
type Array<'py> = Bound<'py, PyAny>;

/// The ids of a text in which merges are left out.
#[pyfunction]
#[pyo3(signature = (pipeline, text, special, chance))]
pub fn encode_with_dropout<'py>(
    pipeline: &Bound<'py, Pipeline>,
    text: &Bound<'py, PyAny>,
    special: Special<'py>,
    chance: (f64, u64),
) -> PyResult<Bound<'py, PyList>> {
    let (py, pipeline) = (text.py(), pipeline.get());
    let dropout = dropout_of(py, chance)?;
    let policy = pipeline.policy(py, special.0.as_ref(), special.1.as_ref())?;
    let holder = Text::new(text, pipeline.replaces_surrogates())?;
    let bytes = holder.as_bytes()?;
    let mut ids = Vec::new();
    ticker::run(py, None, |tick| pipeline.core().encode_with_dropout(bytes, &policy, dropout, &mut ids, tick))?;
    pipeline.list(py, &ids)
}

/// The ids of many texts in which merges are left out, as uint32, and where each begins as int64.
#[pyfunction]
#[pyo3(signature = (pipeline, texts, special, chance, *, n_threads, progress))]
pub fn encode_batch_with_dropout<'py>(
    pipeline: &Bound<'py, Pipeline>,
    texts: &Bound<'py, PyAny>,
    special: Special<'py>,
    chance: (f64, u64),
    n_threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Array<'py>, Array<'py>)> {
    let (py, pipeline) = (texts.py(), pipeline.get());
    let dropout = dropout_of(py, chance)?;
    let policy = pipeline.policy(py, special.0.as_ref(), special.1.as_ref())?;
    let n_threads = n_threads.unwrap_or_else(parallel::available);
    let encode = |texts: &[&[u8]]| {
        let work = |tick: tokenloom_core::Tick<'_>| {
            pipeline.core().encode_batch_with_dropout(texts, &policy, dropout, n_threads, tick)
        };
        ticker::run(py, progress, work)
    };
    let batch = pipeline.with_texts(texts, encode)?;
    let ends = batch.ends.iter().map(|end| *end as i64);
    let starts = std::iter::once(0).chain(ends).collect();
    Ok((numpy::array(py, batch.ids)?, numpy::array(py, starts)?))
}

fn dropout_of(py: Python<'_>, (probability, seed): (f64, u64)) -> PyResult<Dropout> {
    let message = format!("dropout {probability}: is no probability. Use a number from 0 to 1.");
    Dropout::new(probability, seed).ok_or_else(|| raise(py, "EncodeError", &message))
}
