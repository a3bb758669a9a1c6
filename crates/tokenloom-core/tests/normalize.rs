//! Normalizers: which characters begin anew, by the tables; and texts by hand.
#![allow(missing_docs, clippy::unwrap_used)]

use std::borrow::Cow;
use std::iter::once;

use tokenloom_core::normalize::{Normalizer, begins_anew};
use tokenloom_core::spec::Step;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

fn normalizer(steps: &str) -> Normalizer {
    let steps: Vec<Step> = serde_json::from_str(steps).unwrap();
    Normalizer::new(&steps).unwrap()
}

fn normal(steps: &str, text: &[u8]) -> Vec<u8> {
    normalizer(steps).apply(text, &mut |_| Ok(())).unwrap().into_owned()
}

const NFC: &str = r#"[{"type":"nfc","unicode":"16.0"}]"#;
const NFKC: &str = r#"[{"type":"nfkc","unicode":"16.0"}]"#;
const LOWERCASE: &str = r#"[{"type":"lowercase"}]"#;

fn anew(character: char) -> bool {
    begins_anew(character.encode_utf8(&mut [0; 4]).as_bytes()[0])
}

#[test]
fn characters_that_begin_anew_are_normal_and_compose_with_nothing_before_them() {
    for character in ('\0'..=char::MAX).filter(|character| anew(*character)) {
        assert_eq!(canonical_combining_class(character), 0, "{character:?}");
        assert!(once(character).nfkd().eq([character]), "{character:?}");
        assert!(once(character).nfc().eq([character]), "{character:?}");
    }
    // Two characters compose only to one that decomposes to them.
    for character in '\0'..=char::MAX {
        assert!(once(character).nfd().skip(1).all(|part| !anew(part)), "{character:?}");
    }
}

#[test]
fn every_scalar_value_is_normalized_as_the_tables_say_after_each_kind_of_character() {
    for before in ["", "a", "\u{4f60}", "\u{3001}", "\u{ff0c}", "\u{1100}", "q\u{301}", "\u{1100}\u{1161}"] {
        let text: String = ('\0'..=char::MAX).flat_map(|character| before.chars().chain([character, '\n'])).collect();
        assert!(normal(NFC, text.as_bytes()) == text.nfc().collect::<String>().into_bytes(), "{before:?}");
        assert!(normal(NFKC, text.as_bytes()) == text.nfkc().collect::<String>().into_bytes(), "{before:?}");
    }
}

#[test]
fn normal_text_is_not_copied() {
    for text in ["", "ascii\n", "\u{e9}t\u{e9}", "\u{4f60}\u{597d}", "\u{ac00}"] {
        let normal =
            normalizer(NFC).apply(text.as_bytes(), &mut |_| Ok(())).map(|text| matches!(text, Cow::Borrowed(_)));
        assert_eq!(normal, Ok(true), "{text:?}");
    }
}

#[test]
fn bytes_that_are_no_text_stay_and_nothing_composes_over_them() {
    assert_eq!(normal(NFC, b"e\xff\xcc\x81e\xcc\x81\xe4\xbd"), b"e\xff\xcc\x81\xc3\xa9\xe4\xbd");
    assert_eq!(normal(LOWERCASE, b"A\xff\xc3\x89\x80"), b"a\xff\xc3\xa9\x80");
}

#[test]
fn lower_case_goes_character_by_character_and_leaves_younger_characters() {
    assert_eq!(
        normal(LOWERCASE, "\u{391}\u{3a3} \u{130}\u{1c89}".as_bytes()),
        "\u{3b1}\u{3c3} i\u{307}\u{1c8a}".as_bytes()
    );
    // U+A7CE and U+16EA0 came with Unicode 17.
    assert_eq!(normal(LOWERCASE, "\u{a7ce}\u{16ea0}".as_bytes()), "\u{a7ce}\u{16ea0}".as_bytes());
}

