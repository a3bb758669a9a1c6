//! `tokenloom_core::text_encoder` for Python.

use pyo3::prelude::*;
use tokenloom_core::parallel;
use tokenloom_core::text_encoder::TextEncoder as Core;

use crate::numpy;
use crate::pipeline::Pipeline;
use crate::slot::Slot;
use crate::text::Text;

/// The ids of one long text that arrives in blocks.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct TextEncoder {
    pipeline: Py<Pipeline>,
    core: Slot<Core>,
    after: Vec<u32>,
    n_threads: usize,
}

#[pymethods]
impl TextEncoder {
    /// `around` are the ids before and behind those of the text.
    #[new]
    #[pyo3(signature = (pipeline, allowed_special, disallowed_special, *, around, n_threads))]
    fn new(
        py: Python<'_>,
        pipeline: Py<Pipeline>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        disallowed_special: Option<&Bound<'_, PyAny>>,
        around: (Vec<u32>, Vec<u32>),
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let policy = pipeline.get().policy(py, allowed_special, disallowed_special)?.into_owned();
        let gone = "this text is at work or ended with an error, and is not whole. Begin again from the start.";
        let (core, after) = (Slot::new(Core::new(policy, around.0), "EncodeError", gone), around.1);
        Ok(Self { pipeline, core, after, n_threads: n_threads.unwrap_or_else(parallel::available) })
    }

    /// Takes the next bytes of the text. `progress` is called with the number of bytes that are done in this call, those
    /// that were held before with them.
    #[pyo3(signature = (block, *, is_last, progress))]
    fn push(&self, block: &Bound<'_, PyAny>, is_last: bool, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let (holder, pipeline) = (Text::new(block, false)?, self.pipeline.get().core());
        let bytes = holder.as_bytes()?;
        self.core.with(block.py(), progress, |core, tick| core.push(pipeline, bytes, is_last, self.n_threads, tick))
    }

    /// All ids, which are not there a second time.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut ids = self.core.take(py)?.into_ids();
        ids.extend_from_slice(&self.after);
        numpy::array(py, ids)
    }
}
