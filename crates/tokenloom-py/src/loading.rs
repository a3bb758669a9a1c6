//! `tokenloom_core::reading`, and what else formats ask of the arrays of a tokenizer, for Python.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::halves;
use tokenloom_core::reading::hf_json::{self, HfJson};
use tokenloom_core::reading::{Tokens, rank_file, sentencepiece, tekken};
use tokenloom_core::vocab::Vocabulary;

use crate::{convert, ticker};

/// Token bytes and offsets.
type Packed<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Token bytes, offsets and merges.
type PackedModel<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Token bytes, offsets, scores, the pieces that are not normal, and where the file goes on behind them.
type PackedPieces<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<(u8, u32, String)>, usize);

/// Token bytes and offsets of a rank file; None for a file that has to be read with care. See `rank_file::read`.
#[pyfunction]
#[pyo3(signature = (data, *, is_known))]
pub fn read_rank_file<'py>(py: Python<'py>, data: &[u8], is_known: bool) -> PyResult<Option<Packed<'py>>> {
    let tokens = py.detach(|| rank_file::read(data, is_known));
    tokens.map(|tokens| packed(py, &tokens)).transpose()
}

/// The document of a `tekken.json` without its vocabulary, token bytes and offsets of the vocabulary, and the number of
/// tokens that hold all single bytes; None for a file that has to be read with care.
#[pyfunction]
pub fn read_tekken<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<(Bound<'py, PyBytes>, Packed<'py>, usize)>> {
    let Some(file) = py.detach(|| tekken::read(data)) else { return Ok(None) };
    Ok(Some((PyBytes::new(py, &file.rest), packed(py, &file.tokens)?, file.n_with_all_bytes)))
}

/// Token bytes, offsets and scores of a model file, type, id and text of each piece that is not normal, and where the
/// file goes on; None for a file that has to be read with care. See `sentencepiece::read`.
#[pyfunction]
pub fn read_sentencepiece<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<PackedPieces<'py>>> {
    let Some(file) = py.detach(|| sentencepiece::read(data)) else { return Ok(None) };
    let (arena, offsets) = packed(py, &file.tokens)?;
    let scores: Vec<u8> = file.scores.iter().flat_map(|score| score.to_le_bytes()).collect();
    Ok(Some((arena, offsets, PyBytes::new(py, &scores), file.others, file.end)))
}

/// A `tokenizer.json` whose vocabulary and merges are read.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct HfFile {
    core: HfJson,
}

#[pymethods]
impl HfFile {
    /// Reads a file; None for one that has to be read with care.
    #[staticmethod]
    fn read(py: Python<'_>, data: &[u8]) -> Option<Self> {
        Some(Self { core: py.detach(|| hf_json::read(data))? })
    }

    /// The document with an empty vocabulary and no merges.
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.core.rest)
    }

    fn __len__(&self) -> usize {
        self.core.keys.n_tokens()
    }

    /// The id of a key of the vocabulary.
    fn id_of(&self, key: &str) -> Option<u32> {
        self.core.keys.id_of(key.as_bytes())
    }

    /// The key that has an id.
    fn key_of(&self, id: u32) -> Option<&str> {
        std::str::from_utf8(self.core.keys.bytes_of(id)?).ok()
    }

    /// Those of some ids whose keys are the joined parts of a merge.
    fn made(&self, py: Python<'_>, ids: Vec<u32>) -> Vec<u32> {
        py.detach(|| self.core.made(&ids))
    }

    /// Token bytes, offsets and merges; None for a file that has to be read with care. See `HfJson::tokens`.
    #[pyo3(signature = (*, holes, least_ids, spelled))]
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        holes: Vec<u32>,
        least_ids: usize,
        spelled: bool,
    ) -> PyResult<Option<PackedModel<'py>>> {
        let Some(tokens) = py.detach(|| self.core.tokens(&holes, least_ids, spelled)) else { return Ok(None) };
        let (arena, offsets) = packed(py, &tokens)?;
        Ok(Some((arena, offsets, convert::words_packed(py, &self.core.merges)?)))
    }
}

fn packed<'py>(py: Python<'py>, tokens: &Tokens) -> PyResult<Packed<'py>> {
    Ok((PyBytes::new(py, &tokens.arena), convert::words_packed(py, &tokens.offsets)?))
}

/// The first of some packed numbers that is more than the next one, by its place; None if they never fall.
#[pyfunction]
pub fn first_fall(packed: &[u8]) -> Option<usize> {
    let (numbers, _) = packed.as_chunks();
    numbers.windows(2).position(|pair| u32::from_le_bytes(pair[0]) > u32::from_le_bytes(pair[1]))
}

/// Whether bytes are UTF-8, told without making a text of them.
#[pyfunction]
pub fn is_utf8(data: &[u8]) -> bool {
    std::str::from_utf8(data).is_ok()
}

/// The highest of some packed numbers; 0 if there are none.
#[pyfunction]
pub fn highest(packed: &[u8]) -> u32 {
    let (numbers, _) = packed.as_chunks();
    numbers.iter().copied().map(u32::from_le_bytes).max().unwrap_or(0)
}

/// The ids that lower ranks join each token of two or more bytes to, two a token and packed, up to the first that has not
/// two; then those of this one. See `halves::halves`.
#[pyfunction]
pub fn token_halves<'py>(
    py: Python<'py>,
    token_bytes: PyBackedBytes,
    token_offsets: PyBackedBytes,
) -> PyResult<(Bound<'py, PyBytes>, Vec<u32>)> {
    let offsets = convert::words(py, "token_offsets", &token_offsets)?;
    let found = ticker::run(py, None, |tick| halves::halves(&Vocabulary::new(&token_bytes, &offsets, &[])?, tick))?;
    let pairs: Vec<u32> = found.pairs.iter().flat_map(|(left, right)| [*left, *right]).collect();
    Ok((convert::words_packed(py, &pairs)?, found.others))
}
