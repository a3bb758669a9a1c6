//! The laws that streams and threads rely on, for every scanner, on text with damage.
#![allow(clippy::unwrap_used, missing_docs)]

mod families;

use families::{DAMAGED_PARTS, families, for_each_text};
use tokenloom_core::scan::SAFE_CUT_REACH_BYTES;

#[test]
fn invalid_bytes_are_cut_like_characters_without_a_class() {
    for family in families() {
        for_each_text(DAMAGED_PARTS, 3, &mut |text| {
            assert_eq!(family.ends(text), family.ends_by_regex_of_bytes(text), "{}: {text:02X?}", family.name);
        });
    }
}

#[test]
fn what_is_sure_of_a_start_is_cut_so_in_the_whole() {
    for family in families() {
        for_each_text(DAMAGED_PARTS, 4, &mut |text| {
            let whole = family.ends(text);
            for length in 0..=text.len() {
                let sure = family.sure_ends(&text[..length], false);
                assert!(whole.starts_with(&sure), "{}: {text:02X?}: {sure:?} of {length}, {whole:?}", family.name);
            }
        });
    }
}

#[test]
fn a_word_and_a_blank_are_enough_to_be_sure_of_the_word() {
    for family in families() {
        let sure = family.sure_ends(b"ab cd ", false);
        assert!(!sure.is_empty(), "{}", family.name);
    }
}

#[test]
fn scanning_can_go_on_at_any_end() {
    for family in families() {
        for_each_text(DAMAGED_PARTS, 4, &mut |text| {
            let whole = family.ends(text);
            for (place, &start) in whole.iter().enumerate() {
                let mut rest = Vec::new();
                family.scanner.scan(text, start, text.len(), true, &mut rest).unwrap();
                assert_eq!(rest, whole[place + 1..], "{}: {text:02X?} from {start}", family.name);
            }
        });
    }
}

#[test]
fn scanning_stops_at_the_first_end_that_reaches_the_stop() {
    for family in families() {
        for_each_text(DAMAGED_PARTS, 3, &mut |text| {
            let whole = family.ends(text);
            for stop in 1..=text.len() {
                let mut some = Vec::new();
                let last = family.scanner.scan(text, 0, stop, true, &mut some).unwrap();
                let n_before = whole.iter().filter(|end| **end < stop).count();
                assert_eq!(some, whole[..=n_before], "{}: {text:02X?} to {stop}", family.name);
                assert_eq!(Some(&last), some.last());
            }
        });
    }
}

#[test]
fn a_safe_cut_may_be_scanned_from_both_sides() {
    for family in families() {
        let mut n_safe = 0;
        for_each_text(DAMAGED_PARTS, 4, &mut |text| {
            let whole = family.ends(text);
            for cut in (0..=text.len()).filter(|cut| family.scanner.is_safe_cut(text, *cut)) {
                let right = family.ends(&text[cut..]).into_iter().map(|end| end + cut);
                let both: Vec<_> = family.ends(&text[..cut]).into_iter().chain(right).collect();
                assert_eq!(both, whole, "{}: {text:02X?} at {cut}", family.name);
                n_safe += 1;
            }
        });
        assert!(n_safe > 10_000, "{}: the law must not hold for want of cases", family.name);
    }
}

/// A block of text may end anywhere, and what follows it may make one character of its last bytes.
#[test]
fn a_safe_cut_is_one_whatever_follows() {
    for family in families() {
        for_each_text(DAMAGED_PARTS, 4, &mut |text| {
            for length in 0..text.len() {
                for cut in (0..=length).filter(|cut| family.scanner.is_safe_cut(&text[..length], *cut)) {
                    assert!(family.scanner.is_safe_cut(text, cut), "{}: {text:02X?} at {cut}", family.name);
                }
            }
        });
    }
}

/// The layers ask in a window of this reach.
#[test]
fn what_is_far_from_a_place_does_not_matter_for_a_safe_cut() {
    let far = ["1", "a", "A", " ", "\n", "\r\n", "!", "/", "\u{301}", "\u{4E2D}", "\u{2581}", "'", "\u{1F680}"];
    let far = far.map(|part| part.repeat(SAFE_CUT_REACH_BYTES).into_bytes());
    for family in families() {
        for (before, behind) in far.iter().zip(far.iter().rev()).chain(far.iter().zip(&far)) {
            for_each_text(DAMAGED_PARTS, 2, &mut |text| {
                let whole = [before, text, behind].concat();
                for at in before.len()..=before.len() + text.len() {
                    let start = at - SAFE_CUT_REACH_BYTES;
                    let window = &whole[start..at + SAFE_CUT_REACH_BYTES];
                    let is_safe = family.scanner.is_safe_cut(&whole, at);
                    let is_safe_here = family.scanner.is_safe_cut(window, at - start);
                    assert_eq!(is_safe, is_safe_here, "{}: {whole:02X?} at {at}", family.name);
                }
            });
        }
    }
}

#[test]
fn a_long_text_has_a_safe_cut_nearby() {
    for family in families() {
        let text = "the cat, 12 dogs\nand (one) horse ".repeat(20);
        let n_safe = (0..text.len()).filter(|cut| family.scanner.is_safe_cut(text.as_bytes(), *cut)).count();
        assert!(n_safe > 100, "{}", family.name);
    }
}

#[test]
fn chinese_without_blanks_has_safe_cuts_in_all_families_but_those_of_words() {
    for family in families() {
        let text = "\u{4E2D}\u{6587}\u{FF0C}\u{4E2D}\u{3002}\n".repeat(20);
        let n_safe = (0..text.len()).filter(|cut| family.scanner.is_safe_cut(text.as_bytes(), *cut)).count();
        assert_eq!(n_safe > 10, family.name != "metaspace", "{}", family.name);
    }
}
