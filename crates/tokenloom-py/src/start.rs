//! `tokenloom_core::bpe::start` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::start::{ByteStart, EncodedStart, Start as CoreStart};

use crate::error::raise;
use crate::pipeline::Pipeline;

/// What pretokens begin as.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct Start {
    rule: Rule,
}

enum Rule {
    Bytes(ByteStart),
    Encoded(Py<Pipeline>),
}

#[pymethods]
impl Start {
    /// As their bytes: all 256 in the order of their ids.
    #[staticmethod]
    fn of_bytes(order: [u8; 256]) -> Self {
        Self { rule: Rule::Bytes(ByteStart::new(order)) }
    }

    /// As another tokenizer encodes them, which merges bytes.
    #[staticmethod]
    fn of_tokenizer(py: Python<'_>, tokenizer: Py<Pipeline>) -> PyResult<Self> {
        let start = Self { rule: Rule::Encoded(tokenizer) };
        start.core(py)?;
        Ok(start)
    }

    /// The bytes of each start token, in the order of symbols.
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        Ok(self.core(py)?.tokens().iter().map(|token| PyBytes::new(py, token)).collect())
    }
}

impl Start {
    /// What an argument stands for: a start, or the 256 bytes in the order of their ids.
    pub fn given(value: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        match value.extract() {
            Ok(order) => Py::new(value.py(), Self::of_bytes(order)),
            Err(_) => Ok(value.extract()?),
        }
    }

    /// What training asks.
    pub fn core(&self, py: Python<'_>) -> PyResult<Box<dyn CoreStart + '_>> {
        Ok(match &self.rule {
            Rule::Bytes(start) => Box::new(start.clone()),
            Rule::Encoded(tokenizer) => {
                let message = "the tokenizer to begin with merges characters. Begin with one that merges bytes.";
                let start = EncodedStart::new(tokenizer.get().core());
                Box::new(start.ok_or_else(|| raise(py, "TrainingError", message))?)
            }
        })
    }
}
