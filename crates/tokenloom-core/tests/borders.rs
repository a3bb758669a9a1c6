//! Cuts between what no token holds side by side: every way to find them finds those of the definition.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use tokenloom_core::bpe::borders::Borders;
use tokenloom_core::scan::{Scanner, Simd};

fn scanner(tokens: &[&str]) -> Scanner {
    let pairs = Borders::pairs(tokens.iter().map(|token| token.as_bytes()));
    Scanner::Borders(Arc::new(Borders::new(pairs.into(), true).unwrap()))
}

fn pieces(scanner: &Scanner, simd: Simd, text: &str) -> Vec<String> {
    let mut ends = Vec::new();
    let end = scanner.scan_by(simd, text.as_bytes(), 0, text.len(), true, &mut ends).unwrap();
    assert_eq!(end, text.len());
    let mut start = 0;
    let mut pieces = Vec::new();
    for end in ends {
        pieces.push(String::from_utf8_lossy(&text.as_bytes()[start..end]).into_owned());
        start = end;
    }
    pieces
}

#[test]
fn words_and_signs_are_cut_where_no_token_holds_both() {
    let scanner = scanner(&["the", " the", "12", "a,", " ("]);
    for simd in Simd::available() {
        assert_eq!(
            pieces(&scanner, simd, "the cat, a, b,  (x) 12a"),
            ["the", " cat", ",", " a,", " b", ",", "  (", "x", ")", " 12", "a"]
        );
    }
}

#[test]
fn all_ways_find_the_same_pieces() {
    let scanner = scanner(&["ab", " a", "é1", "b,", "  ", "1.", "\n\n", "x y"]);
    let parts = ["a", "b", "x y", " ", "  ", ",", "1", "é", "漢字", ".", "\n", "\t", "zzzzzzzzzzzzzzzzzzzzzzzzzzzz"];
    let mut state = 7_u64;
    for _ in 0..400 {
        let mut text = String::new();
        for _ in 0..state % 90 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(parts[(state >> 33) as usize % parts.len()]);
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let expected = pieces(&scanner, Simd::None, &text);
        for simd in Simd::available() {
            assert_eq!(pieces(&scanner, simd, &text), expected, "{simd:?} {text:?}");
        }
    }
}

#[test]
fn a_text_may_be_cut_before_a_blank_alone() {
    let scanner = scanner(&["ab", "b c"]);
    let safe = |text: &str| -> Vec<usize> {
        (0..=text.len()).filter(|at| scanner.is_safe_cut(text.as_bytes(), *at)).collect()
    };
    assert_eq!(safe("ab a,b"), [] as [usize; 0]);
    assert_eq!(safe("aa aa,  b"), [2, 6]);
}
