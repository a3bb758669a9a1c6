//! `tokenloom_core::packed` for Python.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use tokenloom_core::packed::{self, Packed, Shared};

use crate::error;

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

/// Name, start, length and checksum.
pub type Section = (String, usize, usize, u64);

/// Sections of a buffer that does not change, such as a mapped file; all checksums are compared. The buffer is held as
/// long as a tokenizer lives that was made of them.
pub fn open(py: Python<'_>, memory: &Bound<'_, PyAny>, sections: Vec<Section>) -> PyResult<Packed> {
    let memory: Shared = Arc::new(Mapped(PyBuffer::get(memory)?));
    py.detach(|| Packed::new(memory, sections)).map_err(|fault| error::to_python(py, &fault))
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
