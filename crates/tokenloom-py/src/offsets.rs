//! `tokenloom_core::offsets` for Python: arrays of ids and spans.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::Tick;
use tokenloom_core::offsets::Characters;
use tokenloom_core::pipeline::Pipeline as Core;
use tokenloom_core::specials::Policy;

use crate::{numpy, ticker};

type Array<'py> = Bound<'py, PyAny>;

/// The ids of a text, and their spans of bytes and of characters: one array where each byte is a character.
pub fn encode<'py>(
    py: Python<'py>,
    core: &Core,
    text: &[u8],
    policy: &Policy,
) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
    let (ids, spans) = ticker::run_on(py, text.len(), |tick| core.encode_with_offsets(text, policy, tick))?;
    let ids = numpy::array(py, ids)?;
    let characters = ticker::run_on(py, text.len(), |tick| Characters::new(text, tick))?;
    if characters.are_bytes() {
        let spans = numpy::spans(py, spans)?;
        return Ok((ids, spans.clone(), spans));
    }
    let mut by_characters = spans.clone();
    ticker::run_on(py, text.len(), |tick| characters.convert(&mut by_characters, tick))?;
    Ok((ids, numpy::spans(py, spans)?, numpy::spans(py, by_characters)?))
}

/// The ids of a text, their spans of characters, and the number of the piece of each.
pub fn encode_with_words<'py>(
    py: Python<'py>,
    core: &Core,
    text: &[u8],
    policy: &Policy,
) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
    let encode = |tick: Tick<'_>| {
        let (ids, mut spans, words) = core.encode_with_words(text, policy, tick)?;
        Characters::new(text, tick)?.convert(&mut spans, tick)?;
        Ok((ids, spans, words))
    };
    let (ids, spans, words) = ticker::run_on(py, text.len(), encode)?;
    Ok((numpy::array(py, ids)?, numpy::spans(py, spans)?, numpy::array(py, words)?))
}

/// The bytes of ids, and the character of their text in which each token begins.
pub fn decode<'py>(py: Python<'py>, core: &Core, ids: &[u32]) -> PyResult<(Bound<'py, PyBytes>, Vec<u64>)> {
    let (bytes, starts) = ticker::run(py, None, |tick| core.decode_with_offsets(ids, tick))?;
    Ok((PyBytes::new(py, &bytes), starts))
}
