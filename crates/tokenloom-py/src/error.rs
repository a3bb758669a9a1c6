//! One class of `tokenloom.errors` for each kind of fault.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use tokenloom_core::Error;

/// The name of the class in `tokenloom.errors`.
fn class_name(error: &Error) -> &'static str {
    match error {
        Error::SpecJson { .. }
        | Error::SpecArrays { .. }
        | Error::MissingByte { .. }
        | Error::DuplicateToken { .. }
        | Error::MergePart { .. }
        | Error::MergeResult { .. }
        | Error::DuplicateMerge { .. } => "SpecError",
        Error::SpecialToken { .. } | Error::UnknownSpecialToken { .. } => "SpecialTokenError",
        Error::SpecialTokenInText { .. } | Error::PieceTooLong { .. } => "EncodeError",
        Error::UnknownId { .. } => "DecodeError",
        Error::CountOverflow { .. } | Error::TooManyPretokens { .. } => "TrainingError",
        Error::InDocument { fault, .. } => class_name(fault),
        Error::OutOfMemory { .. } => "DecodeError",
        Error::Interrupted => "TokenloomError",
    }
}

/// The Python exception of a fault.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
        _ => raise(py, class_name(error), &error.to_string()),
    }
}

/// The same exception with the number of the document that it is about.
pub fn in_document(py: Python<'_>, index: usize, exception: &PyErr) -> PyErr {
    let message = format!("document {index}: {}", exception.value(py));
    exception.get_type(py).call1((message,)).map_or_else(|failure| failure, PyErr::from_value)
}

/// An exception of a class of `tokenloom.errors`.
pub fn raise(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = py.import("tokenloom.errors").and_then(|module| module.getattr(class)?.call1((message,)));
    made.map_or_else(|failure| failure, PyErr::from_value)
}
