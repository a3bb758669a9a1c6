//! Blocks find the pieces that are found one by one, with the instructions of every way.
#![allow(clippy::unwrap_used, missing_docs)]

mod families;

use families::{DAMAGED_PARTS, Family, PARTS, Random, families, for_each_text};
use tokenloom_core::scan::Simd;

/// What meets in text, and what is hard to cut.
const HOSTILE_PARTS: &[&[u8]] = &[
    b"a",
    b"B",
    b"s",
    b"LL",
    b"ve",
    b"ab",
    b"word",
    b"Name",
    b"7",
    b"12",
    b"345",
    b"6789",
    b" ",
    b"  ",
    b"        ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\n    ",
    b" \n",
    b"'",
    b"'s",
    b"'T",
    b"'ll",
    b"'Re",
    b"'",
    b"''",
    b"'\xC5\xBF",
    b"!",
    b".",
    b"/",
    b"(\"",
    b"\\",
    b"\0",
    b"\x1F",
    b"\x7F",
    b"\x0B",
    b"\xC3\xA9",
    b"\xC3\x89",
    b"\xC2\xA0",
    b"\xC3\x97",
    b"\xC2\xBD",
    b"\xC5\xBF",
    b"\xC7\x85",
    b"\xCA\xB0",
    b"\xD0\xAF",
    b"\xD1\x8F",
    b"\xD2\x82",
    b"\xD9\xA3",
    b"\xE4\xB8\xAD",
    b"\xE6\x96\x87\xE5\xAD\x97",
    b"\xE9\xBE\xA6",
    b"\xE9\xBF\xBF",
    b"\xE4\xB7\xBF",
    b"\xE4\xB6\xB5",
    b"\xE3\x80\x82",
    b"\xE3\x80\x80",
    b"\xE3\x83\xBC",
    b"\xE3\x83\xBB",
    b"\xEF\xBC\x8C",
    b"\xEC\x95\x84",
    b"\xCC\x81",
    b"\xE3\x82\x99",
    b"\xE2\x80\x9C",
    b"\xE2\x80\x99",
    b"\xE2\x80\x83",
    b"\xF0\x9F\x9A\x80",
    b"\xF0\x90\x90\x80",
    b"\xF0\xA0\x80\x80",
    b"\xE4\xB8",
    b"\xE3",
    b"\xC3",
    b"\xF0\x9F",
    b"\x80",
    b"\xFF",
    b"\xED\xA0\x80",
];

/// Where text is looked at: from which place to which stop, and whether it ends there.
type Part = (usize, usize, bool);

fn ends_by(family: &Family, simd: Simd, text: &[u8], (start, stop, at_end): Part) -> (usize, Vec<usize>) {
    let mut ends = Vec::new();
    let last = family.scanner.scan_by(simd, text, start, stop, at_end, &mut ends).unwrap();
    (last, ends)
}

fn check(family: &Family, text: &[u8], part: Part) {
    let expected = ends_by(family, Simd::None, text, part);
    for simd in Simd::available() {
        let found = ends_by(family, simd, text, part);
        let is_same =
            found == expected || (family.name == "digits3_right" && both_reach(part.1, &found.1, &expected.1));
        let shown = text.escape_ascii();
        assert!(is_same, "{} {simd:?}: {shown} {part:?}: {found:?}, not {expected:?}", family.name);
    }
}

/// Numbers in groups from the right may be cut behind the stop, as many as are at hand.
fn both_reach(stop: usize, one: &[usize], other: &[usize]) -> bool {
    let n_both = one.len().min(other.len());
    one[..n_both] == other[..n_both] && n_both > 0 && one[n_both - 1] >= stop
}

/// Checks a text in whole, in the beginning, from a piece on, and as the beginning of another text.
fn check_parts(family: &Family, text: &[u8], random: &mut Random) {
    check(family, text, (0, text.len(), true));
    check(family, text, (0, text.len(), false));
    let (_, ends) = ends_by(family, Simd::None, text, (0, text.len(), true));
    let start = if ends.is_empty() { 0 } else { ends[random.below(ends.len())] };
    let stop = start + random.below(text.len() - start + 1);
    check(family, text, (start, stop, true));
    check(family, text, (start, stop, false));
    check(family, &text[..stop], (start, stop, random.below(2) == 0));
}

fn text_of(parts: &[&[u8]], most_bytes: usize, random: &mut Random) -> Vec<u8> {
    let length = random.below(most_bytes + 1);
    let mut text = Vec::new();
    while text.len() < length {
        let part = parts[random.below(parts.len())];
        // Runs, too.
        for _ in 0..if random.below(6) == 0 { random.below(80) } else { 1 } {
            text.extend_from_slice(part);
        }
    }
    text.truncate(length);
    text
}

