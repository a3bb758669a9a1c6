//! Ids into a buffer of the caller.

use pyo3::buffer::{Element, PyBuffer, PyUntypedBuffer};
use pyo3::prelude::*;

use crate::convert::is_native;
use crate::error::raise;

/// Writes ids to the start of a buffer of uint16 or uint32. Where that cannot be, it raises an EncodeError and writes
/// nothing.
pub fn write(target: &Bound<'_, PyAny>, ids: &[u32]) -> PyResult<()> {
    let py = target.py();
    let fault = |what: String| raise(py, "EncodeError", &format!("out: {what}"));
    let Ok(buffer) = PyUntypedBuffer::get(target) else {
        let kind = target.get_type().name()?;
        return Err(fault(format!("is of type {kind}, which has no memory to write to. Pass an array of uint32.")));
    };
    if buffer.readonly() {
        return Err(fault("is read-only. Pass an array that may be written to.".to_owned()));
    }
    if buffer.dimensions() != 1 || !buffer.is_c_contiguous() {
        let (shape, strides) = (buffer.shape(), buffer.strides());
        let what = format!("has shape {shape:?} and strides {strides:?}, and ids go into one row without gaps.");
        return Err(fault(format!("{what} Pass an array of one dimension.")));
    }
    let (format, is_native) = (buffer.format(), is_native(buffer.format()));
    if let (true, Ok(wide)) = (is_native, buffer.as_typed::<u32>()) {
        return fill(wide, ids, |id| id).map_err(fault);
    }
    let (true, Ok(narrow)) = (is_native, buffer.as_typed::<u16>()) else {
        return Err(fault(format!("has numbers of the format {format:?}. Pass an array of uint32 or uint16.")));
    };
    if let Some(place) = ids.iter().position(|id| *id > u32::from(u16::MAX)) {
        let id = ids[place];
        return Err(fault(format!("id {id} at position {place} does not fit uint16. Pass an array of uint32.")));
    }
    fill(narrow, ids, |id| id as u16).map_err(fault)
}

/// Writes numbers to the start of a buffer in one piece that may be written to.
fn fill<T: Element>(buffer: &PyBuffer<T>, ids: &[u32], number: impl Fn(u32) -> T) -> Result<(), String> {
    let room = buffer.item_count();
    let Some(start) = buffer.as_slice_ptr().filter(|_| ids.len() <= room) else {
        let n_ids = ids.len();
        return Err(format!("has room for {room}, and the ids are {n_ids}. Pass a longer array; see `count`."));
    };
    let start = start.cast::<T>();
    for (place, id) in ids.iter().enumerate() {
        // SAFETY: the place lies in the buffer, which holds numbers of this type; it is kept from being freed or moved, and
        // the interpreter is attached, so no other code of Python writes to it meanwhile.
        unsafe { start.add(place).write(number(*id)) };
    }
    Ok(())
}
