//! `tokenloom_core::document_encoder` for Python.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use tokenloom_core::document_encoder::{DocumentEncoder as Core, Encoded, IdFormat};
use tokenloom_core::parallel;

use crate::convert::{self, CHECKED_EVERY};
use crate::error;
use crate::pipeline::Pipeline;
use crate::slot::Slot;
use crate::text::Text;

/// Ids of documents that arrive in blocks.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct DocumentEncoder {
    pipeline: Py<Pipeline>,
    core: Slot<Core>,
    id_bytes: usize,
    n_threads: usize,
}

#[pymethods]
impl DocumentEncoder {
    /// `id_bytes` is 2 or 4; 2 only where all ids are below 2^16. `around` are the ids before and behind each document.
    #[new]
    #[pyo3(signature = (pipeline, *, id_bytes, around, special_text, is_continued, n_threads))]
    fn new(
        py: Python<'_>,
        pipeline: Py<Pipeline>,
        id_bytes: usize,
        around: (Option<u32>, Option<u32>),
        special_text: &str,
        is_continued: bool,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let format = IdFormat { is_wide: id_bytes == 4, begin: around.0, end: around.1 };
        let special_text = convert::special_text(py, special_text)?;
        let core = Core::new(pipeline.get().core(), format, special_text, is_continued);
        let gone = "this encoder is at work or ended with an error, and its documents are not whole. Begin again with a \
                    new one.";
        let n_threads = n_threads.unwrap_or_else(parallel::available);
        Ok(Self { pipeline, core: Slot::new(core, "EncodeError", gone), id_bytes, n_threads })
    }

    /// The ids that are sure, and where in them documents begin, as int64. `progress` is called with the bytes done.
    #[pyo3(signature = (texts, *, is_open, progress))]
    fn feed<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        is_open: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let (py, pipeline) = (texts.py(), self.pipeline.get());
        let n_ended = self.core.with(py, None, |core, _tick| Ok(core.n_ended()))?;
        let text = |(place, text): (usize, PyResult<Bound<'py, PyAny>>)| {
            if place % CHECKED_EVERY == 0 {
                py.check_signals()?;
            }
            let text = Text::new(&text?, pipeline.replaces_surrogates());
            text.map_err(|fault| error::in_document(py, n_ended + place, &fault))
        };
        let texts = texts.try_iter()?.enumerate().map(text).collect::<PyResult<Vec<_>>>()?;
        let texts = texts.iter().map(Text::as_bytes).collect::<PyResult<Vec<_>>>()?;
        let encoded = self
            .core
            .with(py, progress, |core, tick| core.feed(pipeline.core(), &texts, is_open, self.n_threads, tick))?;
        Ok((joined(py, &encoded)?, starts(py, &encoded, self.id_bytes)?))
    }

    /// Bytes of the open document of which the ids have not come out.
    #[getter]
    fn held_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.core.with(py, None, |core, _tick| Ok(core.held_bytes()))
    }

    /// Special tokens, and how often each was met.
    #[getter]
    fn n_special_tokens(&self, py: Python<'_>) -> PyResult<Vec<(String, u64)>> {
        let counts = self.core.with(py, None, |core, _tick| Ok(core.n_specials().to_vec()))?;
        let tokens = self.pipeline.get().core().specials().tokens().iter();
        let met = tokens.zip(counts).filter(|(token, _)| token.special);
        Ok(met.map(|(token, count)| (token.content.clone(), count)).collect())
    }
}

/// All ids in one array.
fn joined<'py>(py: Python<'py>, encoded: &[Encoded]) -> PyResult<Bound<'py, PyByteArray>> {
    let n_bytes = encoded.iter().map(|part| part.packed.len()).sum();
    PyByteArray::new_with(py, n_bytes, |mut target| {
        for part in encoded {
            let (now, later) = target.split_at_mut(part.packed.len());
            now.copy_from_slice(&part.packed);
            target = later;
        }
        Ok(())
    })
}

/// Where documents begin, in ids.
fn starts<'py>(py: Python<'py>, encoded: &[Encoded], id_bytes: usize) -> PyResult<Bound<'py, PyByteArray>> {
    let n_starts = encoded.iter().map(|part| part.starts.len()).sum();
    let mut base = 0;
    let starts = encoded.iter().flat_map(|part| {
        let before = base;
        base += part.packed.len();
        part.starts.iter().map(move |start| ((before + start) / id_bytes) as i64)
    });
    convert::packed(py, n_starts, starts, i64::to_le_bytes)
}
