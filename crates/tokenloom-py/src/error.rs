//! One class of `tokenloom.errors` for each kind of fault.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use tokenloom_core::Error;

/// The name of the class in `tokenloom.errors`; None for a lack of memory, which has a class of Python.
fn class_name(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::SpecJson { .. }
        | Error::SpecArrays { .. }
        | Error::Pattern { .. }
        | Error::MissingByte { .. }
        | Error::DuplicateToken { .. }
        | Error::MergePart { .. }
        | Error::MergePrefix { .. }
        | Error::MissingUnknown { .. }
        | Error::NoMerges { .. }
        | Error::NoProbabilities { .. }
        | Error::MergeResult { .. }
        | Error::DuplicateMerge { .. } => "SpecError",
        Error::PackedSection { .. } | Error::Run { .. } => "FormatError",
        Error::SpecialToken { .. } | Error::UnknownSpecialToken { .. } => "SpecialTokenError",
        Error::SpecialTokenInText { .. }
        | Error::MissingCharacter { .. }
        | Error::PieceTooLong { .. }
        | Error::SegmentationLimit { .. }
        | Error::PatternLimit { .. }
        | Error::NormalizerLimit { .. } => "EncodeError",
        Error::UnknownId { .. } | Error::DecoderLimit { .. } => "DecodeError",
        Error::Growth { part: "decoder", .. } => "DecodeError",
        Error::Growth { .. } => "EncodeError",
        Error::CountOverflow { .. }
        | Error::TooManyPretokens { .. }
        | Error::MissingPositions
        | Error::PretokenLimit { .. }
        | Error::MissingPair { .. } => "TrainingError",
        Error::InDocument { fault, .. } => return class_name(fault),
        Error::OutOfMemory { .. } => return None,
        Error::Interrupted | Error::UnknownSimd { .. } => "TokenloomError",
    })
}

/// The Python exception of a fault.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let message = error.to_string();
    class_name(error).map_or_else(|| PyMemoryError::new_err(message.clone()), |class| raise(py, class, &message))
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
