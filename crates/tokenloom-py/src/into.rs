//! Ids into a buffer of the caller.

use std::ffi::CStr;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::convert::is_native;
use crate::error::raise;

/// Writes ids to the start of a buffer of uint16 or uint32. Where that cannot be, it raises an EncodeError and writes
/// nothing.
pub fn write(target: &Bound<'_, PyAny>, ids: &[u32]) -> PyResult<()> {
    let py = target.py();
    let fault = |what: String| raise(py, "EncodeError", &format!("out: {what}"));
    let Ok(buffer) = buffer_of(target) else {
        let kind = target.get_type().name()?;
        return Err(fault(format!(
            "is of type {kind}, which has no row of numbers to write to. Pass an array of uint32."
        )));
    };
    if buffer.readonly() {
        return Err(fault("is read-only. Pass an array that may be written to.".to_owned()));
    }
    if buffer.dimensions() != 1 || !buffer.is_c_contiguous() {
        let (shape, strides) = (buffer.shape(), buffer.strides());
        let what = format!("has shape {shape:?} and strides {strides:?}, and ids go into one row without gaps.");
        return Err(fault(format!("{what} Pass an array of one dimension, without steps.")));
    }
    let (format, width) = (buffer.format(), buffer.item_size());
    let number = number_of(format);
    if !is_native(format) || !matches!((number, width), ("uint32", 4) | ("uint16", 2)) {
        let order = if is_native(format) { "" } else { " in another order of bytes" };
        let what = format!("has {number}{order} (format {format:?}).");
        let remedy = "Pass an array of uint32 or uint16; of bytes that are yours, memoryview(them).cast('I')";
        return Err(fault(format!("{what} {remedy}.")));
    }
    if !(buffer.buf_ptr() as usize).is_multiple_of(width) {
        let what = format!("begins at an address that is no multiple of {width}, as those of {number} are.");
        return Err(fault(format!("{what} Pass a new array, or memory that begins at such an address.")));
    }
    if width == 4 {
        return fill(&buffer, ids, |id| id).map_err(fault);
    }
    if let Some(place) = ids.iter().position(|id| *id > u32::from(u16::MAX)) {
        let id = ids[place];
        return Err(fault(format!("id {id} at position {place} does not fit uint16. Pass an array of uint32.")));
    }
    fill(&buffer, ids, |id| id as u16).map_err(fault)
}

/// The memory of an object. Some, as those of ctypes, do not say how far apart their numbers lie; their views do.
fn buffer_of(target: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    PyUntypedBuffer::get(target).or_else(|_| PyUntypedBuffer::get(PyMemoryView::from(target)?.as_any()))
}

/// What numpy calls the numbers of a buffer with this format.
fn number_of(format: &CStr) -> &'static str {
    let (standard, code) = match format.to_bytes() {
        [b'=' | b'<' | b'>' | b'!', code] => (true, *code),
        [b'@', code] | [code] => (false, *code),
        _ => return "values that are no numbers",
    };
    match code {
        b'B' => "uint8",
        b'b' => "int8",
        b'H' => "uint16",
        b'h' => "int16",
        b'I' => "uint32",
        b'i' => "int32",
        b'L' if standard || size_of::<std::ffi::c_long>() == 4 => "uint32",
        b'l' if standard || size_of::<std::ffi::c_long>() == 4 => "int32",
        b'L' | b'Q' => "uint64",
        b'l' | b'q' => "int64",
        b'e' => "float16",
        b'f' => "float32",
        b'd' => "float64",
        b'?' => "bool",
        _ => "values that are no numbers",
    }
}

/// Writes numbers to the start of a buffer in one piece that may be written to, holds numbers of this type, and begins where
/// these may.
fn fill<T>(buffer: &PyUntypedBuffer, ids: &[u32], number: impl Fn(u32) -> T) -> Result<(), String> {
    let (room, n_ids) = (buffer.item_count(), ids.len());
    if n_ids > room {
        return Err(format!("has room for {room}, and the ids are {n_ids}. Pass a longer array; see `count`."));
    }
    let start = buffer.buf_ptr().cast::<T>();
    for (place, id) in ids.iter().enumerate() {
        // SAFETY: the place lies in the buffer, which holds numbers of this type; it is kept from being freed or moved, and
        // the interpreter is attached, so no other code of Python writes to it meanwhile.
        unsafe { start.add(place).write(number(*id)) };
    }
    Ok(())
}
