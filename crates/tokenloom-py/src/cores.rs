//! `tokenloom_core::parallel` for Python.

use pyo3::prelude::*;
use tokenloom_core::parallel;

/// The threads that are used where none are asked for; see `parallel::available`.
#[pyfunction]
pub fn available_cores() -> usize {
    parallel::available()
}
