//! Characters by number, against counting one by one; where normal forms came from, against the definition.
#![allow(missing_docs, clippy::unwrap_used)]

use std::ops::Range;

use tokenloom_core::normalize::Normalizer;
use tokenloom_core::offsets::Characters;
use tokenloom_core::spec::Step;
use unicode_normalization::UnicodeNormalization;

const PARTS: [&[u8]; 12] = [
    b"a",
    b"\n",
    b"\xC3\xA9",
    b"\xE4\xBD\xA0",
    b"\xF0\x9F\x9A\x80",
    b"\xFF",
    b"\x80",
    b"\xE2\x82",
    b"\xF0\x9F",
    b"\xC3",
    b"",
    b"bcd",
];

/// Texts of some length from these parts, by a small generator.
fn texts(parts: &[&[u8]], n_texts: usize, n_parts: usize) -> Vec<Vec<u8>> {
    let mut state = 7_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let mut text = || (0..below(n_parts)).flat_map(|_| parts[below(parts.len())].to_vec()).collect();
    (0..n_texts).map(|_| text()).collect()
}

#[test]
fn each_byte_is_in_the_character_that_counting_finds() {
    for text in texts(&PARTS, 300, 120) {
        let (mut single, mut replaced) = (Vec::new(), Vec::new());
        let (mut n_single, mut n_replaced) = (0, 0);
        for chunk in text.utf8_chunks() {
            for character in chunk.valid().chars() {
                single.extend(vec![n_single; character.len_utf8()]);
                replaced.extend(vec![n_replaced; character.len_utf8()]);
                (n_single, n_replaced) = (n_single + 1, n_replaced + 1);
            }
            for _ in chunk.invalid() {
                single.push(n_single);
                replaced.push(n_replaced);
                n_single += 1;
            }
            n_replaced += u64::from(!chunk.invalid().is_empty());
        }
        single.push(n_single);
        replaced.push(n_replaced);
        let numbers = |characters: &Characters| (0..=text.len()).map(|at| characters.number_at(at)).collect::<Vec<_>>();
        assert_eq!(numbers(&Characters::new(&text, &mut |_| Ok(())).unwrap()), single, "{text:02X?}");
        assert_eq!(numbers(&Characters::of_replaced(&text, &mut |_| Ok(())).unwrap()), replaced, "{text:02X?}");
    }
}

fn normalizer(form: &str) -> Normalizer {
    let step: Step = serde_json::from_str(&format!(r#"{{"type":"{form}","unicode":"16.0"}}"#)).unwrap();
    Normalizer::new(&[step]).unwrap()
}

fn normal(form: &str, text: &str) -> String {
    match form {
        "nfc" => text.nfc().collect(),
        "nfd" => text.nfd().collect(),
        "nfkc" => text.nfkc().collect(),
        _ => text.nfkd().collect(),
    }
}

/// Characters that change their places, are composed, or are taken apart.
const CHARACTERS: [&str; 32] = [
    "a",
    "e",
    "q",
    "\u{301}",
    "\u{323}",
    "\u{307}",
    "\u{302}",
    "\u{e9}",
    "\u{1ec7}",
    "\u{fb01}",
    "\u{fdfa}",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "\u{ac00}",
    "\u{958}",
    "\u{93c}",
    "\u{915}",
    "\u{344}",
    "\u{340}",
    "\u{1e9b}",
    "\u{212b}",
    " ",
    "\u{4f60}",
    "\u{f900}",
    "\u{3099}",
    "\u{304b}",
    "\u{ff9e}",
    "\u{ff76}",
    "\u{9c7}",
    "\u{9be}",
    "\u{1d15e}",
];

/// The ends of the smallest runs of a text that are normalized by themselves: where the normal forms of both halves are
/// that of the whole.
fn ends_by_definition(form: &str, text: &str) -> Vec<usize> {
    let whole = normal(form, text);
    let places = text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]);
    places.filter(|at| normal(form, &text[..*at]) + &normal(form, &text[*at..]) == whole).collect()
}

#[test]
fn a_normal_form_came_from_the_smallest_runs_that_are_normalized_by_themselves() {
    for text in texts(&CHARACTERS.map(str::as_bytes), 2000, 8) {
        let text = String::from_utf8(text).unwrap();
        for form in ["nfc", "nfd", "nfkc", "nfkd"] {
            let (changed, alignment) = normalizer(form).apply_aligned(text.as_bytes(), &mut |_| Ok(())).unwrap();
            assert_eq!(changed, normal(form, &text).as_bytes());
            if alignment.is_empty() {
                continue;
            }
            let mut start = 0;
            let mut at = 0;
            for end in ends_by_definition(form, &text) {
                let run = normal(form, &text[start..end]);
                for byte in 0..run.len() {
                    let is_same = run == text[start..end];
                    let origin: Range<usize> = if is_same { start + byte..start + byte + 1 } else { start..end };
                    assert_eq!(
                        alignment.origin(at + byte..at + byte + 1),
                        origin,
                        "{form}: {text:?}, run {start}..{end}"
                    );
                }
                (start, at) = (end, at + run.len());
            }
            assert_eq!(at, changed.len(), "{form}: {text:?}");
        }
    }
}

#[test]
fn noting_where_a_text_came_from_does_not_change_what_it_becomes() {
    for form in ["nfc", "nfd", "nfkc", "nfkd"] {
        for before in ["", "q\u{301}"] {
            let text: String = ('\0'..=char::MAX).flat_map(|last| before.chars().chain([last, '\n'])).collect();
            let (aligned, alignment) = normalizer(form).apply_aligned(text.as_bytes(), &mut |_| Ok(())).unwrap();
            assert!(aligned == normalizer(form).apply(text.as_bytes(), &mut |_| Ok(())).unwrap(), "{form}, {before:?}");
            assert_eq!(alignment.len(), aligned.len());
            assert_eq!(alignment.origin(0..aligned.len()), 0..text.len());
        }
    }
}
