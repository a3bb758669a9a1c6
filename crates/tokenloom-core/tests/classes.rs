//! Character classes against regex-syntax, and the reading of bytes against the standard library.
#![allow(clippy::unwrap_used, missing_docs)]

use regex_syntax::hir::{self, HirKind};
use std::str::from_utf8;
use tokenloom_core::scan::classes::{ASCII, Class, class_at, class_of, is_incomplete};

/// Bytes on both sides of every border in the definition of UTF-8.
const BORDERS: [u8; 31] = [
    0x00, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
    0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFB, 0xFC, 0xFE, 0xFF,
];

/// Whether each code point is in the set that regex-syntax makes of a pattern; surrogates never are.
fn members(pattern: &str) -> Vec<bool> {
    let hir = regex_syntax::parse(pattern).unwrap();
    let HirKind::Class(hir::Class::Unicode(class)) = hir.kind() else {
        panic!("{pattern} is not a set of characters");
    };
    let mut members = vec![false; 0x11_0000];
    for range in class.ranges() {
        for character in range.start()..=range.end() {
            members[character as usize] = true;
        }
    }
    members
}

fn assert_same_set(pattern: &str, belongs: impl Fn(Class) -> bool) {
    for (scalar, is_member) in (0u32..).zip(members(pattern)) {
        let class = class_of(scalar);
        assert_eq!(belongs(class), is_member, "{pattern}, U+{scalar:04X}: {class:?}");
    }
}

/// What `class_at(text, 0)` must give: the first character that the standard library sees, or one invalid byte.
fn first_character(text: &[u8]) -> (Class, usize) {
    let valid = match from_utf8(text) {
        Ok(valid) => valid,
        Err(error) => from_utf8(&text[..error.valid_up_to()]).unwrap(),
    };
    match valid.chars().next() {
        Some(character) => (class_of(character.into()), character.len_utf8()),
        None => (Class::Other, 1),
    }
}

/// What `is_incomplete(text, 0)` must give: not one whole character, and the standard library asks for more bytes.
fn wants_more(text: &[u8]) -> bool {
    from_utf8(text).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

fn assert_reads_like_std(text: &[u8]) {
    assert_eq!(class_at(text, 0), first_character(text), "{text:02X?}");
    assert_eq!(is_incomplete(text, 0), wants_more(text), "{text:02X?}");
}

#[test]
fn every_class_but_other_is_the_set_of_its_property() {
    for (pattern, class) in [
        (r"\p{Lu}", Class::UppercaseLetter),
        (r"\p{Ll}", Class::LowercaseLetter),
        (r"\p{Lt}", Class::TitlecaseLetter),
        (r"\p{Lm}", Class::ModifierLetter),
        (r"\p{Lo}", Class::OtherLetter),
        (r"\p{M}", Class::Mark),
        (r"\p{N}", Class::Number),
        (r"\s", Class::White),
        (r"\p{P}", Class::Punctuation),
        (r"\p{S}", Class::Symbol),
    ] {
        assert_same_set(pattern, |found| found == class);
    }
}

#[test]
fn predicates_are_the_sets_of_the_patterns() {
    assert_same_set(r"\p{L}", Class::is_letter);
    assert_same_set(r"\p{M}", Class::is_mark);
    assert_same_set(r"\p{N}", Class::is_number);
    assert_same_set(r"\s", Class::is_white);
    assert_same_set(r"\p{P}", Class::is_punctuation);
    assert_same_set(r"\p{S}", Class::is_symbol);
}

#[test]
fn what_is_no_scalar_value_has_no_class() {
    for scalar in (0xD800..=0xDFFF).chain([0x11_0000, u32::MAX]) {
        assert_eq!(class_of(scalar), Class::Other);
    }
}

#[test]
fn ascii_is_the_start_of_the_table() {
    for (scalar, class) in (0u32..).zip(ASCII) {
        assert_eq!(class, class_of(scalar));
    }
}

#[test]
fn every_character_is_read_whole() {
    for character in '\0'..=char::MAX {
        let mut buffer = [0; 4];
        let text = character.encode_utf8(&mut buffer).as_bytes();
        let expected = (class_of(character.into()), text.len());
        assert_eq!(class_at(text, 0), expected, "{character:?}");
    }
}

#[test]
fn all_strings_of_one_to_three_bytes_are_read_like_std() {
    for first in 0..=u8::MAX {
        assert_reads_like_std(&[first]);
        for second in 0..=u8::MAX {
            assert_reads_like_std(&[first, second]);
            for third in 0..=u8::MAX {
                assert_reads_like_std(&[first, second, third]);
            }
        }
    }
}

#[test]
fn four_bytes_from_the_borders_are_read_like_std() {
    for first in BORDERS {
        for second in BORDERS {
            for third in BORDERS {
                for fourth in BORDERS {
                    assert_reads_like_std(&[first, second, third, fourth]);
                }
            }
        }
    }
}

#[test]
fn damaged_text_by_hand() {
    // "é", a lone continuation byte, ideographic space, an overlong slash, an encoded surrogate, a cut emoji.
    let text = b"\xC3\xA9\x80\xE3\x80\x80\xC0\xAF\xED\xA0\x80\xF0\x9F\x98";
    let mut characters = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let (class, length_bytes) = class_at(text, position);
        characters.push((class, length_bytes));
        position += length_bytes;
    }
    let mut expected = vec![(Class::LowercaseLetter, 2), (Class::Other, 1), (Class::White, 3)];
    expected.extend([(Class::Other, 1); 8]);
    assert_eq!(characters, expected);
    assert!(is_incomplete(text, 11));
    assert!(!is_incomplete(text, 8));
}

#[test]
fn no_bytes_are_not_incomplete() {
    assert!(!is_incomplete(b"", 0));
    assert!(!is_incomplete(b"a", 1));
    assert!(!is_incomplete(b"a", 2));
}
