//! Functions of Python that take or give bytes, as the core calls them.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::pretokens::run::Read;
use tokenloom_core::{Error, Result};

/// Keeps the first exception that such a function raises, for which the core knows no error.
#[derive(Default)]
pub struct Pipe {
    raised: Mutex<Option<PyErr>>,
}

impl Pipe {
    /// Gives bytes to `write`.
    pub fn writer<'a>(&'a self, write: &'a Py<PyAny>) -> impl FnMut(&[u8]) -> Result<()> + Send + 'a {
        |bytes| {
            let written = Python::attach(|py| write.call1(py, (PyBytes::new(py, bytes),)).map(|_| ()));
            written.map_err(|exception| self.keep(exception))
        }
    }

    /// Takes bytes from `read`, which is called with how many are wanted.
    pub fn reader<'a>(&'a self, read: &'a Py<PyAny>) -> Read<'a> {
        Box::new(|target, n_bytes| {
            let taken = Python::attach(|py| {
                let given = read.call1(py, (n_bytes,))?;
                target.extend_from_slice(given.bind(py).cast::<PyBytes>()?.as_bytes());
                Ok(())
            });
            taken.map_err(|exception| self.keep(exception))
        })
    }

    /// The result of a call that used the functions, or what one of them raised.
    pub fn outcome<T>(self, result: PyResult<T>) -> PyResult<T> {
        match self.raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(exception) => Err(exception),
            None => result,
        }
    }

    fn keep(&self, exception: PyErr) -> Error {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(exception);
        Error::Interrupted
    }
}
