//! What the caller of parallel work may rely on, however the units fall to the threads.
#![allow(missing_docs)]

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tokenloom_core::{Error, Result, Tick, parallel};

const SHORT: Duration = Duration::from_millis(1);

/// The other thread holds its first unit until the caller's thread has failed with a later one.
#[test]
fn of_two_errors_that_of_the_first_unit_is_returned() {
    let caller = thread::current().id();
    let (held, failed) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
    let work = |unit: &usize, _: Tick<'_>| -> Result<()> {
        if thread::current().id() == caller {
            thread::sleep(SHORT);
            if held.load(Ordering::SeqCst) > *unit {
                return Ok(());
            }
            failed.store(1, Ordering::SeqCst);
        } else {
            held.store(*unit, Ordering::SeqCst);
            while failed.load(Ordering::SeqCst) == 0 {
                thread::sleep(SHORT);
            }
        }
        Err(Error::PieceTooLong { length_bytes: *unit })
    };
    let units: Vec<usize> = (0..10_000).collect();
    let result = parallel::map(&units, 2, work, &mut |_| Ok(()));
    assert_eq!(result, Err(Error::PieceTooLong { length_bytes: held.into_inner() }));
}

/// The caller's thread ends after the other one, and without a tick of its own.
#[test]
fn the_last_work_of_every_thread_is_reported() {
    let caller = thread::current().id();
    let (noted, mut reported) = (AtomicU64::new(0), 0);
    let work = |(): &(), tick: Tick<'_>| {
        if thread::current().id() != caller {
            tick(7)?;
            noted.fetch_add(7, Ordering::SeqCst);
            return Ok(());
        }
        while noted.load(Ordering::SeqCst) == 0 {
            thread::sleep(SHORT);
        }
        thread::sleep(50 * SHORT);
        Ok(())
    };
    let report = &mut |amount| {
        reported += amount;
        Ok(())
    };
    assert!(parallel::map(&[(), ()], 2, work, report).is_ok());
    assert_eq!(reported, noted.into_inner());
}

#[test]
fn an_interruption_ends_even_the_units_at_hand() {
    let (taken, n_finished) = (Barrier::new(2), AtomicUsize::new(0));
    let work = |(): &(), tick: Tick<'_>| {
        taken.wait();
        for _ in 0..2000 {
            tick(1)?;
            thread::sleep(SHORT);
        }
        n_finished.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let result = parallel::map(&[(), ()], 2, work, &mut |_| Err(Error::Interrupted));
    assert_eq!(result, Err(Error::Interrupted));
    assert_eq!(n_finished.into_inner(), 0);
}
