//! Every scanner against fancy-regex.
#![allow(clippy::unwrap_used, missing_docs)]

mod families;

use families::{PARTS, Random, families, for_each_text};

/// What is hard to cut, or to read, or both.
const HARD_PARTS: &[&str] = &[
    "e\u{301}",
    "\u{301}\u{301}",
    "\u{928}\u{94D}\u{92F}",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
    "\u{2764}\u{FE0F}",
    "'s",
    "'LL",
    "'Ve",
    "'r",
    "''d",
    "\u{2019}s",
    "'\u{17F}",
    "don't",
    "DON'T",
    "\r\n",
    "\r\n\r\n",
    "\n\n",
    "\t\t",
    "  ",
    "   ",
    " \n ",
    "\u{85}",
    "\u{A0}",
    "\u{180E}",
    "\u{200B}",
    "\u{2028}",
    "\u{3000}",
    "\u{FEFF}",
    "\u{1C}",
    "\0",
    "1",
    "23",
    "456",
    "1234567",
    "\u{BD}",
    "\u{663}\u{664}",
    "\u{2167}",
    "_",
    "snake_case",
    "camelCase",
    "HTTPServer",
    "!?",
    " #",
    "//\n/",
    "\u{1C5}",
    "\u{1C5}a",
    "\u{2B0}",
    "A\u{2B0}BC",
    "\u{4F60}\u{597D}",
    "\u{30AB}\u{30FC}\u{30FB}\u{3099}",
    "\u{3097}",
    "\u{9FA6}",
    "\u{1C89}",
    "\u{10D40}",
    "\u{323B0}",
    "\u{378}",
    "\u{10FFFF}",
    "\u{2581}",
    "\u{24B6}",
    "\u{61D}",
    "\u{166D}",
    "x",
    "Y",
];

/// One character for each set, and combinations that rules name.
const NEIGHBOURS: [&str; 14] =
    ["", "a", "B", "7", " ", "\n", "\u{A0}", "!", "/", "'s", "\u{301}", "\u{4E2D}", "\u{30FB}", "\0"];

fn check_characters(characters: &[char], before: &str, after: &str) {
    for family in families() {
        for characters in characters.chunks(1 << 12) {
            let text: String = characters.iter().map(|character| format!("{before}{character}{after}")).collect();
            family.check(&text);
        }
    }
}

/// All scalar values of the planes in which some are assigned, and some of each other plane: `classes.rs` tests that
/// none of these has a class.
fn characters_of_assigned_planes() -> Vec<char> {
    let is_assigned_plane = |plane| plane < 4 || plane == 14;
    ('\0'..=char::MAX).filter(|&it| is_assigned_plane(it as u32 >> 16) || (it as u32).is_multiple_of(61)).collect()
}

#[test]
fn scalar_values_in_one_context_are_cut_like_fancy_regex() {
    check_characters(&characters_of_assigned_planes(), " ", "a");
}

#[test]
#[ignore = "takes minutes: every context"]
fn every_scalar_value_in_every_context_is_cut_like_fancy_regex() {
    let every: Vec<char> = ('\0'..=char::MAX).collect();
    for before in NEIGHBOURS {
        for after in NEIGHBOURS {
            check_characters(&every, before, after);
        }
    }
}

#[test]
fn ascii_in_every_context_is_cut_like_fancy_regex() {
    for family in families() {
        for before in NEIGHBOURS {
            for after in NEIGHBOURS {
                ('\0'..'\u{80}').for_each(|character| family.check(&format!("{before}{character}{after}")));
            }
        }
    }
}

fn check_all_texts(length: u32) {
    for family in families() {
        for_each_text(PARTS, length, &mut |text| family.check(str::from_utf8(text).unwrap()));
    }
}

#[test]
fn all_texts_of_three_parts_are_cut_like_fancy_regex() {
    check_all_texts(3);
}

#[test]
#[ignore = "takes minutes: seven million texts"]
fn all_texts_of_four_parts_are_cut_like_fancy_regex() {
    check_all_texts(4);
}

fn check_random_texts(n_texts: usize) {
    let parts: Vec<&str> = HARD_PARTS.iter().chain(PARTS).copied().collect();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let families = families();
    for _ in 0..n_texts {
        let length = 1 + random.below(24);
        let text: String = (0..length).map(|_| parts[random.below(parts.len())]).collect();
        families.iter().for_each(|family| family.check(&text));
    }
}

#[test]
fn hard_texts_are_cut_like_fancy_regex() {
    check_random_texts(20_000);
}

#[test]
#[ignore = "takes minutes: a million texts"]
fn a_million_hard_texts_are_cut_like_fancy_regex() {
    check_random_texts(1_000_000);
}

#[test]
fn long_runs_are_cut_like_fancy_regex() {
    for family in families() {
        for unit in ["a", "A", "Aa", "7", " ", "\n", "!", "\u{301}", "\u{4E2D}", "'s", " \n", "\r\n", "/", "\0"] {
            for n in [7, 8, 9, 63, 1000, 1001, 1002] {
                family.check(&format!("x{}{}", unit.repeat(n), if n % 2 == 0 { "" } else { "y 1" }));
            }
        }
    }
}
