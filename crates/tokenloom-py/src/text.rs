//! Texts of the caller.

use std::slice;

use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString, PyTuple};

use crate::error::raise;

/// A text of the caller: it lives, and does not change, as long as this. What others may change meanwhile is copied.
pub enum Text<'py> {
    /// A str without lone surrogates.
    Str(Bound<'py, PyString>),
    /// Bytes that need not be valid UTF-8.
    Bytes(Bound<'py, PyBytes>),
    /// A part of a bytes object, in one piece.
    Part(PyBuffer<u8>),
    /// Bytes that were copied.
    Copy(Vec<u8>),
}

impl<'py> Text<'py> {
    /// Takes str, bytes, bytearray or memoryview. A lone surrogate is refused, or with `replace_surrogates` becomes U+FFFD.
    pub fn new(value: &Bound<'py, PyAny>, replace_surrogates: bool) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str() {
                Ok(_) => Ok(Self::Str(text.clone())),
                Err(_) if replace_surrogates => repaired(text).map(Self::Str),
                Err(fault) => Err(surrogate_error(text, &fault)?),
            };
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone()));
        }
        Self::of_buffer(value)
    }

    #[cold]
    fn of_buffer(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Ok(Self::Copy(bytes.to_vec()));
        }
        let Ok(view) = value.cast::<PyMemoryView>() else {
            return Err(type_error(value)?);
        };
        let buffer = match PyBuffer::<u8>::get(view) {
            Ok(buffer) if buffer.dimensions() == 1 => buffer,
            _ => {
                let (format, shape) = (view.getattr("format")?.repr()?, view.getattr("shape")?.repr()?);
                let message = format!(
                    "a memoryview has format {format} and shape {shape}, and a text has bytes in one row. Pass \
                     view.cast('B')."
                );
                return Err(PyTypeError::new_err(message));
            }
        };
        let is_constant = view.getattr("obj")?.is_exact_instance_of::<PyBytes>();
        if is_constant && buffer.is_c_contiguous() {
            return Ok(Self::Part(buffer));
        }
        buffer.to_vec(value.py()).map(Self::Copy)
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> PyResult<&[u8]> {
        match self {
            Self::Str(text) => text.to_str().map(str::as_bytes),
            Self::Bytes(bytes) => Ok(bytes.as_bytes()),
            Self::Copy(bytes) => Ok(bytes),
            Self::Part(buffer) if buffer.len_bytes() == 0 => Ok(&[]),
            // SAFETY: the buffer is a stretch in one piece of a bytes object, which it keeps alive and nothing changes.
            Self::Part(buffer) => Ok(unsafe { slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes()) }),
        }
    }
}

/// What is no text, and what could be meant.
fn type_error(value: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let remedy = if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        "Pass one text at a time, or many to encode_batch"
    } else if value.hasattr("__fspath__")? {
        "Pass the text of the file, or use encode_file"
    } else if PyUntypedBuffer::get(value).is_ok() {
        "Pass a memoryview of it if its bytes are the text"
    } else {
        "Pass the text itself"
    };
    let kind = value.get_type().name()?;
    let message = format!("a text must be str, bytes, bytearray or memoryview, not {kind}. {remedy}.");
    Ok(PyTypeError::new_err(message))
}

fn repaired<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let units = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let repaired = units.call_method1("decode", ("utf-16-le", "replace"))?;
    Ok(repaired.cast_into::<PyString>()?)
}

fn surrogate_error(text: &Bound<'_, PyString>, fault: &PyErr) -> PyResult<PyErr> {
    let py = text.py();
    let at: usize = fault.value(py).getattr("start")?.extract()?;
    let shown = text.get_item(at)?.repr()?;
    let message = format!(
        "the text has the lone surrogate {shown} at character {at}, so it is no Unicode text. Pass bytes, or repair it \
         with text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace'), which makes it U+FFFD; a Tokenizer \
         with surrogates='replace' does so with what it encodes."
    );
    Ok(raise(py, "EncodeError", &message))
}
