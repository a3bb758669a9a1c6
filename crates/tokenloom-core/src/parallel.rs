//! Scoped threads for one call: units of work by an atomic counter, results in the order of the units.
//!
//! No pool outlives a call (a pool hangs after a fork). The calling thread works too, and it alone calls the tick, so
//! the tick may be anything that must run on the caller's thread.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::Tick;
use crate::error::{Error, Result};

/// How long the caller's thread waits for the others between two ticks.
const WAIT: Duration = Duration::from_millis(50);

/// The number of threads that run at the same time on this machine.
pub fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Groups neighbouring items, of which the sizes are given, into units of about `unit_bytes`.
pub fn group(sizes: impl IntoIterator<Item = usize>, unit_bytes: usize) -> Vec<Range<usize>> {
    let (mut units, mut start, mut end, mut bytes) = (Vec::new(), 0, 0, 0);
    for size in sizes {
        end += 1;
        bytes += size;
        if bytes >= unit_bytes {
            units.push(start..end);
            (start, bytes) = (end, 0);
        }
    }
    if start < end {
        units.push(start..end);
    }
    units
}

/// Applies `work` to every unit on up to `n_threads` threads. The first error ends the call.
pub fn map<U: Sync, R: Send>(
    units: &[U],
    n_threads: usize,
    work: impl Fn(&U, Tick<'_>) -> Result<R> + Sync,
    tick: Tick<'_>,
) -> Result<Vec<R>> {
    let mut states = vec![(); n_threads.clamp(1, units.len().max(1))];
    map_with(units, &mut states, |(), unit, tick| work(unit, tick), tick)
}

/// As `map`, with one thread for each of `states`, which that thread alone may change; there must be one at least.
///
/// Of several errors that of the first unit is returned, however the units fell to the threads: units are taken in
/// order, and one that was taken is finished even if another has failed meanwhile.
pub fn map_with<U: Sync, S: Send, R: Send>(
    units: &[U],
    states: &mut [S],
    work: impl Fn(&mut S, &U, Tick<'_>) -> Result<R> + Sync,
    tick: Tick<'_>,
) -> Result<Vec<R>> {
    let shared = Shared::new(units);
    let Some((own_state, other_states)) = states.split_first_mut() else { return Ok(Vec::new()) };
    let mut results = thread::scope(|scope| {
        let (shared, work) = (&shared, &work);
        let mut workers = Vec::new();
        for state in other_states {
            let running = Running::new(shared);
            let work_on = move || {
                let _running = running;
                shared.run(state, work, &mut |amount| shared.note(amount))
            };
            // Where the system gives no further thread, those that are there do all the work.
            let Ok(worker) = thread::Builder::new().spawn_scoped(scope, work_on) else { break };
            workers.push(worker);
        }
        let mut results = shared.run(own_state, work, &mut |amount| shared.report(amount, tick));
        while shared.running.load(Ordering::Acquire) > 0 {
            thread::park_timeout(WAIT);
            if let Err(error) = shared.report(0, tick) {
                results.push((0, Err(error)));
            }
        }
        for worker in workers {
            results.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(place, result)| (matches!(result, Err(Error::Interrupted)), *place));
    shared.report(0, tick)?;
    results.into_iter().map(|(_, result)| result).collect()
}

/// What the threads of one call share.
struct Shared<'a, U> {
    units: &'a [U],
    next: AtomicUsize,
    /// A unit has failed: take no more.
    failed: AtomicBool,
    /// The caller wants to stop: leave even the unit at hand.
    interrupted: AtomicBool,
    /// Work done by the other threads that the caller's thread has not reported yet.
    done: AtomicU64,
    /// The other threads that still work.
    running: AtomicUsize,
    caller: Thread,
}

impl<'a, U> Shared<'a, U> {
    fn new(units: &'a [U]) -> Self {
        let (failed, interrupted) = (AtomicBool::new(false), AtomicBool::new(false));
        let (next, running) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { units, next, failed, interrupted, done: AtomicU64::new(0), running, caller: thread::current() }
    }

    /// Works until no unit is left or one has failed.
    fn run<S, R>(
        &self,
        state: &mut S,
        work: &impl Fn(&mut S, &U, Tick<'_>) -> Result<R>,
        tick: Tick<'_>,
    ) -> Vec<(usize, Result<R>)> {
        let mut results = Vec::new();
        while !self.failed.load(Ordering::Relaxed) {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = self.units.get(place) else { break };
            let result = work(state, unit, tick);
            if result.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            results.push((place, result));
        }
        results
    }

    /// The tick of a thread that is not the caller's.
    fn note(&self, amount: u64) -> Result<()> {
        self.done.fetch_add(amount, Ordering::Relaxed);
        if self.interrupted.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// The tick of the caller's thread.
    fn report(&self, amount: u64, tick: Tick<'_>) -> Result<()> {
        let result = tick(amount + self.done.swap(0, Ordering::Relaxed));
        if result.is_err() {
            self.failed.store(true, Ordering::Relaxed);
            self.interrupted.store(true, Ordering::Relaxed);
        }
        result
    }
}

/// Counts a thread as running for as long as this value lives, even if the thread panics or is never started.
struct Running<'a, 'u, U>(&'a Shared<'u, U>);

impl<'a, 'u, U> Running<'a, 'u, U> {
    fn new(shared: &'a Shared<'u, U>) -> Self {
        shared.running.fetch_add(1, Ordering::AcqRel);
        Self(shared)
    }
}

impl<U> Drop for Running<'_, '_, U> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
        self.0.caller.unpark();
    }
}
