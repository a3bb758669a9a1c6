//! Values of Python as values of the core, and back.

use std::ffi::CStr;
use std::fmt::Display;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use tokenloom_core::specials::{Selection, SpecialText};

use crate::error::raise;

/// The special tokens that an argument of a call names: None, "all", or an iterable of str.
#[inline]
pub fn selection(argument: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Selection>> {
    value.map(|value| selection_of(argument, value)).transpose()
}

#[inline(never)]
fn selection_of(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Selection> {
    let py = value.py();
    let fault = |message: String| raise(py, "SpecialTokenError", &message);
    if let Ok(word) = value.cast::<PyString>() {
        if word.to_str().is_ok_and(|word| word == "all") {
            return Ok(Selection::All);
        }
        let shown = word.repr()?;
        let takes = "allowed_special and disallowed_special take 'all' or a set of special tokens";
        return Err(fault(format!("{takes}, not the str {shown}. Write {{{shown}}}.")));
    }
    let (false, Ok(names)) = (value.is_instance_of::<PyBytes>(), value.try_iter()) else {
        let shown = quoted(value)?;
        return Err(fault(format!("{argument} {shown}: is no set of special tokens. Pass a set of str, or 'all'.")));
    };
    let name = |name: PyResult<Bound<'_, PyAny>>| {
        let name = name?;
        name.extract().or_else(|_| {
            let what = format!("{argument}: {} is not a special token of any tokenizer.", quoted(&name)?);
            Err(fault(format!("{what} Name only tokens of Tokenizer.special_tokens.")))
        })
    };
    Ok(Selection::Only(names.map(name).collect::<PyResult<_>>()?))
}

/// A value as messages show it; see `tokenloom.wording.quoted`.
fn quoted(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.py().import("tokenloom.wording")?.call_method1("quoted", (value,))?.extract()
}

/// The policy that a word names.
pub fn special_text(py: Python<'_>, word: &str) -> PyResult<SpecialText> {
    match word {
        "refuse" => Ok(SpecialText::Refuse),
        "parse" => Ok(SpecialText::Parse),
        "plain" => Ok(SpecialText::Plain),
        _ => Err(unknown_word(py, "SpecialTokenError", "special_text", word, "'refuse', 'parse' or 'plain'")),
    }
}

/// An option has none of its values.
pub fn unknown_word(py: Python<'_>, class: &str, option: &str, word: &str, known: &str) -> PyErr {
    raise(py, class, &format!("{option}={word:?} is unknown. Use {known}."))
}

/// Little-endian 32-bit numbers packed in bytes.
pub fn words(py: Python<'_>, name: &str, packed: &[u8]) -> PyResult<Vec<u32>> {
    let (chunks, rest) = packed.as_chunks();
    if !rest.is_empty() {
        let message = format!("{name} has {} bytes, which is no multiple of 4. Pack it as uint32.", packed.len());
        return Err(raise(py, "SpecError", &message));
    }
    Ok(chunks.iter().copied().map(u32::from_le_bytes).collect())
}

/// Numbers as little-endian uint32.
pub fn words_packed<'py>(py: Python<'py>, numbers: &[u32]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, numbers.len() * 4, |target| {
        for (target, number) in target.as_chunks_mut().0.iter_mut().zip(numbers) {
            *target = number.to_le_bytes();
        }
        Ok(())
    })
}

/// So many numbers as a bytearray in the machine's byte order, which numpy can take over without a copy.
pub fn packed<'py, const N: usize, T>(
    py: Python<'py>,
    n_numbers: usize,
    numbers: impl IntoIterator<Item = T>,
    bytes_of: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, n_numbers * N, |target| {
        for (target, number) in target.chunks_exact_mut(N).zip(numbers) {
            target.copy_from_slice(&bytes_of(number));
        }
        Ok(())
    })
}

