//! Runs are read as they were written, however they arrive, and merge with checked sums.
#![allow(missing_docs, clippy::unwrap_used)]

use tokenloom_core::error::{Error, Result};
use tokenloom_core::pretokens::counts::{PretokenCounts, run_histogram};
use tokenloom_core::pretokens::merge::{PartOfCorpus, merge_runs};
use tokenloom_core::pretokens::run::{Read, RunFault, RunReader, RunWriter, Sums};

const LARGE: u64 = u64::MAX;

fn no_tick(_amount: u64) -> Result<()> {
    Ok(())
}

/// The bytes, so many at a time.
fn reading(run: &[u8], n_at_once: usize) -> Read<'_> {
    let mut parts = run.chunks(n_at_once);
    Box::new(move |target, _wanted| {
        target.extend_from_slice(parts.next().unwrap_or_default());
        Ok(())
    })
}

fn counts(pairs: &[(&[u8], u64)]) -> PretokenCounts {
    PretokenCounts::from_pairs(pairs.iter().copied(), &mut no_tick).unwrap()
}

fn written(counts: &PretokenCounts) -> Vec<u8> {
    let mut run = Vec::new();
    let mut write = |bytes: &[u8]| {
        run.extend_from_slice(bytes);
        Ok(())
    };
    counts.write_run(&mut write, true, &mut no_tick).unwrap();
    run
}

fn read(run: &[u8], n_at_once: usize) -> Result<PretokenCounts> {
    let reader = RunReader::new(reading(run, n_at_once), true)?;
    PretokenCounts::from_run(reader, true, 1, &mut no_tick)
}

/// What a merge makes of runs with shifts and multipliers.
fn merged(parts: &[(&[u8], u64, u64)]) -> Result<(PretokenCounts, Sums)> {
    let mut run = Vec::new();
    let mut write = |bytes: &[u8]| {
        run.extend_from_slice(bytes);
        Ok(())
    };
    let part = |(run, shift, multiplier): &(&'static [u8], u64, u64)| {
        PartOfCorpus::new(RunReader::new(reading(run, 3), true)?, *shift, *multiplier)
    };
    let parts: Vec<_> =
        parts.iter().map(|(run, shift, multiplier)| (run.to_vec().leak() as &[u8], *shift, *multiplier)).collect();
    let mut parts = parts.iter().map(part).collect::<Result<Vec<_>>>()?;
    let sums = merge_runs(&mut parts, RunWriter::new(&mut write, true), &mut no_tick)?;
    Ok((read(&run, usize::MAX)?, sums))
}

#[test]
fn a_run_is_read_as_it_was_written_in_parts_of_any_size() {
    let long = b"long ".repeat(1 << 18);
    let longer = [long.as_slice(), b"x"].concat();
    let all =
        counts(&[(b"a", 1), (b"\0", LARGE), (b"ab", 128), (&long, 2), (b"a\0", 5), (&longer, 1), (b"\xff\xff", 127)]);
    let run = written(&all);
    for n_at_once in [1, 2, 1000, 1 << 17, usize::MAX] {
        assert_eq!(read(&run, n_at_once).unwrap(), all);
    }
}

#[test]
fn runs_are_written_in_chunks_of_a_megabyte() {
    let long = b"long ".repeat(1 << 20);
    let mut lengths = Vec::new();
    let mut write = |bytes: &[u8]| {
        lengths.push(bytes.len());
        Ok(())
    };
    counts(&[(&long, 1)]).write_run(&mut write, false, &mut no_tick).unwrap();
    let (last, others) = lengths.split_last().unwrap();
    assert!(others.len() == 5 && others.iter().all(|length| *length == 1 << 20) && *last < 1 << 20);
}

#[test]
fn every_cut_run_is_refused_or_ends_at_a_record() {
    let run = written(&counts(&[(b"low", 300), (b"lower", 1), (b"x", 2)]));
    let n_whole = (0..run.len()).filter(|end| read(&run[..*end], 2).is_ok()).count();
    assert_eq!(n_whole, 3, "before the first record, behind the first and behind the second");
}

