//! Counts do not depend on how text arrives, on threads, or on when they are written down.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use tokenloom_core::error::{Error, Result};
use tokenloom_core::pretokens::counter::PretokenCounter;
use tokenloom_core::pretokens::counts::PretokenCounts;
use tokenloom_core::pretokens::merge::{PartOfCorpus, merge_runs};
use tokenloom_core::pretokens::run::{RunReader, RunWriter};
use tokenloom_core::scan::{Cl100kRules, Custom, Digits, Scanner};

fn no_tick(_amount: u64) -> Result<()> {
    Ok(())
}

fn counter(scanner: &Scanner, n_threads: usize, max_pretoken_bytes: Option<usize>) -> PretokenCounter {
    PretokenCounter::new(scanner.clone(), &["<s>".to_owned()], n_threads, max_pretoken_bytes).unwrap()
}

/// Text with many pretokens of all lengths, some longer than what is gathered at a time, and bytes that are no text.
fn text() -> Vec<u8> {
    let mut text = Vec::new();
    for n in 0..40_000_usize {
        let word = (n * 7919 % 10_007).to_string();
        text.extend_from_slice([" w", "é", "日本語の", "<s>", "\n\n", " \u{1F600}", "don't", "x "][n % 8].as_bytes());
        text.extend_from_slice(&word.as_bytes()[..word.len().min(n % 5)]);
        text.extend(std::iter::repeat_n([b'a', 0xFF, b'-'][n % 3], n % 60));
    }
    text.extend("日".repeat(500_000).as_bytes());
    text.extend_from_slice(b" end");
    text
}

fn finished(mut counter: PretokenCounter, text: &[u8], block_bytes: usize) -> (PretokenCounts, u64) {
    for block in text.chunks(block_bytes) {
        counter.push(block, &mut no_tick).unwrap();
    }
    counter.end_document();
    counter.count_held(&mut no_tick).unwrap();
    let n_cut = counter.n_cut_pretokens();
    (counter.finish(&mut no_tick).unwrap(), n_cut)
}

fn scanners() -> Vec<Scanner> {
    let custom = Custom::new(r"\w+|[^\w]+").unwrap();
    vec![Scanner::None, Scanner::Gpt2, Scanner::DeepseekV3, Scanner::Whitespace, Scanner::Custom(Arc::new(custom))]
}

#[test]
fn counts_depend_on_neither_blocks_nor_threads_nor_do_cuts() {
    let text = text();
    for scanner in scanners() {
        for limit in [None, Some(30), Some(1000)] {
            let expected = finished(counter(&scanner, 1, limit), &text, text.len());
            for (n_threads, block_bytes) in [(1, 100_003), (3, 1 << 20)] {
                let found = finished(counter(&scanner, n_threads, limit), &text, block_bytes);
                assert!(found == expected, "{scanner:?}, {limit:?}, {n_threads} threads, {block_bytes}");
            }
        }
    }
}

#[test]
fn parts_have_all_bytes_and_end_between_characters() {
    let text = text();
    for scanner in scanners() {
        let (whole, _) = finished(counter(&scanner, 1, None), &text, text.len());
        let (cut, n_cut) = finished(counter(&scanner, 1, Some(30)), &text, text.len());
        let n_bytes = |counts: &PretokenCounts| -> u64 {
            (0..counts.len()).map(|place| counts.pretoken(place).len() as u64 * counts.counts[place]).sum()
        };
        assert_eq!(n_bytes(&whole), n_bytes(&cut));
        assert!((0..cut.len()).all(|place| cut.pretoken(place).len() <= 30));
        let longer = (0..whole.len()).filter(|place| whole.pretoken(*place).len() > 30);
        assert_eq!(n_cut, longer.map(|place| whole.counts[place]).sum::<u64>());
        // A character is cut in two where a part begins with a byte of its inside, which invalid text never has here.
        assert!((0..cut.len()).all(|place| !matches!(cut.pretoken(place)[0], 0x80..=0xBF)));
    }
}

#[test]
fn spilt_runs_merge_to_what_is_counted_at_once() {
    let text = text();
    for (n_threads, limit) in [(1, None), (3, Some(30))] {
        let (expected, n_cut) = finished(counter(&Scanner::Gpt2, n_threads, limit), &text, text.len());
        let (mut spilling, mut runs) = (counter(&Scanner::Gpt2, n_threads, limit), Vec::new());
        for (number, block) in text.chunks(200_001).enumerate() {
            spilling.push(block, &mut no_tick).unwrap();
            if number % 2 == 0 {
                let mut run = Vec::new();
                spilling.spill(&mut appending(&mut run), true, &mut no_tick).unwrap();
                runs.push(run);
            }
        }
        let mut run = Vec::new();
        spilling.finish_run(&mut appending(&mut run), true, &mut no_tick).unwrap();
        runs.push(run);
        assert!(runs.len() > 5 && spilling.n_cut_pretokens() == n_cut);
        assert!(merged(&runs) == expected);
    }
}

