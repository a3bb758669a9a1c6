//! `tokenloom_core::pretokens::{counts, merge}` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokenloom_core::bpe::start_characters::{find_inner_mark, find_invalid};
use tokenloom_core::pretokens::counts::{self, PretokenCounts as CoreCounts, SameCount};
use tokenloom_core::pretokens::merge::{self, PartOfCorpus};
use tokenloom_core::pretokens::run::{RunReader, RunWriter, Sums};

use crate::pipe::Pipe;
use crate::{error, ticker};

/// How often each pretoken occurs.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct PretokenCounts {
    pub core: CoreCounts,
}

impl PretokenCounts {
    pub fn new(core: CoreCounts) -> Self {
        Self { core }
    }
}

#[pymethods]
impl PretokenCounts {
    /// Counts that are known already, in order of first occurrence.
    #[staticmethod]
    fn from_pairs(py: Python<'_>, pairs: Vec<(Bound<'_, PyBytes>, u64)>) -> PyResult<Self> {
        let pairs: Vec<_> = pairs.iter().map(|(pretoken, count)| (pretoken.as_bytes(), *count)).collect();
        Ok(Self { core: ticker::run(py, None, |tick| CoreCounts::from_pairs(pairs, tick))? })
    }

    /// The counts of a run, which `read(n)` gives in parts of about n bytes. Pretokens that occur less than `min_count`
    /// times are left out.
    #[staticmethod]
    #[pyo3(signature = (read, *, has_positions, min_count=1))]
    fn from_run(py: Python<'_>, read: Py<PyAny>, has_positions: bool, min_count: u64) -> PyResult<Self> {
        let pipe = Pipe::default();
        let counts = ticker::run(py, None, |tick| {
            let run = RunReader::new(pipe.reader(&read), has_positions)?;
            CoreCounts::from_run(run, has_positions, min_count, tick)
        });
        pipe.outcome(counts).map(Self::new)
    }

    /// Writes all as a run.
    #[pyo3(signature = (write, *, has_positions))]
    fn write_run(&self, py: Python<'_>, write: Py<PyAny>, has_positions: bool) -> PyResult<WrittenRun> {
        let pipe = Pipe::default();
        let sums = ticker::run(py, None, |tick| self.core.write_run(&mut pipe.writer(&write), has_positions, tick));
        pipe.outcome(sums).map(WrittenRun::of)
    }

    /// Bytes of the corpus, which has `n_corpus_bytes`, and distinct pretokens that begin before: from 64 KiB on eight points
    /// for each doubling. None if first positions are not known.
    #[pyo3(signature = (n_corpus_bytes, /))]
    fn growth(&self, n_corpus_bytes: u64) -> Vec<(u64, u64)> {
        self.core.growth(n_corpus_bytes)
    }

    /// The number of bytes of all distinct pretokens, each taken once.
    #[getter]
    fn n_symbols(&self) -> usize {
        self.core.bytes.len()
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    /// Pretokens and counts, in order of the bytes.
    fn items<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, u64)> {
        let pair = |place| (PyBytes::new(py, self.core.pretoken(place)), self.core.counts[place]);
        (0..self.core.len()).map(pair).collect()
    }

    /// The first pretoken, in order of the bytes, that has the mark of the end of a word before its end.
    fn find_inner_mark<'py>(&self, py: Python<'py>, mark: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = ticker::run(py, None, |tick| find_inner_mark(&self.core, mark, tick))?;
        Ok(found.map(|pretoken| PyBytes::new(py, pretoken)))
    }

    /// The first pretoken, in order of the bytes, that is no UTF-8.
    fn find_invalid<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = ticker::run(py, None, |tick| find_invalid(&self.core, tick))?;
        Ok(found.map(|pretoken| PyBytes::new(py, pretoken)))
    }

    /// The number of bytes of the corpus that the counts stand for.
    #[getter]
    fn n_bytes(&self) -> u128 {
        let length = |place| self.core.pretoken(place).len() as u128 * u128::from(self.core.counts[place]);
        (0..self.core.len()).map(length).sum()
    }
}

/// How many distinct pretokens have each count, and their bytes, in a run that `read(n)` gives in parts of about n bytes.
/// Counts above 1,000 are joined in the last, as 1,001.
#[pyfunction]
#[pyo3(signature = (read, *, has_positions))]
pub fn run_histogram(py: Python<'_>, read: Py<PyAny>, has_positions: bool) -> PyResult<Vec<(u64, u64, u64)>> {
    let pipe = Pipe::default();
    let rows = ticker::run(py, None, |tick| {
        RunReader::new(pipe.reader(&read), has_positions).and_then(|run| counts::run_histogram(run, tick))
    });
    let told = |row: SameCount| (row.count, row.n_pretokens, row.n_bytes);
    pipe.outcome(rows).map(|rows| rows.into_iter().map(told).collect())
}

/// What the records of a run are together that was written.
#[pyclass(frozen, get_all, module = "tokenloom._core")]
pub struct WrittenRun {
    n_pretokens: u64,
    n_bytes: u128,
    n_occurrences: u128,
}

impl WrittenRun {
    pub fn of(sums: Sums) -> Self {
        let Sums { n_pretokens, n_bytes, n_occurrences } = sums;
        Self { n_pretokens, n_bytes, n_occurrences }
    }
}

/// Writes one run of many. The text of each begins `shifts` bytes behind the start of the corpus and counts `multipliers`
/// times. `progress` is called with the bytes read.
#[pyfunction]
#[pyo3(signature = (reads, write, *, has_positions, shifts, multipliers, progress=None))]
pub fn merge_runs(
    py: Python<'_>,
    reads: Vec<Py<PyAny>>,
    write: Py<PyAny>,
    has_positions: bool,
    shifts: Vec<u64>,
    multipliers: Vec<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<WrittenRun> {
    check_parts(py, reads.len(), &shifts, &multipliers)?;
    let pipe = Pipe::default();
    let merged = ticker::run(py, progress, |tick| {
        let mut parts = Vec::new();
        for (index, read) in reads.iter().enumerate() {
            let run = RunReader::new(pipe.reader(read), has_positions).map_err(|fault| fault.in_run(index))?;
            parts.push(PartOfCorpus::new(run, shifts[index], multipliers[index])?);
        }
        let mut write = pipe.writer(&write);
        merge::merge_runs(&mut parts, RunWriter::new(&mut write, has_positions), tick)
    });
    pipe.outcome(merged).map(WrittenRun::of)
}

fn check_parts(py: Python<'_>, n_runs: usize, shifts: &[u64], multipliers: &[u64]) -> PyResult<()> {
    let (n_shifts, n_multipliers) = (shifts.len(), multipliers.len());
    if n_shifts != n_runs || n_multipliers != n_runs {
        let message = format!(
            "{n_runs} runs have {n_shifts} shifts and {n_multipliers} multipliers. Give one of each for every run."
        );
        return Err(error::raise(py, "TrainingError", &message));
    }
    match multipliers.iter().position(|multiplier| *multiplier == 0) {
        Some(run) => {
            let message = format!("the multiplier of run {run} is 0. Leave the run out, or multiply by 1 or more.");
            Err(error::raise(py, "TrainingError", &message))
        }
        None => Ok(()),
    }
}