#[test]
fn a_record_that_promises_gigabytes_takes_no_memory() {
    let run = [b"\x00".as_slice(), &[0xFF; 8], b"\x7F", b"abc"].concat();
    let fault = read(&run, 1).unwrap_err();
    assert_eq!(fault, Error::Run { run: None, byte_offset: 0, fault: RunFault::Cut });
}

#[test]
fn faults_say_the_byte_of_their_record() {
    let good = written(&counts(&[(b"low", 300)]));
    let next: [(&[u8], RunFault); 5] = [
        (b"\x04\x01x\x01\x00", RunFault::Shared { n_bytes: 4, n_before: 3 }),
        (b"\x02\x02wx\x01\x00", RunFault::NotShared { pretoken: b"lowx".to_vec() }),
        (b"\x03\x00\x01\x00", RunFault::Double { pretoken: b"low".to_vec() }),
        (b"\x00\x01a\x01\x00", RunFault::Order { pretoken: b"a".to_vec() }),
        (b"\x03\x01x\x80\x00\x00", RunFault::Number),
    ];
    for (record, fault) in next {
        let expected = Error::Run { run: None, byte_offset: good.len() as u64, fault };
        assert_eq!(read(&[good.as_slice(), record].concat(), 1).unwrap_err(), expected);
    }
}

#[test]
fn merged_counts_are_multiplied_and_positions_are_moved() {
    let (one, other) = (written(&counts(&[(b"the", 2), (b"cat", 1)])), written(&counts(&[(b"hat", 4), (b"the", 1)])));
    let (all, sums) = merged(&[(&one, 10, 3), (&other, 0, 1)]).unwrap();
    let expected: [(&[u8], u64, u64); 3] = [(b"cat", 3, 11), (b"hat", 4, 0), (b"the", 7, 1)];
    for (place, (pretoken, count, first)) in expected.into_iter().enumerate() {
        assert_eq!((all.pretoken(place), all.counts[place], all.first_positions[place]), (pretoken, count, first));
    }
    assert_eq!((sums.n_pretokens, sums.n_bytes, sums.n_occurrences), (3, 42, 14));
}

#[test]
fn sums_products_and_positions_beyond_64_bits_are_refused_by_name() {
    let large = written(&counts(&[(b"the", LARGE)]));
    let late = written(&counts(&[(b"a", 1), (b"the", 1)]));
    let parts: [&[(&[u8], u64, u64)]; 3] = [&[(&large, 0, 1), (&late, 0, 1)], &[(&large, 0, 2)], &[(&late, LARGE, 1)]];
    for parts in parts {
        assert_eq!(merged(parts).unwrap_err(), Error::CountOverflow { bytes: b"the".to_vec() });
    }
}

#[test]
fn a_fault_in_one_of_several_runs_says_which() {
    let good = written(&counts(&[(b"a", 1), (b"b", 1)]));
    let fault = merged(&[(&good, 0, 1), (&good[..good.len() - 1], 0, 1)]).unwrap_err();
    assert!(matches!(fault, Error::Run { run: Some(1), byte_offset: 5, fault: RunFault::Cut }), "{fault}");
}

#[test]
fn counts_without_positions_neither_give_nor_write_them() {
    let run = written(&counts(&[(b"a", 1)]));
    let known = PretokenCounts::from_run(RunReader::new(reading(&run[..4], 1), false).unwrap(), false, 1, &mut no_tick);
    let known = known.unwrap();
    assert!(!known.has_positions());
    assert_eq!(known.write_run(&mut |_| Ok(()), true, &mut no_tick).unwrap_err(), Error::MissingPositions);
}

#[test]
fn a_histogram_joins_large_counts() {
    let run = written(&counts(&[(b"a", 1), (b"bb", 1), (b"c", 1000), (b"d", 1001), (b"ee", LARGE)]));
    let rows = run_histogram(RunReader::new(reading(&run, 3), true).unwrap(), &mut no_tick).unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.count, row.n_pretokens, row.n_bytes)).collect();
    assert_eq!(rows, [(1, 2, 3), (1000, 1, 1), (1001, 2, 3)]);
}
