//! `tokenloom_core::pretokens::counter` for Python.

use pyo3::prelude::*;
use tokenloom_core::normalize::Normalizer;
use tokenloom_core::parallel;
use tokenloom_core::pretokens::changes::Changed;
use tokenloom_core::pretokens::counter::PretokenCounter as CoreCounter;
use tokenloom_core::spec::Pretokenizer;

use crate::counts::{PretokenCounts, WrittenRun};
use crate::pipe::Pipe;
use crate::slot::Slot;
use crate::text::Text;
use crate::{error, ticker};

/// A character, how often it was changed, and an example.
type ChangedCharacter = (char, u64, Vec<u8>, Vec<u8>);

/// Counts the pretokens of documents. Documents may arrive in blocks.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct PretokenCounter {
    core: Slot<CoreCounter>,
}

#[pymethods]
impl PretokenCounter {
    #[new]
    #[pyo3(signature = (pretokenizer_json, special_tokens, *, n_threads=None, max_pretoken_bytes=None, normalizer_json=None))]
    fn new(
        py: Python<'_>,
        pretokenizer_json: &str,
        special_tokens: Vec<String>,
        n_threads: Option<usize>,
        max_pretoken_bytes: Option<usize>,
        normalizer_json: Option<&str>,
    ) -> PyResult<Self> {
        let scanner = Pretokenizer::from_json(pretokenizer_json).and_then(|pretokenizer| pretokenizer.scanner());
        let n_threads = n_threads.unwrap_or_else(parallel::available);
        let core =
            scanner.and_then(|scanner| CoreCounter::new(scanner, &special_tokens, n_threads, max_pretoken_bytes));
        let core = core.and_then(|core| match normalizer_json {
            None => Ok(core),
            Some(json) => Normalizer::from_json(json).map(|normalizer| core.normalizing(normalizer)),
        });
        let core = core.map_err(|fault| error::to_python(py, &fault))?;
        let gone =
            "this counter is finished, at work or was interrupted, and counts no more. Begin again with a new one.";
        Ok(Self { core: Slot::new(core, "TrainingError", gone) })
    }

    /// Takes the next block of the document, and returns the number of bytes taken so far. `progress` is called with the
    /// bytes of this block that are done.
    #[pyo3(signature = (block, progress=None))]
    fn push(&self, block: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<u64> {
        let holder = Text::new(block, false)?;
        let bytes = holder.as_bytes()?;
        self.core.with(block.py(), progress, |core, tick| core.push(bytes, tick).map(|()| core.n_bytes()))
    }

    /// Ends the document.
    fn end_document(&self, py: Python<'_>) -> PyResult<()> {
        self.core.with(py, None, |core, _tick| {
            core.end_document();
            Ok(())
        })
    }

    /// Counts what is sure of the text so far, without waiting for more.
    fn count_held(&self, py: Python<'_>) -> PyResult<()> {
        self.core.with(py, None, |core, tick| core.count_held(tick))
    }

    /// Bytes of the text, and distinct pretokens that begin before: up to where the first run was written. None before that.
    #[getter]
    fn growth(&self, py: Python<'_>) -> PyResult<Option<Vec<(u64, u64)>>> {
        self.core.with(py, None, |core, _tick| Ok(core.growth().map(<[_]>::to_vec)))
    }

    /// The number of bytes that are counted: all but what more text could change, and what waits for more.
    #[getter]
    fn n_counted_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.core.with(py, None, |core, _tick| Ok(core.n_counted_bytes()))
    }

    /// The number of pretokens that were longer than `max_pretoken_bytes` and were cut into parts.
    #[getter]
    fn n_cut_pretokens(&self, py: Python<'_>) -> PyResult<u64> {
        self.core.with(py, None, |core, _tick| Ok(core.n_cut_pretokens()))
    }

    /// What the normalizer changed of the text that is counted: documents, characters, and for each character that a changed
    /// stretch ends with how often that was, and an example: a stretch and what took its place.
    #[getter]
    fn changes(&self, py: Python<'_>) -> PyResult<(u64, u64, Vec<ChangedCharacter>)> {
        self.core.with(py, None, |core, _tick| {
            let (n_docs, changes) = core.changes();
            let of = |(character, changed): (char, Changed)| {
                let (from, to) = changed.example;
                (character, changed.count, from, to)
            };
            Ok((n_docs, changes.n_chars, changes.by_character.into_iter().map(of).collect()))
        })
    }

    /// The most memory that counting takes up to the end of the next push, if that is no longer than the longest so far or
    /// 1 MiB, and to spill then.
    #[getter]
    fn memory_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.core.with(py, None, |core, _tick| Ok(core.memory_bytes()))
    }

    /// Counts what is sure, writes it as a run and forgets it.
    #[pyo3(signature = (write, *, has_positions))]
    fn spill(&self, py: Python<'_>, write: Py<PyAny>, has_positions: bool) -> PyResult<WrittenRun> {
        let pipe = Pipe::default();
        let spilt = self.core.with(py, None, |core, tick| core.spill(&mut pipe.writer(&write), has_positions, tick));
        pipe.outcome(spilt).map(WrittenRun::of)
    }

    /// Ends the last document, and writes what is left as a run.
    #[pyo3(signature = (write, *, has_positions))]
    fn finish_run(&self, py: Python<'_>, write: Py<PyAny>, has_positions: bool) -> PyResult<WrittenRun> {
        let pipe = Pipe::default();
        let spilt =
            self.core.with(py, None, |core, tick| core.finish_run(&mut pipe.writer(&write), has_positions, tick));
        pipe.outcome(spilt).map(WrittenRun::of)
    }

    /// The counts of all documents; the counter is then of no more use.
    fn finish(&self, py: Python<'_>) -> PyResult<PretokenCounts> {
        let core = self.core.take(py)?;
        ticker::run(py, None, |tick| core.finish(tick)).map(PretokenCounts::new)
    }
}
