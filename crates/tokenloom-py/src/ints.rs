//! Lists of ids.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList};
use tokenloom_core::memory::prefetch;
use tokenloom_core::vocab::Vocabulary;

/// So many ids have shared ints, whatever they are.
const LEAST_INTS: usize = 1 << 16;

/// So many ids before an int is put into a list, its memory is asked for. Two thirds of the time of a list went into
/// waiting for ints, of which most are in no near cache.
const AHEAD: usize = 16;

/// The int of each id, made when the first list is: lists then share them, which costs a quarter of the memory and half
/// the time of new ones. High ids have none where most ids have no token.
#[derive(Default)]
pub struct Ints(PyOnceLock<Vec<Py<PyInt>>>);

impl Ints {
    /// A list of ids of a vocabulary, which is always the same.
    pub fn list<'py>(&self, py: Python<'py>, ids: &[u32], vocabulary: &Vocabulary) -> PyResult<Bound<'py, PyList>> {
        // Making ints runs no Python, so no other thread can fork this process while the cell is locked.
        let ints = self.0.get_or_init(py, || {
            let n_ints = vocabulary.size().min(LEAST_INTS + 2 * vocabulary.n_tokens());
            (0..n_ints as u32).map(|id| PyInt::new(py, id).unbind()).collect()
        });
        // SAFETY: a new list of so many empty places, each of which is filled below before anyone sees the list.
        let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as isize))? };
        for (place, id) in ids.iter().enumerate() {
            if let Some(slot) = ids.get(place + 2 * AHEAD).and_then(|id| ints.get(*id as usize)) {
                prefetch(slot);
            }
            if let Some(int) = ids.get(place + AHEAD).and_then(|id| ints.get(*id as usize)) {
                // SAFETY: an int of the table is live.
                prefetch(unsafe { &*int.as_ptr() });
            }
            let int = match ints.get(*id as usize) {
                Some(int) => int.clone_ref(py).into_ptr(),
                None => PyInt::new(py, *id).into_ptr(),
            };
            // SAFETY: the place is in the list, and the call takes over the int.
            unsafe { ffi::PyList_SetItem(list.as_ptr(), place as isize, int) };
        }
        Ok(list.cast_into()?)
    }
}
