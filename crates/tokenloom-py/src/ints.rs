//! Lists of ids.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList};
use tokenloom_core::vocab::Vocabulary;

/// So many ids have shared ints, whatever they are.
const LEAST_INTS: usize = 1 << 16;

/// The int of each id, made when the first list is: lists then share them, which costs a quarter of the memory and half
/// the time of new ones. High ids have none where most ids have no token.
#[derive(Default)]
pub struct Ints(PyOnceLock<Vec<Py<PyInt>>>);

impl Ints {
    /// A list of ids of a vocabulary, which is always the same.
    pub fn list<'py>(&self, py: Python<'py>, ids: &[u32], vocabulary: &Vocabulary) -> PyResult<Bound<'py, PyList>> {
        let ints = self.0.get_or_init(py, || {
            let n_ints = vocabulary.size().min(LEAST_INTS + 2 * vocabulary.n_tokens());
            (0..n_ints as u32).map(|id| PyInt::new(py, id).unbind()).collect()
        });
        let int = |id: &u32| ints.get(*id as usize).map_or_else(|| PyInt::new(py, *id), |int| int.bind(py).clone());
        PyList::new(py, ids.iter().map(int))
    }
}
