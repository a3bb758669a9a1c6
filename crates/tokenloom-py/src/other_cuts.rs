//! `tokenloom_core::other_cuts` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::other_cuts::{OtherCuts as CoreCuts, Way};

use crate::ticker;

/// Cuts pieces into the longest tokens, or the fewest.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct OtherCuts {
    core: CoreCuts,
}

#[pymethods]
impl OtherCuts {
    #[new]
    fn new(py: Python<'_>, tokens: Vec<(Vec<u8>, u32)>) -> PyResult<Self> {
        let core = ticker::run(py, None, |tick| CoreCuts::new(tokens, tick))?;
        Ok(Self { core })
    }

    /// The ids of each piece in order; a character that is in no token is its length in bytes below zero.
    fn cut(&self, py: Python<'_>, pieces: Vec<Py<PyBytes>>, is_fewest: bool) -> PyResult<Vec<Vec<i64>>> {
        let way = if is_fewest { Way::Fewest } else { Way::Greedy };
        let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes(py)).collect();
        ticker::run(py, None, |tick| {
            let one = |piece: &&[u8]| {
                let mut tokens = Vec::new();
                self.core.cut(piece, way, |id, n_bytes| tokens.push(id.map_or(-(n_bytes as i64), i64::from)), tick)?;
                Ok(tokens)
            };
            pieces.iter().map(one).collect()
        })
    }
}
