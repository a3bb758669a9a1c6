//! The compiled module `tokenloom._core`: converts values, releases the interpreter lock, maps errors. Nothing else.

use pyo3::prelude::*;

mod arrow;
mod convert;
mod cores;
mod counting;
mod counts;
mod decode_stream;
mod documents;
mod dropout;
mod error;
mod into;
mod ints;
mod loading;
mod model_training;
mod numpy;
mod offsets;
mod other_cuts;
mod packed;
mod pipe;
mod pipeline;
mod segmentations;
mod slot;
mod start;
mod text;
mod text_encoder;
mod ticker;
mod training;
mod words;

/// The compiled core of tokenloom.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::cores::available_cores;
    #[pymodule_export]
    use super::counting::PretokenCounter;
    #[pymodule_export]
    use super::counts::{PretokenCounts, WrittenRun, merge_runs, run_histogram};
    #[pymodule_export]
    use super::decode_stream::DecodeStream;
    #[pymodule_export]
    use super::documents::DocumentEncoder;
    #[pymodule_export]
    use super::dropout::{encode_batch_with_dropout, encode_with_dropout};
    #[pymodule_export]
    use super::loading::{
        HfFile, first_fall, highest, is_utf8, read_rank_file, read_sentencepiece, read_tekken, token_halves,
    };
    #[pymodule_export]
    use super::model_training::{UnigramTrainer, WordpieceTrainer};
    #[pymodule_export]
    use super::other_cuts::OtherCuts;
    #[pymodule_export]
    use super::packed::{model_arrays, open_packed, pack, packed_layout, section_checksum};
    #[pymodule_export]
    use super::pipeline::{EncodeStream, Pipeline};
    #[pymodule_export]
    use super::segmentations::{encode_n_best, encode_sampled, log_probability, segmentation_entropy};
    #[pymodule_export]
    use super::start::Start;
    #[pymodule_export]
    use super::text_encoder::TextEncoder;
    #[pymodule_export]
    use super::training::Trainer;
    #[pymodule_export]
    use super::words::is_number;
}