fn check_random_texts(n_texts: usize, seed: u64) {
    let mut random = Random(seed);
    let families = families();
    for _ in 0..n_texts {
        // Few different parts meet each other more often.
        let most_parts = [6, HOSTILE_PARTS.len()][random.below(2)];
        let n_parts = 1 + random.below(most_parts);
        let parts: Vec<&[u8]> = (0..n_parts).map(|_| HOSTILE_PARTS[random.below(HOSTILE_PARTS.len())]).collect();
        let text = text_of(&parts, 400, &mut random);
        families.iter().for_each(|family| check_parts(family, &text, &mut random));
    }
}

#[test]
fn hostile_texts_are_cut_the_same_in_blocks() {
    check_random_texts(6_000, 0x9E37_79B9_7F4A_7C15);
}

#[test]
#[ignore = "takes minutes: millions of texts"]
fn millions_of_hostile_texts_are_cut_the_same_in_blocks() {
    let seed = std::env::var("SEED").map_or(0x1234_5678_9ABC_DEF1, |seed| seed.parse().unwrap());
    check_random_texts(2_000_000, seed);
}

#[test]
fn all_short_texts_are_cut_the_same_at_every_place_of_a_block() {
    for family in families() {
        for fill in [
            "",
            "it is a word, ",
            "2 words of thirty bytes, and  ",
            "\u{4E2D}\u{3002} 63 bytes, of wide ones, too.\n    let x = (9.5);",
        ] {
            let mut check_in = |part: &[u8]| {
                let text =
                    [fill.as_bytes(), part, b" and so on, until a block is full of what comes after it, and more"]
                        .concat();
                check(&family, &text, (0, text.len(), true));
                check(&family, &text[..fill.len() + part.len()], (0, fill.len() + part.len(), false));
            };
            for_each_text(PARTS, 2, &mut check_in);
            for_each_text(DAMAGED_PARTS, 3, &mut check_in);
        }
    }
}

#[test]
fn every_character_is_read_the_same_in_blocks() {
    let every: Vec<char> = ('\0'..='\u{2FFFF}').collect();
    for family in families() {
        for characters in every.chunks(1 << 12) {
            let text: String = characters.iter().map(|character| format!("{character}a ")).collect();
            check(&family, text.as_bytes(), (0, text.len(), true));
        }
    }
}

#[test]
fn every_alignment_of_a_text_is_cut_the_same() {
    let text = "    if it's \u{201C}so\u{201D}: return f(x[1234567], 'we\\'ll see')  \r\n\r\n\u{4E2D}\u{6587}\u{3002}";
    let text = text.repeat(4);
    for family in families() {
        let mut copy = vec![b'x'; 64 + text.len()];
        for start in 0..64 {
            copy[start..start + text.len()].copy_from_slice(text.as_bytes());
            check(&family, &copy[start..], (0, text.len(), true));
        }
    }
}

#[test]
fn ends_are_added_behind_those_that_are_there() {
    let text = "a word and 64 bytes of others, so that there is a block of them.".repeat(100);
    for family in families() {
        for simd in Simd::available() {
            let mut ends = vec![7; 3];
            let last = family.scanner.scan_by(simd, text.as_bytes(), 0, text.len(), true, &mut ends).unwrap();
            assert_eq!((&ends[..3], ends.last()), (&[7; 3][..], Some(&last)), "{} {simd:?}", family.name);
            assert_eq!(ends[3..], family.ends(text.as_bytes()));
        }
    }
}

#[test]
fn a_way_is_chosen_by_its_name_and_the_best_one_without() {
    let available = Simd::available();
    for simd in &available {
        assert_eq!(Simd::named(Some(simd.name().to_owned())), Ok(*simd));
    }
    assert_eq!(Simd::named(None).as_ref(), Ok(available.last().unwrap()));
    assert_eq!(Simd::named(Some(String::new())), Simd::named(None));
}

#[test]
fn an_unknown_way_is_refused_with_those_that_there_are() {
    let message = Simd::named(Some("mmx".to_owned())).unwrap_err().to_string();
    assert!(message.starts_with("the environment variable TOKENLOOM_SIMD is 'mmx', "), "{message}");
    assert!(message.contains("none, portable"), "{message}");
}

#[test]
fn long_runs_of_ideographs_are_cut_where_others_are_among_them() {
    let ideographs: String = ('\u{4E00}'..='\u{9FFF}').collect();
    let others = ["\u{4DBF}", "\u{4DFF}", "\u{A000}", "\u{3002}", "\u{30A2}", "a", "\u{FF0C}", "\u{9FFF}\u{9FA6}"];
    for family in families() {
        let n_pieces = family.ends(ideographs.as_bytes()).len();
        assert!(n_pieces <= 2, "{}: {n_pieces} pieces", family.name);
        for other in others {
            for n_before in (0..8).chain(15..31) {
                let text = format!("{}{other}{}", &ideographs[..3 * n_before], &ideographs[9_000..9_300]);
                check(&family, text.as_bytes(), (0, text.len(), true));
                assert_eq!(family.ends(text.as_bytes()), family.ends_by_regex(&text), "{}: {text}", family.name);
            }
        }
    }
}
