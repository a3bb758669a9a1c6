//! A value that one call at a time may change.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tokenloom_core::{Result, Tick};

use crate::error::raise;
use crate::ticker;

/// Holds a value that is taken out while a call works on it. A call that fails or is interrupted does not put it back,
/// so nothing half-done is used again; nor is a lock held while other code of Python may run.
pub struct Slot<T> {
    value: Mutex<Option<T>>,
    class: &'static str,
    /// What is said when the value is not there.
    gone: &'static str,
}

impl<T: Send> Slot<T> {
    pub fn new(value: T, class: &'static str, gone: &'static str) -> Self {
        Self { value: Mutex::new(Some(value)), class, gone }
    }

    /// Takes the value for good.
    pub fn take(&self, py: Python<'_>) -> PyResult<T> {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| raise(py, self.class, self.gone))
    }

    /// Works on the value without the interpreter lock.
    pub fn with<R: Send>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(&mut T, Tick<'_>) -> Result<R> + Send,
    ) -> PyResult<R> {
        let mut value = self.take(py)?;
        let (value, result) =
            ticker::run(py, progress, move |tick| work(&mut value, tick).map(|result| (value, result)))?;
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        Ok(result)
    }
}