/// Token ids: a flat array of integers, or any iterable of int. Errors count positions from `n_before` on.
pub fn ids(value: &Bound<'_, PyAny>, n_before: usize) -> PyResult<Vec<u32>> {
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        return Err(bytes_error(value)?);
    }
    let array = array::<u32>(value, n_before).or_else(|| array::<i64>(value, n_before));
    let array = array.or_else(|| self::array::<u16>(value, n_before)).or_else(|| self::array::<i32>(value, n_before));
    if let Some(ids) = array.or_else(|| self::array::<u64>(value, n_before)) {
        return ids;
    }
    let mut ids = Vec::with_capacity(value.len().unwrap_or(0).min(MOST_RESERVED));
    for (position, item) in value.try_iter()?.enumerate() {
        if position % CHECKED_EVERY == 0 {
            value.py().check_signals()?;
        }
        let item = item?;
        match item.extract::<u32>() {
            Ok(id) => ids.push(id),
            Err(fault) if fault.is_instance_of::<PyTypeError>(value.py()) => {
                return Err(type_error(&item, n_before + position)?);
            }
            Err(_) => return Err(id_error(value.py(), &item.repr()?.to_string(), n_before + position)),
        }
    }
    Ok(ids)
}

/// Signals are looked for after so many items of an iterable.
pub const CHECKED_EVERY: usize = 1 << 16;

/// Most room that is made for as many ids as an object says it has.
const MOST_RESERVED: usize = 1 << 20;

/// Whether the numbers of a buffer with this format are in this machine's order of bytes.
pub fn is_native(format: &CStr) -> bool {
    match format.to_bytes().first() {
        Some(b'<') => cfg!(target_endian = "little"),
        Some(b'>' | b'!') => cfg!(target_endian = "big"),
        _ => true,
    }
}

/// The ids of an array with this type of number, in this machine's order of bytes; None if it is no such array.
fn array<T: Element + Display + Copy>(value: &Bound<'_, PyAny>, n_before: usize) -> Option<PyResult<Vec<u32>>>
where
    u32: TryFrom<T>,
{
    let py = value.py();
    let buffer = PyBuffer::<T>::get(value).ok()?;
    if !is_native(buffer.format()) {
        return None;
    }
    if buffer.dimensions() != 1 {
        let message = format!(
            "an array of ids has {} dimensions, and a sequence has 1. Pass one row, or use ravel().",
            buffer.dimensions()
        );
        return Some(Err(raise(py, "DecodeError", &message)));
    }
    let narrow =
        |(position, id): (usize, T)| u32::try_from(id).map_err(|_| id_error(py, &id.to_string(), n_before + position));
    Some(buffer.to_vec(py).and_then(|ids| ids.into_iter().enumerate().map(narrow).collect()))
}

/// Bytes are an iterable of int, but those of a text, or of a file of ids, are no ids.
#[cold]
fn bytes_error(value: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let message = format!(
        "ids {}: is of type {}, not a sequence of ids. Pass list(it) if each byte is an id, or of the bytes of an array \
         numpy.frombuffer(it, dtype='uint16') or 'uint32'.",
        quoted(value)?,
        value.get_type().name()?
    );
    Ok(raise(value.py(), "DecodeError", &message))
}

/// What stands among ids and is no whole number.
#[cold]
fn type_error(item: &Bound<'_, PyAny>, position: usize) -> PyResult<PyErr> {
    let (shown, kind) = (quoted(item)?, item.get_type().name()?);
    Ok(PyTypeError::new_err(format!(
        "id {shown} at position {position} is of type {kind}, not int. Ids are whole numbers in one row; convert them, an \
         array with astype('uint32')."
    )))
}

fn id_error(py: Python<'_>, id: &str, position: usize) -> PyErr {
    let message = format!(
        "id {id} at position {position} has no token. Ids are integers from 0 to below the size of the tokenizer; was \
         the sequence made by another tokenizer?"
    );
    raise(py, "DecodeError", &message)
}
