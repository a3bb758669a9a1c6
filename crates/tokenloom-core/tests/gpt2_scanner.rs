//! GPT-2's scanner against fancy-regex, and the laws that streams and threads rely on.
#![allow(clippy::unwrap_used, missing_docs)]

use fancy_regex::Regex;
use tokenloom_core::scan::Scanner;
use tokenloom_core::scan::classes::{Class, class_of};

const PATTERN: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// One neighbour for each kind of character that the pattern tells apart, and none.
const NEIGHBOURS: [&str; 9] = ["", "a", "7", " ", "\n", "\u{A0}", "!", "'s", "\u{301}"];

/// Parts that make every rule and every kind of damage meet every other.
const PARTS: [&[u8]; 16] = [
    b"a",
    b"7",
    b" ",
    b"\n",
    b"!",
    b"'",
    b"l",
    b"s",
    b"\xC3\xA9",
    b"\xE3\x80\x80",
    b"\xF0\x9F\x9A\x80",
    b"\xC3",
    b"\xE3\x80",
    b"\xF0\x9F",
    b"\x80",
    b"\xFF",
];

fn ends(text: &[u8], at_end: bool) -> Vec<usize> {
    let mut ends = Vec::new();
    Scanner::Gpt2.scan(text, 0, text.len(), at_end, &mut ends).unwrap();
    ends
}

fn ends_by_regex(pattern: &Regex, text: &str) -> Vec<usize> {
    pattern.find_iter(text).map(|found| found.unwrap().end()).collect()
}

/// A letter, a number, a blank and something else: one byte long, in no contraction, and not the space.
const KINDS: [&str; 4] = ["q", "5", "\t", "#"];

/// Which of `KINDS` stands for a character.
fn kind(character: char) -> usize {
    match class_of(character.into()) {
        class if class.is_letter() => 0,
        class if class.is_number() => 1,
        Class::White => 2,
        _ => 3,
    }
}

/// All texts of `length` parts.
fn for_each_text(length: usize, check: &mut impl FnMut(&[u8])) {
    for number in 0..PARTS.len().pow(length as u32) {
        let place = |at| number / PARTS.len().pow(at) % PARTS.len();
        let text: Vec<u8> = (0..length as u32).flat_map(|at| PARTS[place(at)]).copied().collect();
        check(&text);
    }
}

#[test]
fn every_scalar_value_in_a_few_contexts_is_cut_like_fancy_regex() {
    let pattern = Regex::new(PATTERN).unwrap();
    let characters: Vec<char> = ('\0'..=char::MAX).collect();
    for (before, after) in [("a", "a"), (" ", "7"), ("!", "\n")] {
        for characters in characters.chunks(1 << 12) {
            let text: String = characters.iter().map(|character| format!("{before}{character}{after}")).collect();
            assert_eq!(ends(text.as_bytes(), true), ends_by_regex(&pattern, &text), "{before:?} {after:?}");
        }
    }
}

/// With `classes.rs`, which holds the kinds to regex-syntax, and the contexts of the representatives below, this is
/// every scalar value in every context.
#[test]
fn only_the_kind_of_a_character_decides_in_every_context() {
    for before in NEIGHBOURS {
        for after in NEIGHBOURS {
            let expected = KINDS.map(|one| ends(format!("{before}{one}{after}").as_bytes(), true));
            let mut text = before.as_bytes().to_vec();
            let mut found = Vec::new();
            for character in ('\u{80}'..=char::MAX).chain('\0'..' ').chain(':'..='@') {
                text.truncate(before.len());
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                text.extend_from_slice(after.as_bytes());
                found.clear();
                Scanner::Gpt2.scan(&text, 0, text.len(), true, &mut found).unwrap();
                let longer = character.len_utf8() - 1;
                found.iter_mut().filter(|end| **end > before.len()).for_each(|end| *end -= longer);
                assert_eq!(found, expected[kind(character)], "{before:?} {character:?} {after:?}");
            }
        }
    }
}

#[test]
fn ascii_and_representatives_in_every_context_are_cut_like_fancy_regex() {
    let pattern = Regex::new(PATTERN).unwrap();
    for before in NEIGHBOURS {
        for after in NEIGHBOURS {
            for character in '\0'..'\u{80}' {
                let text = format!("{before}{character}{after}");
                assert_eq!(ends(text.as_bytes(), true), ends_by_regex(&pattern, &text), "{text:?}");
            }
        }
    }
}

#[test]
fn what_is_sure_of_a_start_is_cut_so_in_the_whole() {
    for_each_text(4, &mut |text| {
        let whole = ends(text, true);
        for length in 0..=text.len() {
            let sure = ends(&text[..length], false);
            assert!(whole.starts_with(&sure), "{text:02X?}: {sure:?} of {length} bytes, {whole:?}");
        }
    });
}

#[test]
fn scanning_can_go_on_at_any_end() {
    for_each_text(4, &mut |text| {
        let whole = ends(text, true);
        for (place, &start) in whole.iter().enumerate() {
            let mut rest = Vec::new();
            Scanner::Gpt2.scan(text, start, text.len(), true, &mut rest).unwrap();
            assert_eq!(rest, whole[place + 1..], "{text:02X?} from {start}");
        }
    });
}

#[test]
fn scanning_stops_at_the_first_end_that_reaches_the_stop() {
    for_each_text(3, &mut |text| {
        let whole = ends(text, true);
        for stop in 1..=text.len() {
            let mut some = Vec::new();
            let last = Scanner::Gpt2.scan(text, 0, stop, true, &mut some).unwrap();
            let n_before = whole.iter().filter(|end| **end < stop).count();
            assert_eq!(some, whole[..=n_before], "{text:02X?} to {stop}");
            assert_eq!(Some(&last), some.last());
        }
    });
}

#[test]
fn a_safe_cut_is_always_an_end() {
    let mut n_safe = 0;
    for_each_text(4, &mut |text| {
        let whole = ends(text, true);
        for cut in (0..=text.len()).filter(|cut| Scanner::Gpt2.is_safe_cut(text, *cut)) {
            assert!(whole.contains(&cut), "{text:02X?} at {cut}");
            n_safe += 1;
        }
    });
    assert!(n_safe > 1000, "the law must not hold for want of cases");
}

#[test]
fn a_safe_cut_may_be_scanned_from_both_sides() {
    for_each_text(4, &mut |text| {
        for cut in (0..=text.len()).filter(|cut| Scanner::Gpt2.is_safe_cut(text, *cut)) {
            let right = ends(&text[cut..], true).into_iter().map(|end| end + cut);
            let both: Vec<_> = ends(&text[..cut], true).into_iter().chain(right).collect();
            assert_eq!(both, ends(text, true), "{text:02X?} at {cut}");
        }
    });
}

#[test]
fn without_a_pattern_a_text_is_one_piece() {
    let mut ends = Vec::new();
    assert_eq!(Scanner::None.scan(b"a b", 0, 3, false, &mut ends).unwrap(), 0);
    assert_eq!(Scanner::None.scan(b"", 0, 0, true, &mut ends).unwrap(), 0);
    assert!(ends.is_empty());
    assert_eq!(Scanner::None.scan(b"a b", 0, 1, true, &mut ends).unwrap(), 3);
    assert_eq!(ends, [3]);
}
