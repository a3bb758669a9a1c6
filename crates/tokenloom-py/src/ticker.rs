//! What long work does now and then: look for Ctrl-C and tell how far it is.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tokenloom_core::{Error, Result, Tick};

use crate::error;

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` without the interpreter lock. `progress` is called with the amount of work done so far. An exception that
/// it raises, or a signal handler, ends the work.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(Tick<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let mut raised = None;
    let (mut done, mut last) = (0, Instant::now());
    let mut tick = |amount: u64| {
        done += amount;
        if last.elapsed() < INTERVAL {
            return Ok(());
        }
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done,)).map(|_| ()))
        });
        last = Instant::now();
        outcome.map_err(|exception| {
            raised = Some(exception);
            Error::Interrupted
        })
    };
    let result = py.detach(|| work(&mut tick));
    match (result, raised) {
        (_, Some(exception)) => Err(exception),
        (result, None) => result.map_err(|fault| error::to_python(py, &fault)),
    }
}
