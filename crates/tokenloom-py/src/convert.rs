//! Values of Python as values of the core, and back.

use std::fmt::Display;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use tokenloom_core::specials::{Selection, SpecialText};

use crate::error::raise;

/// A text of the caller: it lives, and does not change, as long as this.
pub enum Text<'py> {
    /// A str without lone surrogates.
    Str(Bound<'py, PyString>),
    /// Bytes that need not be valid UTF-8.
    Bytes(Bound<'py, PyBytes>),
}

impl<'py> Text<'py> {
    /// Takes str or bytes. A lone surrogate is refused, or with `replace_surrogates` becomes U+FFFD.
    pub fn new(value: &Bound<'py, PyAny>, replace_surrogates: bool) -> PyResult<Self> {
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone()));
        }
        let Ok(text) = value.cast::<PyString>() else {
            let message = format!("a text must be str or bytes, not {}", value.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        match text.to_str() {
            Ok(_) => Ok(Self::Str(text.clone())),
            Err(_) if replace_surrogates => {
                let units = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
                let repaired = units.call_method1("decode", ("utf-16-le", "replace"))?;
                Ok(Self::Str(repaired.cast_into::<PyString>()?))
            }
            Err(fault) => Err(surrogate_error(text, &fault)?),
        }
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> PyResult<&[u8]> {
        match self {
            Self::Str(text) => text.to_str().map(str::as_bytes),
            Self::Bytes(bytes) => Ok(bytes.as_bytes()),
        }
    }
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

/// The special tokens that an argument names: None, "all", or an iterable of str.
pub fn selection(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Selection>> {
    let Some(value) = value else { return Ok(None) };
    let Ok(word) = value.cast::<PyString>() else {
        return Ok(Some(Selection::Only(value.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?)));
    };
    if word.to_str().is_ok_and(|word| word == "all") {
        return Ok(Some(Selection::All));
    }
    let shown = word.repr()?;
    let message = format!(
        "allowed_special and disallowed_special take 'all' or a set of special tokens, not the str {shown}. Write {{{shown}}}."
    );
    Err(raise(value.py(), "SpecialTokenError", &message))
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
            Err(fault) if fault.is_instance_of::<PyTypeError>(value.py()) => return Err(fault),
            Err(_) => return Err(id_error(value.py(), &item.repr()?.to_string(), n_before + position)),
        }
    }
    Ok(ids)
}

/// Signals are looked for after so many items of an iterable.
pub const CHECKED_EVERY: usize = 1 << 16;

/// Most room that is made for as many ids as an object says it has.
const MOST_RESERVED: usize = 1 << 20;

/// Whether a letter before a buffer's format names this machine's order of bytes.
fn native(order: u8) -> bool {
    (order == b'<') == cfg!(target_endian = "little")
}

/// The ids of an array with this type of number, in this machine's order of bytes; None if it is no such array.
fn array<T: Element + Display + Copy>(value: &Bound<'_, PyAny>, n_before: usize) -> Option<PyResult<Vec<u32>>>
where
    u32: TryFrom<T>,
{
    let py = value.py();
    let buffer = PyBuffer::<T>::get(value).ok()?;
    if buffer.format().to_bytes().first().is_some_and(|order| b"<>!".contains(order) && !native(*order)) {
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

fn id_error(py: Python<'_>, id: &str, position: usize) -> PyErr {
    let message = format!(
        "id {id} at position {position} has no token. Ids are integers from 0 to below the size of the tokenizer; was \
         the sequence made by another tokenizer?"
    );
    raise(py, "DecodeError", &message)
}
