//! Pretokens with a limit depend on their windows alone: on no cut between texts, and on nothing that is far away.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use tokenloom_core::error::Result;
use tokenloom_core::pretokens::counter::PretokenCounter;
use tokenloom_core::pretokens::parts::{Before, LOOK_BYTES, Limit, Limited};
use tokenloom_core::scan::{Cl100kRules, Custom, Digits, O200kRules, Scanner};

fn no_tick(_amount: u64) -> Result<()> {
    Ok(())
}

fn named() -> Vec<Scanner> {
    let cl100k = |digits, whole_end| Scanner::Cl100k(Cl100kRules { digits, whole_end });
    vec![
        Scanner::None,
        Scanner::Gpt2,
        Scanner::Starcoder,
        cl100k(Digits::UpTo(3), true),
        cl100k(Digits::UpTo(1), false),
        cl100k(Digits::ThreesFromRight, true),
        Scanner::O200k(O200kRules { contractions: true, digits: 3 }),
        Scanner::DeepseekV3,
        Scanner::Whitespace,
        Scanner::Metaspace,
        Scanner::Bert,
    ]
}

fn custom(pattern: &str) -> Scanner {
    Scanner::Custom(Arc::new(Custom::new(pattern).unwrap()))
}

/// Runs, some of them longer than a window, of what patterns tell apart.
fn texts() -> impl Iterator<Item = Vec<u8>> {
    const UNITS: [&[u8]; 18] = [
        b" ",
        b"\n",
        b"\t",
        b"a",
        b"B",
        b"1",
        b"'",
        b"s",
        b"!",
        b"/",
        b"\xFF",
        b"\xE4\xBD",
        b" \n",
        b"\xCC\x81",
        b"\xC3\x89",
        b"\xE4\xB8\xAD",
        b"\xE3\x80\x80",
        b"\xF0\x9F\x98\x80",
    ];
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    (0..12).map(move |_| {
        let mut text = Vec::new();
        for _ in 0..12 {
            let (unit, times) = (UNITS[random(UNITS.len())], [1, 1, 2, 9, 40, 3000][random(6)]);
            text.extend(unit.repeat(times));
        }
        text
    })
}

fn limited(scanner: &Scanner, text: &[u8], max_bytes: usize) -> Vec<usize> {
    let (mut ends, mut limited) = (Vec::new(), Limited::new(Limit::new(max_bytes).unwrap(), Before::default()));
    let end = limited.scan(scanner, text, 0..text.len(), true, &mut ends, &mut no_tick).unwrap();
    assert_eq!((end, ends.last().copied().unwrap_or(0)), (text.len(), text.len()));
    ends
}

#[test]
fn a_safe_cut_is_one_with_a_limit_too() {
    let mut n_cuts = 0;
    for text in texts().take(6) {
        for scanner in named() {
            for max_bytes in [7, 100] {
                let whole = limited(&scanner, &text, max_bytes);
                let safe = (0..text.len()).filter(|at| scanner.is_safe_cut(&text, *at));
                for at in safe.step_by(text.len() / 4) {
                    let right = limited(&scanner, &text[at..], max_bytes).into_iter().map(|end| at + end);
                    let halves: Vec<_> = limited(&scanner, &text[..at], max_bytes).into_iter().chain(right).collect();
                    assert_eq!(whole, halves, "{scanner:?}, {max_bytes}, {at}");
                    n_cuts += 1;
                }
            }
        }
    }
    assert!(n_cuts > 60);
}

#[test]
fn pretokens_within_the_limit_are_those_without_one() {
    let customs = [r"\w+|[^\w]+", r"(?<=a)!+|(?<!s)\w+| +\b|(?m)^x|x*", r"(?s).{1,7}"].map(custom);
    for text in texts().map(|text| text[..text.len().min(LOOK_BYTES)].to_vec()) {
        for scanner in named().iter().chain(&customs) {
            let mut ends = Vec::new();
            scanner.scan(&text, 0, text.len(), true, &mut ends).unwrap();
            assert_eq!(limited(scanner, &text, LOOK_BYTES), ends, "{scanner:?}");
        }
    }
}

#[test]
fn a_text_may_arrive_in_parts_and_is_looked_back_at() {
    let customs = [r"(?<=a)!+|(?<!aa)\w+|(?m)^B|x*", r"\w+", r".+", r"\s+$|\S+"].map(custom);
    for text in texts() {
        for scanner in named().iter().chain(&customs) {
            let (expected, limit) = (limited(scanner, &text, 60), Limit::new(60).unwrap());
            let (mut ends, mut taken, mut before) = (Vec::new(), 0, Before::default());
            for arrived in (0..text.len()).step_by(1 + text.len() / 7).chain([text.len()]) {
                let (held, mut some) = (&text[taken..arrived], Vec::new());
                let mut limited = Limited::new(limit, before.clone());
                let at_end = arrived == text.len();
                let end = limited.scan(scanner, held, 0..held.len(), at_end, &mut some, &mut no_tick).unwrap();
                assert!(held.len() - end <= 60 + LOOK_BYTES + 3);
                before = limited.before(held, end);
                ends.extend(some.iter().map(|end| taken + end));
                taken += end;
            }
            assert_eq!(ends, expected, "{scanner:?}");
        }
    }
}

#[test]
fn text_without_any_end_takes_no_more_memory_the_longer_it_is() {
    let most_memory = |scanner: &Scanner, block: &[u8], max_bytes| {
        let mut counter = PretokenCounter::new(scanner.clone(), &[], 1, max_bytes).unwrap();
        let mut memory = || {
            counter.push(block, &mut no_tick).unwrap();
            counter.count_held(&mut no_tick).unwrap();
            counter.memory_bytes()
        };
        [2, 6].map(|n_blocks| (0..n_blocks).map(|_| memory()).max().unwrap())
    };
    for (scanner, unit) in [(Scanner::None, "a"), (Scanner::Gpt2, "中"), (custom(".+"), "a")] {
        let block = unit.repeat((1 << 20) / unit.len());
        let [early, late] = most_memory(&scanner, block.as_bytes(), Some(1000));
        // Less than one part more or less is held.
        assert!(late < early + (64 << 10), "{scanner:?}: {early}, {late}");
        let [early, late] = most_memory(&scanner, block.as_bytes(), None);
        assert!(late > early + (4 << 20));
    }
}

#[test]
fn parts_that_follow_one_another_are_one_pretoken_that_was_cut() {
    let mut counter = PretokenCounter::new(Scanner::Gpt2, &["<s>".to_owned()], 1, Some(4)).unwrap();
    for block in ["aaaaaaaaa", "aaaa bb ccccc", "<s>cccc", "cc"] {
        counter.push(block.as_bytes(), &mut no_tick).unwrap();
    }
    counter.end_document();
    counter.count_held(&mut no_tick).unwrap();
    assert_eq!(counter.n_cut_pretokens(), 3);
}
