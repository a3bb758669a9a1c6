//! `tokenloom_core::bpe::start` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::start::{ByteStart, EncodedStart, Start as CoreStart};
use tokenloom_core::bpe::start_characters::{CharacterStart, EndOfWord, Missing, count_characters};

use crate::counts::PretokenCounts;
use crate::error::raise;
use crate::pipeline::Pipeline;
use crate::{convert, ticker};

/// What pretokens begin as.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct Start {
    rule: Rule,
}

enum Rule {
    Bytes(Box<ByteStart>),
    Encoded(Py<Pipeline>),
    Characters(CharacterStart),
}

#[pymethods]
impl Start {
    /// As their bytes: all 256 in the order of their ids.
    #[staticmethod]
    fn of_bytes(order: [u8; 256]) -> Self {
        Self { rule: Rule::Bytes(Box::new(ByteStart::new(order))) }
    }

    /// As another tokenizer encodes them, which merges bytes.
    #[staticmethod]
    fn of_tokenizer(py: Python<'_>, tokenizer: Py<Pipeline>) -> PyResult<Self> {
        let start = Self { rule: Rule::Encoded(tokenizer) };
        start.core(py)?;
        Ok(start)
    }

    /// As their characters, which are given in the order of their ids. `end` is "none", "symbol" or "glued", `missing` is
    /// "dropped", "unknown" or "bytes", and `taken` are other tokens of the vocabulary.
    #[staticmethod]
    fn of_characters(
        py: Python<'_>,
        characters: &str,
        end: (String, String),
        missing: &str,
        taken: Vec<Vec<u8>>,
    ) -> PyResult<Self> {
        let end = match (end.0.as_str(), end.1) {
            ("none", _) => EndOfWord::None,
            ("symbol", mark) => EndOfWord::Symbol(mark),
            ("glued", mark) => EndOfWord::Glued(mark),
            (end, _) => {
                return Err(convert::unknown_word(py, "TrainingError", "end", end, "'none', 'symbol' or 'glued'"));
            }
        };
        let missing = match missing {
            "dropped" => Missing::Dropped,
            "unknown" => Missing::Unknown,
            "bytes" => Missing::Bytes,
            _ => {
                let known = "'dropped', 'unknown' or 'bytes'";
                return Err(convert::unknown_word(py, "TrainingError", "missing", missing, known));
            }
        };
        Ok(Self { rule: Rule::Characters(CharacterStart::new(characters.chars().collect(), end, missing, taken)) })
    }

    /// How often each character occurs in counts, in the order of code points.
    #[staticmethod]
    fn characters_of(py: Python<'_>, counts: &PretokenCounts) -> PyResult<Vec<(char, u64)>> {
        let found = ticker::run(py, None, |tick| count_characters(&counts.core, tick))?;
        Ok(found.into_iter().collect())
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
            Rule::Bytes(start) => start.clone(),
            Rule::Characters(start) => Box::new(start.clone()),
            Rule::Encoded(tokenizer) => {
                let message = "the tokenizer to begin with merges characters. Begin with one that merges bytes.";
                let start = EncodedStart::new(tokenizer.get().core());
                Box::new(start.ok_or_else(|| raise(py, "TrainingError", message))?)
            }
        })
    }
}
