//! Patterns of the user's, on fancy-regex.
#![allow(clippy::unwrap_used, missing_docs)]

mod families;

use families::{DAMAGED_PARTS, FAMILIES, PARTS, families, for_each_text};
use fancy_regex::Regex;
use tokenloom_core::error::Error;
use tokenloom_core::scan::{Custom, Scanner};
use tokenloom_core::spec::Pretokenizer;

fn ends(pattern: &str, text: &[u8]) -> Vec<usize> {
    let (custom, mut ends) = (Custom::new(pattern).unwrap(), Vec::new());
    assert_eq!(custom.scan(text, 0, true, &mut ends, &mut |_| Ok(())).unwrap(), text.len());
    ends
}

#[test]
fn text_that_no_match_covers_is_a_piece() {
    assert_eq!(ends("[0-9]+", b"ab12c  34"), [2, 4, 7, 9]);
    assert_eq!(ends("x", b"ab"), [2]);
    assert_eq!(ends("x", b""), [] as [usize; 0]);
}

#[test]
fn an_empty_match_is_a_place_between_two_pieces() {
    assert_eq!(ends("b*", b"aabba"), [1, 2, 4, 5]);
    assert_eq!(ends("", "a\u{E9}b".as_bytes()), [1, 3, 4]);
    assert_eq!(ends("(?=b)", b"abab"), [1, 3, 4]);
    assert_eq!(ends("", b"\xFFa\xFF\xFF"), [1, 2, 3, 4]);
}

/// Only what is tried at one place counts, not the way to the next match.
#[test]
fn a_match_may_be_far_away() {
    let text = ["c".repeat(1_500_000), "ab".to_owned()].concat();
    assert_eq!(ends("(?<=a)b", text.as_bytes()), [1_500_001, 1_500_002]);
    assert_eq!(ends("(?<=b)a", text.as_bytes()), [1_500_002]);
}

#[test]
fn long_work_can_be_ended() {
    let custom = Custom::new(r"(?<!x)a").unwrap();
    for text in [["a"; 1000].concat(), ["c"; 1_500_000].concat()] {
        let mut n_ticks = 0;
        let mut tick = |_| {
            n_ticks += 1;
            if n_ticks == 3 { Err(Error::Interrupted) } else { Ok(()) }
        };
        let ended = custom.scan(text.as_bytes(), 0, true, &mut Vec::new(), &mut tick);
        assert_eq!(ended, Err(Error::Interrupted));
    }
}

#[test]
fn a_pattern_may_look_behind() {
    assert_eq!(ends(r"(?<=a)b|\bc", b"abbcc c"), [1, 2, 6, 7]);
}

#[test]
fn an_invalid_byte_is_one_character_that_has_no_class() {
    assert_eq!(ends(r"\p{L}+|\p{N}+|\s+", b"a\xFF\xFFb\xC3 1"), [1, 3, 4, 5, 6, 7]);
    assert_eq!(ends(r"[^\s\p{L}\p{N}]", b"\xF0\x9F\xFF!"), [1, 2, 3, 4]);
    assert_eq!(ends(".", b"\xC3\xA9\xC3\xE4\xB8\xAD\x80"), [2, 3, 6, 7]);
}

/// A named pattern is the same as a custom one with its text: so is the way the custom one reads damaged text.
#[test]
fn a_custom_pattern_equals_the_named_one_on_any_bytes() {
    for (family, (_, _, patterns)) in families().iter().zip(FAMILIES) {
        let &[pattern] = patterns else { continue };
        let custom = Custom::new(pattern).unwrap();
        for_each_text(DAMAGED_PARTS, 3, &mut |text| {
            let mut found = Vec::new();
            custom.scan(text, 0, true, &mut found, &mut |_| Ok(())).unwrap();
            assert_eq!(found, family.ends(text), "{}: {text:02X?}", family.name);
        });
    }
}

#[test]
fn any_pattern_is_cut_like_its_matches_and_what_lies_between() {
    for pattern in [r"\w+", r"\d{1,2}(?!\d)", r"(?<=\s)\S", r"\b", r"(.)\1", r"(?i)s+|\p{Lu}*", r"^.|.$"] {
        let (regex, custom) = (Regex::new(pattern).unwrap(), Custom::new(pattern).unwrap());
        for_each_text(PARTS, 3, &mut |text| {
            let whole = str::from_utf8(text).unwrap();
            let mut expected: Vec<_> = regex
                .find_iter(whole)
                .map(|found| found.unwrap())
                .flat_map(|found| [found.start(), found.end()])
                .chain([text.len()])
                .collect();
            expected.dedup();
            expected.retain(|end| *end > 0);
            let mut found = Vec::new();
            custom.scan(text, 0, true, &mut found, &mut |_| Ok(())).unwrap();
            assert_eq!(found, expected, "{pattern}: {whole:?}");
        });
    }
}

#[test]
fn nothing_is_sure_before_the_end() {
    let custom = Custom::new(r"\w+").unwrap();
    let mut ends = Vec::new();
    assert_eq!(custom.scan(b"ab cd ", 0, false, &mut ends, &mut |_| Ok(())).unwrap(), 0);
    assert!(ends.is_empty());
    let scanner = Scanner::Custom(custom.into());
    assert!((0..6).all(|cut| !scanner.is_safe_cut(b"ab cd ", cut)));
}

#[test]
fn a_pattern_that_takes_too_many_steps_is_an_error_with_the_place() {
    let custom = Custom::new(r"x|(?:a|aa)+(?=b)").unwrap();
    for (start, damage) in [("xx", &b""[..]), ("x", b"\xFF")] {
        let text = [start.as_bytes(), damage, "a".repeat(100).as_bytes()].concat();
        let fault = custom.scan(&text, 0, true, &mut Vec::new(), &mut |_| Ok(())).unwrap_err();
        assert_eq!(fault, Error::PatternLimit { byte_offset: start.len() as u64 });
        assert_eq!(fault.behind(40), Error::PatternLimit { byte_offset: 40 + start.len() as u64 });
    }
}

#[test]
fn a_pattern_that_is_none_is_refused_with_its_text() {
    let json = r#"{"type":"custom","regex":"a(","unicode":"16.0"}"#;
    let fault = Pretokenizer::from_json(json).unwrap().scanner().unwrap_err();
    assert!(fault.to_string().starts_with("the pattern 'a(' of the pretokenizer cannot be used: "), "{fault}");
}

#[test]
fn a_pretokenizer_that_cannot_be_is_refused() {
    for json in [
        r#"{"type":"cl100k","digits":0,"unicode":"16.0"}"#,
        r#"{"type":"cl100k","digits":4,"unicode":"16.0"}"#,
        r#"{"type":"llama3","digits":1,"unicode":"16.0"}"#,
        r#"{"type":"o200k","unicode":"17.0"}"#,
    ] {
        assert!(matches!(Pretokenizer::from_json(json).unwrap().scanner(), Err(Error::SpecJson { .. })), "{json}");
    }
    for json in [r#"{"type":"qwen2","digits":1,"unicode":"16.0"}"#, r#"{"type":"cl100k","unicode":"16.0"}"#] {
        assert!(Pretokenizer::from_json(json).is_err(), "{json}");
    }
}
