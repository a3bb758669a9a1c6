//! Lists of ids.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use tokenloom_core::memory::prefetch;
use tokenloom_core::vocab::Vocabulary;

/// So many ids have shared ints, whatever they are.
const LEAST_INTS: usize = 1 << 16;

/// So many ids before an int is put into a list, its memory is asked for. Two thirds of the time of a list went into
/// waiting for ints, of which most are in no near cache.
const AHEAD: usize = 16;

/// The int of each id, made when it is first in a list: lists then share them, which costs a quarter of the memory and half
/// the time of new ones. High ids have none where most ids have no token.
///
/// A text has a few thousand ids of many. To make the ints of all with the first list took as long as that of 200 KB.
#[derive(Default)]
pub struct Ints(OnceLock<Box<[AtomicPtr<ffi::PyObject>]>>);

impl Ints {
    /// A list of ids of a vocabulary, which is always the same.
    pub fn list<'py>(&self, py: Python<'py>, ids: &[u32], vocabulary: &Vocabulary) -> PyResult<Bound<'py, PyList>> {
        // This runs no Python, so no other thread can fork the process while the cell is locked.
        let ints = self.0.get_or_init(|| {
            let n_ints = vocabulary.size().min(LEAST_INTS + 2 * vocabulary.n_tokens());
            (0..n_ints).map(|_| AtomicPtr::new(ptr::null_mut())).collect()
        });
        // SAFETY: a new list of so many empty places, each of which is filled below before anyone sees the list.
        let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as isize))? };
        for (place, id) in ids.iter().enumerate() {
            if let Some(slot) = ids.get(place + 2 * AHEAD).and_then(|id| ints.get(*id as usize)) {
                prefetch(slot);
            }
            if let Some(int) = ids.get(place + AHEAD).and_then(|id| ints.get(*id as usize)) {
                // SAFETY: where it is not null, an int of the table is live as long as the table.
                if let Some(int) = unsafe { int.load(Ordering::Acquire).as_ref() } {
                    prefetch(int);
                }
            }
            let int = match ints.get(*id as usize) {
                Some(slot) => shared(py, slot, *id).into_ptr(),
                None => PyInt::new(py, *id).into_ptr(),
            };
            // SAFETY: the place is in the list, and the call takes over the int.
            unsafe { ffi::PyList_SetItem(list.as_ptr(), place as isize, int) };
        }
        Ok(list.cast_into()?)
    }
}

/// The int of a slot, which is made if it is not there.
#[inline]
fn shared<'py>(py: Python<'py>, slot: &AtomicPtr<ffi::PyObject>, id: u32) -> Bound<'py, PyAny> {
    let mut int = slot.load(Ordering::Acquire);
    if int.is_null() {
        int = filled(py, slot, id);
    }
    // SAFETY: it is an int, of which the slot holds a reference as long as it lives.
    unsafe { Bound::from_borrowed_ptr(py, int) }
}

/// Makes the int of a slot; of two threads that do so at once, both get that of the first.
#[cold]
fn filled(py: Python<'_>, slot: &AtomicPtr<ffi::PyObject>, id: u32) -> *mut ffi::PyObject {
    let int = PyInt::new(py, id).into_ptr();
    match slot.compare_exchange(ptr::null_mut(), int, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => int,
        Err(first) => {
            // SAFETY: nobody else has the reference to the new int.
            unsafe { ffi::Py_DECREF(int) };
            first
        }
    }
}

impl Drop for Ints {
    fn drop(&mut self) {
        let Some(ints) = self.0.take() else { return };
        // Where the interpreter is gone, so are the ints.
        Python::try_attach(|_| {
            for int in ints {
                // SAFETY: the slot has a reference if it is not null, and this is the last use of it.
                unsafe { ffi::Py_XDECREF(int.into_inner()) };
            }
        });
    }
}