#[test]
fn lower_case_is_that_of_unicode_16_with_every_compiler() {
    let text: String = ('\0'..=char::MAX).collect();
    let changed = String::from_utf8(normal(LOWERCASE, text.as_bytes())).unwrap();
    let hash = changed.chars().fold(0_u64, |hash, c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x100_0000_01b3));
    assert_eq!(hash, 16_902_785_765_758_824_802, "count what changed before the number is changed");
}

#[test]
fn replacing_goes_from_left_to_right() {
    assert_eq!(normal(r#"[{"type":"replace","text":"aa","by":"b"}]"#, b"aaaaa"), b"bba");
    assert_eq!(normal(r#"[{"type":"replace","text":"a","by":""}]"#, b"aaa"), b"");
}

#[test]
fn edges_are_stripped_and_a_text_is_put_before_what_is_left() {
    let steps = r#"[{"type":"strip","left":true,"right":true},{"type":"prepend","text":"_"}]"#;
    assert_eq!(normal(steps, " \u{3000}\ta \u{85}\u{200b}\u{a0}".as_bytes()), "_a \u{85}\u{200b}".as_bytes());
    assert_eq!(normal(steps, b" \n "), b"");
}

#[test]
fn what_took_the_place_of_several_characters_came_from_the_last_of_them() {
    let n_first =
        |steps: &str, text: &str| normalizer(steps).n_first_bytes(text.as_bytes(), 1 << 20, &mut |_| Ok(())).unwrap();
    let replace = r#"[{"type":"replace","text":"ab","by":"xyz"}]"#;
    assert_eq!(n_first(r#"[{"type":"replace","text":"ab","by":"ab"}]"#, "abc"), 0);
    assert_eq!([n_first(replace, "abc"), n_first(replace, "ac"), n_first(replace, "")], [0, 1, 0]);
    assert_eq!(n_first(r#"[{"type":"replace","text":"a","by":"xyz"}]"#, "aac"), 3);
    assert_eq!(n_first(r#"[{"type":"replace","text":"a","by":""}]"#, "ac"), 0);
    assert_eq!(n_first(r#"[{"type":"prepend","text":"__"}]"#, "ac"), 3);
    assert_eq!(n_first(NFC, "e\u{301}x"), 2);
    let both = r#"[{"type":"nfc","unicode":"16.0"},{"type":"replace","text":"\u00e9","by":"ab"},{"type":"replace","text":"b","by":""}]"#;
    assert_eq!(n_first(both, "e\u{301}x"), 1);
}

#[test]
fn replacements_of_more_than_a_character_and_steps_behind_them_do_not_concatenate() {
    assert!(normalizer(NFC).concatenates());
    assert!(normalizer(r#"[{"type":"nfc","unicode":"16.0"},{"type":"replace","text":" ","by":"_"}]"#).concatenates());
    for steps in [
        r#"[{"type":"replace","text":"ab","by":"_"}]"#,
        r#"[{"type":"replace","text":" ","by":"_"},{"type":"nfc","unicode":"16.0"}]"#,
        r#"[{"type":"replace","text":"_","by":" "},{"type":"strip","left":true,"right":true}]"#,
    ] {
        assert!(!normalizer(steps).concatenates(), "{steps}");
    }
}

#[test]
fn steps_at_edges_concatenate_where_the_second_half_goes_on() {
    for (steps, text, at) in [
        (r#"[{"type":"prepend","text":"_"},{"type":"replace","text":" ","by":"_"}]"#, "ab cd", 2),
        (r#"[{"type":"strip","left":true,"right":true},{"type":"prepend","text":"_"}]"#, "  ab  cd  ", 4),
        (r#"[{"type":"strip","left":true,"right":true}]"#, "ab   ", 2),
    ] {
        let normalizer = normalizer(steps);
        assert!(normalizer.concatenates() && normalizer.knows_start(), "{steps}");
        let inside = normalizer.apply_inside(&text.as_bytes()[at..], &mut |_| Ok(())).unwrap().into_owned();
        assert_eq!([normal(steps, &text.as_bytes()[..at]), inside].concat(), normal(steps, text.as_bytes()), "{steps}");
    }
    let right = normalizer(r#"[{"type":"strip","left":false,"right":true}]"#);
    assert!(right.strips() && !right.knows_start());
}
