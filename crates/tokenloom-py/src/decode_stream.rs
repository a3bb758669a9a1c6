//! `tokenloom_core::decode_stream` for Python.

use pyo3::prelude::*;
use tokenloom_core::decode;
use tokenloom_core::decode_stream::DecodeFeed;

use crate::convert;
use crate::pipeline::Pipeline;
use crate::slot::Slot;
use crate::ticker;

const GONE: &str =
    "this stream is at work or ended with an error, and its text is not whole. Begin again from the start.";

/// The text of ids that come a few at a time, where the decoder has steps.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct DecodeStream {
    pipeline: Py<Pipeline>,
    feed: Slot<DecodeFeed>,
}

#[pymethods]
impl DecodeStream {
    #[new]
    fn new(pipeline: Py<Pipeline>) -> Self {
        let feed = DecodeFeed::new(pipeline.get().core().decoder());
        Self { pipeline, feed: Slot::new(feed, "DecodeError", GONE) }
    }

    /// The text that is sure after these ids. Errors count positions from `n_before` on; an id without a token leaves the
    /// stream as it is.
    fn push(&self, ids: &Bound<'_, PyAny>, n_before: usize) -> PyResult<String> {
        let (py, core) = (ids.py(), self.pipeline.get().core());
        let ids = convert::ids(ids, n_before)?;
        let check = |tick: tokenloom_core::Tick<'_>| {
            decode::joined(core.vocabulary(), &ids, tick).map_err(|fault| fault.behind(n_before as u64))
        };
        ticker::run(py, None, check)?;
        self.feed.with(py, None, |feed, _| feed.push(core.decoder(), core.vocabulary(), &ids))
    }

    /// The text of what is held back; the stream is then as new.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let core = self.pipeline.get().core();
        self.feed.with(py, None, |feed, _| feed.finish(core.decoder()))
    }

    /// What holds the same back, and goes on by itself.
    fn copied(&self, py: Python<'_>) -> PyResult<Self> {
        let feed = self.feed.with(py, None, |feed, _| Ok(feed.clone()))?;
        Ok(Self { pipeline: self.pipeline.clone_ref(py), feed: Slot::new(feed, "DecodeError", GONE) })
    }
}
