//! `tokenloom_core::packed` for Python.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::packed::{self, Packed, Parts, Shared, envelope};
use tokenloom_core::source::Source;

use crate::pipeline::Pipeline;
use crate::{convert, error};

/// The number of the form of tables that this core writes and reads.
#[pyfunction]
pub fn packed_layout() -> u32 {
    packed::LAYOUT
}

/// The checksum of a section of tables; see `packed::checksum`.
#[pyfunction]
pub fn section_checksum(py: Python<'_>, data: &[u8]) -> u64 {
    py.detach(|| packed::checksum(data))
}

/// A tokenizer whose tables lie in a buffer that does not change, such as a mapped file, which is held as long as the
/// tokenizer lives. None for whatever is unusual in the envelope of this kind, see `envelope::read`.
#[pyfunction]
#[pyo3(signature = (memory, *, kind, special_text, surrogates, cache_bytes))]
pub fn open_packed(
    py: Python<'_>,
    memory: &Bound<'_, PyAny>,
    kind: &str,
    special_text: &str,
    surrogates: &str,
    cache_bytes: usize,
) -> PyResult<Option<Pipeline>> {
    let memory: Shared = Arc::new(Mapped(PyBuffer::get(memory)?));
    let Some((config_json, sections)) = envelope::read((*memory).as_ref(), kind) else { return Ok(None) };
    let packed = py.detach(|| Packed::new(Arc::clone(&memory), sections));
    let packed = packed.map_err(|fault| error::to_python(py, &fault))?;
    let options = (special_text, surrogates);
    Pipeline::of_source(py, config_json, Source::Packed(&packed), options, cache_bytes).map(Some)
}

/// Names and contents of the sections that `open_packed` takes, all but `merges`.
#[pyfunction]
pub fn pack<'py>(py: Python<'py>, pipeline: &Pipeline) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
    let parts: Parts = py.detach(|| pipeline.core().pack()).map_err(|fault| error::to_python(py, &fault))?;
    Ok(parts.into_iter().map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect())
}

/// Token bytes and token offsets of a tokenizer, as its description has them.
#[pyfunction]
pub fn model_arrays<'py>(py: Python<'py>, pipeline: &Pipeline) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (arena, offsets) = py.detach(|| pipeline.core().vocabulary().model_arrays());
    Ok((PyBytes::new(py, &arena), convert::words_packed(py, &offsets)?))
}

/// The memory of a buffer of Python.
struct Mapped(PyBuffer<u8>);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // A buffer that is not contiguous is no memory that can be read as a whole.
        if !self.0.is_c_contiguous() || !self.0.readonly() {
            return &[];
        }
        // SAFETY: the buffer is contiguous, lives and stays where it is while it is held, and is read-only.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), self.0.len_bytes()) }
    }
}
