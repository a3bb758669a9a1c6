//! The compiled module `tokenloom._core`.
use pyo3::prelude::*;

/// The compiled core of tokenloom.
#[pymodule(gil_used = false)]
mod _core {}
