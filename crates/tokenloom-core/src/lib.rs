//! The loops of tokenloom that touch every byte. No Python and no file system here: bytes in, numbers out.
//!
//! Reading order: [`spec`] says what a tokenizer is, [`pipeline`] builds one and runs it; [`driver`] carries text through
//! [`specials`], [`scan`] and a sink; [`bpe`] encodes, counts and trains.

pub mod bpe;
pub mod driver;
pub mod error;
mod hash;
pub mod parallel;
pub mod pipeline;
pub mod scan;
pub mod spec;
pub mod specials;
pub mod vocab;

pub use error::{Error, Result};

/// Called now and then during long work, with the number of bytes or steps done since the last call. An error from it
/// ends the work.
pub type Tick<'a> = &'a mut dyn FnMut(u64) -> Result<()>;
