//! What long work does now and then: look for Ctrl-C and tell how far it is.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tokenloom_core::{Error, Result, Tick};

use crate::error;

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(50);

/// To encode a text of this length takes a few microseconds. Giving up the interpreter lock and taking it again would add
/// a tenth, and where other threads wait for it, far more.
const LEAST_DETACHED_BYTES: usize = 1 << 10;

/// Runs `work` without the interpreter lock. `progress` is called with the amount of work done so far. An exception that
/// it raises, or a signal handler, ends the work.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(Tick<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let mut watch = Watch { progress, ..Watch::default() };
    let result = py.detach(|| work(&mut |amount| watch.tick(amount)));
    watch.outcome(py, result)
}

/// Runs work on a text of this length, without the interpreter lock if that is worth it.
pub fn run_on<T: Send>(
    py: Python<'_>,
    text_bytes: usize,
    work: impl FnOnce(Tick<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    if text_bytes >= LEAST_DETACHED_BYTES {
        return run(py, None, work);
    }
    let mut watch = Watch::default();
    let result = work(&mut |amount| watch.tick(amount));
    watch.outcome(py, result)
}

#[derive(Default)]
struct Watch {
    progress: Option<Py<PyAny>>,
    done: u64,
    n_ticks: u32,
    /// When the last look was. The clock is first read at the second tick: short work has one, and reading the clock
    /// would be a part of its time.
    last: Option<Instant>,
    raised: Option<PyErr>,
}

impl Watch {
    #[inline]
    fn tick(&mut self, amount: u64) -> Result<()> {
        self.done += amount;
        self.n_ticks = self.n_ticks.saturating_add(1);
        if self.n_ticks == 1 { Ok(()) } else { self.look() }
    }

    #[inline(never)]
    fn look(&mut self) -> Result<()> {
        if self.last.get_or_insert_with(Instant::now).elapsed() < INTERVAL {
            return Ok(());
        }
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (self.done,)).map(|_| ()))
        });
        self.last = Some(Instant::now());
        outcome.map_err(|exception| {
            self.raised = Some(exception);
            Error::Interrupted
        })
    }

    #[inline]
    fn outcome<T>(self, py: Python<'_>, result: Result<T>) -> PyResult<T> {
        match (result, self.raised) {
            (_, Some(exception)) => Err(exception),
            (result, None) => result.map_err(|fault| error::to_python(py, &fault)),
        }
    }
}
