//! The loops of tokenloom that touch every byte. No Python and no file system here: bytes in, numbers out.
//!
//! Reading order: [`spec`] says what a tokenizer is, [`pipeline`] builds one of a [`source`] and runs it; [`driver`] carries text through
//! [`search`], [`scan`] and a sink, [`layers`] through [`normalize`] and [`chain`] between them, or [`bert`] in the place
//! of both, and [`alignment`] says where
//! what they changed came from, which [`offsets`] carry back; [`bpe`] encodes and trains on
//! what [`pretokens`] counts, [`wordpiece`], [`unigram`] and [`words`] encode otherwise, and [`decode`] leads back.
//! [`dropout`] encodes with merges left out by chance, [`other_cuts`] by the lengths of tokens alone, and [`segmentations`]
//! with the other ways of a unigram model.
//! [`explain`] says why a text is cut where it is. [`documents`] gathers what arrives in blocks for counting and for
//! [`document_encoder`]. [`batch`] encodes many texts at once, [`text_encoder`] a long one. [`reading`] turns the files of
//! other libraries into arrays, and [`packed`] takes ready-made tables from ours.

pub mod alignment;
pub mod batch;
pub mod bert;
pub mod bpe;
mod byte_characters;
mod byte_tokens;
pub mod chain;
pub mod decode;
pub mod decode_stream;
mod dice;
pub mod document_encoder;
pub mod documents;
mod draft;
pub mod driver;
pub mod dropout;
pub mod encoder;
pub mod error;
pub mod explain;
mod gather;
mod growth;
mod hash;
mod id_sink;
pub mod layers;
mod lower_case;
pub mod matcher;
pub mod memory;
mod new_units;
mod normal_forms;
pub mod normal_runs;
pub mod normalize;
pub mod offsets;
pub mod other_cuts;
pub mod packed;
pub mod parallel;
pub mod pipeline;
mod pool;
pub mod pretokens;
pub mod reading;
mod replace;
pub mod scan;
pub mod search;
pub mod segmentations;
pub mod sentencepiece;
pub mod source;
pub mod spec;
pub mod specials;
pub mod text_encoder;
pub mod unigram;
pub mod vocab;
mod wording;
pub mod wordpiece;
pub mod words;

pub use error::{Error, Result};

/// Called now and then during long work, with the number of bytes or steps done since the last call. An error from it
/// ends the work.
pub type Tick<'a> = &'a mut dyn FnMut(u64) -> Result<()>;