fn appending(run: &mut Vec<u8>) -> impl FnMut(&[u8]) -> Result<()> {
    |bytes| {
        run.extend_from_slice(bytes);
        Ok(())
    }
}

fn reader(run: &[u8]) -> RunReader<'_> {
    let mut left = run;
    let read = move |target: &mut Vec<u8>, n_bytes: usize| {
        let (now, later) = left.split_at(left.len().min(n_bytes));
        target.extend_from_slice(now);
        left = later;
        Ok(())
    };
    RunReader::new(Box::new(read), true).unwrap()
}

fn merged(runs: &[Vec<u8>]) -> PretokenCounts {
    let mut parts: Vec<_> = runs.iter().map(|run| PartOfCorpus::new(reader(run), 0, 1).unwrap()).collect();
    let mut run = Vec::new();
    merge_runs(&mut parts, RunWriter::new(&mut appending(&mut run), true), &mut no_tick).unwrap();
    PretokenCounts::from_run(reader(&run), true, 1, &mut no_tick).unwrap()
}

#[test]
fn a_spill_leaves_nothing_but_text_that_is_not_sure() {
    let mut counter = counter(&Scanner::Gpt2, 1, None);
    counter.push(b"one two", &mut no_tick).unwrap();
    let before = counter.memory_bytes();
    let first = counter.spill(&mut |_| Ok(()), false, &mut no_tick).unwrap();
    let last = counter.finish_run(&mut |_| Ok(()), false, &mut no_tick).unwrap();
    assert_eq!((first.n_pretokens, last.n_pretokens), (1, 1));
    assert!(counter.memory_bytes() <= before);
}

#[test]
fn text_that_is_held_is_one_pretoken() {
    let rules = |digits| Cl100kRules { digits, whole_end: true };
    let named = [Scanner::Gpt2, Scanner::Starcoder, Scanner::Cl100k(rules(Digits::UpTo(3))), Scanner::DeepseekV3];
    let others = [Scanner::None, Scanner::Whitespace, Scanner::Metaspace, Scanner::Bert];
    let units = [" ", "\n", "\r", "a", "A", "É", "中", "1", "'s", "\t", ".", "\u{301}", "\u{a0}", "/"];
    for scanner in named.into_iter().chain(others) {
        assert!(scanner.holds_one_piece());
        for (one, other) in units.iter().flat_map(|one| units.map(|other| (one, other))) {
            let text = one.repeat(2000) + &other.repeat(2000);
            let mut ends = Vec::new();
            let at = scanner.scan(text.as_bytes(), 0, text.len(), false, &mut ends).unwrap();
            for more in ["", "x", " ", "\n", "1", "'s", "\u{301}"] {
                let held = [&text.as_bytes()[at..], more.as_bytes()].concat();
                ends.clear();
                scanner.scan(&held, 0, held.len(), true, &mut ends).unwrap();
                assert!(ends.len() <= 4, "{scanner:?}, {one:?}, {other:?}, {more:?}: {}", ends.len());
            }
        }
    }
    assert!(!Scanner::Cl100k(rules(Digits::ThreesFromRight)).holds_one_piece());
}

#[test]
fn a_part_must_have_room_for_a_character_and_be_no_book() {
    for (max_bytes, is_possible) in [(3, false), (4, true), (65_536, true), (65_537, false), (usize::MAX, false)] {
        let refused = PretokenCounter::new(Scanner::Gpt2, &[], 1, Some(max_bytes)).err();
        let expected = Error::PretokenLimit { max_bytes, most_bytes: 65_536 };
        assert_eq!(refused, (!is_possible).then_some(expected));
    }
}

#[test]
fn a_run_is_the_same_by_any_number_of_threads_whatever_the_length_of_its_pretokens() {
    let mut text = Vec::new();
    for n in 0..60_000_usize {
        text.extend_from_slice(format!(" w{}", n * 7919 % 30_011).as_bytes());
        if n % 1000 == 0 {
            text.extend_from_slice(format!(" long{}", n % 7).as_bytes());
            text.extend(std::iter::repeat_n(b'y', n * 7));
        }
    }
    for has_positions in [false, true] {
        let runs = [1, 2, 3].map(|n_threads| {
            let (mut run, mut counter) = (Vec::new(), counter(&Scanner::Whitespace, n_threads, None));
            counter.push(&text, &mut no_tick).unwrap();
            let mut write = |bytes: &[u8]| {
                run.extend_from_slice(bytes);
                Ok(())
            };
            let sums = counter.finish_run(&mut write, has_positions, &mut no_tick).unwrap();
            let growth = counter.growth().unwrap().to_vec();
            (run, sums, growth)
        });
        assert!(runs[0].1.n_pretokens > 30_000);
        assert!(runs[1] == runs[0] && runs[2] == runs[0]);
    }
}
