//! The filtered search finds what the automaton alone finds.

use aho_corasick::{AhoCorasick, MatchKind};
use tokenloom_core::matcher::{Match, Matcher};

/// Numbers without order, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn word(&mut self, letters: &[u8], shortest: usize, longest: usize) -> Vec<u8> {
        let length = shortest + self.below(longest - shortest + 1);
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }
}

fn plain(patterns: &[&[u8]]) -> AhoCorasick {
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns);
    automaton.unwrap_or_else(|fault| panic!("{fault}"))
}

fn matcher_of(patterns: &[&[u8]]) -> Matcher {
    Matcher::new(patterns).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn matches_are_those_of_the_automaton_in_every_range() {
    let mut numbers = Numbers(7);
    for (letters, shortest, longest) in
        [(&b"abcd"[..], 2, 6), (b"abcde<", 3, 12), (b"abcdef", 8, 12), (b"aaaab", 2, 9), (b"abcd", 1, 5)]
    {
        let words: Vec<_> = (0..300).map(|_| numbers.word(letters, shortest, longest)).collect();
        let patterns: Vec<_> = words.iter().map(Vec::as_slice).chain([&b"zz"[..], b"yy", b"xx", b"ww"]).collect();
        let (matcher, plain) = (matcher_of(&patterns), plain(&patterns));
        assert_eq!(matches!(matcher, Matcher::Filtered(_)), shortest > 1);
        for _ in 0..3000 {
            let text = numbers.word(&[letters, b"  -zy"].concat(), 0, 60);
            let start = numbers.below(text.len() + 1);
            let end = start + numbers.below(text.len() - start + 1);
            let expected = plain.find(aho_corasick::Input::new(&text).range(start..end));
            let expected = expected.map(|m| Match { pattern: m.pattern().as_usize(), start: m.start(), end: m.end() });
            assert_eq!(matcher.find(&text, start..end), expected, "{text:?} {start}..{end}");
        }
    }
}

#[test]
fn few_patterns_and_few_first_bytes_have_the_automaton_alone() {
    let words: Vec<_> = (0..2000).map(|number| format!("<{number}>").into_bytes()).collect();
    let patterns: Vec<_> = words.iter().map(Vec::as_slice).collect();
    assert!(matches!(Matcher::new(&patterns), Ok(Matcher::Plain(_))));
    assert!(matches!(Matcher::new(&[b"ab", b"bc", b"cd", b"de", b"ef"]), Ok(Matcher::Plain(_))));
}

#[test]
fn a_text_of_nothing_but_starts_takes_linear_time() {
    let long = vec![b'a'; 1000];
    let mut words: Vec<_> = (0..100_u8).map(|number| [&long[..], &[b'b', number]].concat()).collect();
    words.extend((b'b'..b'h').map(|first| vec![first; 10]));
    let patterns: Vec<_> = words.iter().map(Vec::as_slice).collect();
    let matcher = matcher_of(&patterns);
    assert!(matches!(matcher, Matcher::Filtered(_)));
    // Thousand steps at each place would be 16 thousand million.
    let text = vec![b'a'; 16 << 20];
    assert_eq!(matcher.find(&text, 0..text.len()), None);
}
