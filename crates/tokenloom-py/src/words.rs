//! `tokenloom_core::words` for Python.

use pyo3::prelude::*;
use tokenloom_core::words;

/// Whether all characters of a word are numbers, so that the token for numbers stands for it.
#[pyfunction]
#[pyo3(signature = (word, /))]
pub fn is_number(word: &[u8]) -> bool {
    words::is_number(word)
}
