//! `tokenloom_core::offsets` for Python: arrays of ids and spans.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use tokenloom_core::offsets::{Characters, Span};
use tokenloom_core::pipeline::Pipeline as Core;
use tokenloom_core::specials::Policy;

use crate::{convert, ticker};

/// Ids as uint32, and spans of bytes and of characters as int64, two a token.
type Packed<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// The ids of a text and what they stand for. Not more than one array of spans is there beside those that are returned;
/// these are one where each byte is a character.
pub fn encode<'py>(py: Python<'py>, core: &Core, text: &[u8], policy: &Policy) -> PyResult<Packed<'py>> {
    let (ids, mut spans) = ticker::run(py, None, |tick| core.encode_with_offsets(text, policy, tick))?;
    let packed_ids = convert::packed(py, ids.len(), ids.iter().copied(), u32::to_ne_bytes)?;
    drop(ids);
    let bytes = packed(py, &spans)?;
    let characters = ticker::run(py, None, |tick| Characters::new(text, tick))?;
    if characters.are_bytes() {
        return Ok((packed_ids, bytes.clone(), bytes));
    }
    ticker::run(py, None, |tick| characters.convert(&mut spans, tick))?;
    Ok((packed_ids, bytes, packed(py, &spans)?))
}

/// The bytes of ids, and the character of their text in which each token begins.
pub fn decode<'py>(py: Python<'py>, core: &Core, ids: &[u32]) -> PyResult<(Bound<'py, PyBytes>, Vec<u64>)> {
    let (bytes, starts) = ticker::run(py, None, |tick| core.decode_with_offsets(ids, tick))?;
    Ok((PyBytes::new(py, &bytes), starts))
}

fn packed<'py>(py: Python<'py>, spans: &[Span]) -> PyResult<Bound<'py, PyByteArray>> {
    // Two numbers at a time; as lengths of a text they are the same as int64.
    let pair = |[start, end]: Span| {
        let mut pair = [0; 16];
        pair[..8].copy_from_slice(&start.to_ne_bytes());
        pair[8..].copy_from_slice(&end.to_ne_bytes());
        pair
    };
    convert::packed(py, spans.len(), spans.iter().copied(), pair)
}
