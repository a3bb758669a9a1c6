//! The trie of WordPiece against the definition, and tables that were made to do harm.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::HashMap;
use std::sync::Arc;

use tokenloom_core::encoder::Encode;
use tokenloom_core::error::{Error, Result};
use tokenloom_core::packed::{Packed, Parts, Shared, checksum};
use tokenloom_core::spec::WordpieceModel;
use tokenloom_core::vocab::Vocabulary;
use tokenloom_core::wordpiece::Wordpiece;

fn no_tick(_: u64) -> Result<()> {
    Ok(())
}

fn model(prefix: &str, most: u32) -> WordpieceModel {
    WordpieceModel {
        unk_token: "[UNK]".to_owned(),
        continuing_subword_prefix: prefix.to_owned(),
        max_input_chars_per_word: most,
    }
}

fn vocabulary(tokens: &[String]) -> Vocabulary {
    let mut offsets = vec![0];
    tokens.iter().for_each(|token| offsets.push(offsets.last().unwrap() + token.len() as u32));
    Vocabulary::new(tokens.concat().as_bytes(), &offsets, &[]).unwrap()
}

/// The longest token at each place, looked for anew.
fn defined(tokens: &[String], prefix: &str, word: &str) -> Vec<u32> {
    let ids: HashMap<&str, u32> = tokens.iter().map(String::as_str).zip(0..).collect();
    let (mut found, mut start) = (Vec::new(), 0);
    while start < word.len() {
        let ends = (start + 1..=word.len()).rev().filter(|end| word.is_char_boundary(*end));
        let key = |end| format!("{}{}", if start > 0 { prefix } else { "" }, &word[start..end]);
        let Some((end, id)) = ends.into_iter().find_map(|end| Some((end, *ids.get(key(end).as_str())?))) else {
            return vec![0];
        };
        found.push(id);
        start = end;
    }
    found
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn word(&mut self, most: u64) -> String {
        let n_characters = 1 + self.below(most);
        (0..n_characters).map(|_| ['a', 'b', '#', 'é', '中'][self.below(5) as usize]).collect()
    }
}

fn ids(wordpiece: &Wordpiece, vocabulary: &Vocabulary, word: &[u8]) -> Vec<u32> {
    let mut ids = vec![9];
    wordpiece.merge_piece(vocabulary, word, &mut ids, &mut no_tick).unwrap();
    ids[1..].to_vec()
}

#[test]
fn words_are_cut_as_defined_before_and_behind_packing() {
    let mut random = Random(7);
    for round in 0..300 {
        let prefix = ["##", "", "#", "a", "中"][random.below(5) as usize];
        let mut tokens = vec!["[UNK]".to_owned()];
        for _ in 0..random.below(30) {
            let start = if random.below(2) == 0 { "" } else { prefix };
            tokens.push(format!("{start}{}", random.word(6)));
        }
        tokens.sort();
        tokens.dedup();
        let unknown = tokens.iter().position(|token| token == "[UNK]").unwrap();
        tokens.swap(0, unknown);
        let (vocabulary, model) = (vocabulary(&tokens), model(prefix, 100));
        let built = Wordpiece::new(&vocabulary, &model).unwrap();
        let again = unpacked(&packed(&built, &vocabulary), &vocabulary, &model).unwrap();
        for _ in 0..40 {
            let word = random.word(14);
            let expected = defined(&tokens, prefix, &word);
            assert_eq!(ids(&built, &vocabulary, word.as_bytes()), expected, "{round}: {word} of {tokens:?}");
            assert_eq!(ids(&again, &vocabulary, word.as_bytes()), expected, "{round}: {word} of {tokens:?}");
        }
    }
}

#[test]
fn spans_tile_a_word_and_an_unknown_one_is_whole() {
    let tokens = ["[UNK]", "un", "##a", "##able"].map(str::to_owned);
    let vocabulary = vocabulary(&tokens);
    let wordpiece = Wordpiece::new(&vocabulary, &model("##", 100)).unwrap();
    let spans = |word: &[u8]| {
        let mut spans = Vec::new();
        wordpiece.spans(&vocabulary, word, |id, span| spans.push((id, span)), &mut no_tick).unwrap();
        spans
    };
    assert_eq!(spans(b"unaable"), [(1, 0..2), (2, 2..3), (3, 3..7)]);
    assert_eq!(spans(b"unabl"), [(0, 0..5)]);
}

#[test]
fn a_byte_outside_utf_8_is_a_character_of_no_token() {
    let tokens = ["[UNK]", "a", "##a", "中", "##中"].map(str::to_owned);
    let vocabulary = vocabulary(&tokens);
    let wordpiece = Wordpiece::new(&vocabulary, &model("##", 3)).unwrap();
    for (word, expected) in [
        (b"a\xFFa".as_slice(), vec![0]),
        (b"a\xE4\xB8", vec![0]),
        ("中中中".as_bytes(), vec![3, 4, 4]),
        ("中中中a".as_bytes(), vec![0]),
    ] {
        assert_eq!(ids(&wordpiece, &vocabulary, word), expected, "{word:?}");
    }
}

#[test]
fn a_long_token_that_shares_all_its_pops_takes_no_square_of_memory() {
    let tokens = ["[UNK]".to_owned(), "b".to_owned(), "##a".to_owned(), format!("b{}", "a".repeat(100_000))];
    let vocabulary = vocabulary(&tokens);
    let wordpiece = Wordpiece::new(&vocabulary, &model("##", u32::MAX)).unwrap();
    let word = format!("b{}", "a".repeat(99_999));
    let found = ids(&wordpiece, &vocabulary, word.as_bytes());
    assert_eq!((found.len(), found[0], found[1], found[99_999]), (100_000, 1, 2, 2));
    assert!(packed(&wordpiece, &vocabulary).iter().map(|(_, data)| data.len()).sum::<usize>() < 4_000_000);
}

fn packed(wordpiece: &Wordpiece, vocabulary: &Vocabulary) -> Parts {
    let mut parts = Parts::new();
    wordpiece.pack(vocabulary, &mut parts).unwrap();
    parts
}

fn unpacked(parts: &Parts, vocabulary: &Vocabulary, model: &WordpieceModel) -> Result<Wordpiece> {
    let (mut memory, mut sections) = (Vec::new(), Vec::new());
    for (name, data) in parts {
        memory.resize(memory.len().next_multiple_of(8), 0);
        sections.push(((*name).to_owned(), memory.len(), data.len(), checksum(data)));
        memory.extend_from_slice(data);
    }
    // Numbers begin where they may.
    let words: Vec<u64> = memory.chunks(8).map(|word| u64::from_le_bytes(padded(word))).collect();
    struct Memory(Vec<u64>);
    impl AsRef<[u8]> for Memory {
        fn as_ref(&self) -> &[u8] {
            // SAFETY: any bytes of numbers are bytes.
            unsafe { self.0.align_to::<u8>().1 }
        }
    }
    let memory: Shared = Arc::new(Memory(words));
    Wordpiece::unpack(&Packed::new(memory, sections)?, vocabulary, model)
}

fn padded(bytes: &[u8]) -> [u8; 8] {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    word
}

#[test]
fn tables_made_to_do_harm_are_refused_or_end() {
    let tokens = ["[UNK]", "ab", "##a", "##ab", "##bc", "abcd"].map(str::to_owned);
    let (vocabulary, model) = (vocabulary(&tokens), model("##", 100));
    let parts = packed(&Wordpiece::new(&vocabulary, &model).unwrap(), &vocabulary);
    let mut n_refused = 0;
    for section in 0..parts.len() {
        for at in 0..parts[section].1.len() {
            for value in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut changed = parts.clone();
                changed[section].1[at] = value;
                match unpacked(&changed, &vocabulary, &model) {
                    Err(Error::PackedSection { .. }) => n_refused += 1,
                    Err(fault) => panic!("{fault}"),
                    Ok(wordpiece) => {
                        for word in [b"ababab".as_slice(), b"abcdabc", b"abc", b"zzz", b"a"] {
                            let found = ids(&wordpiece, &vocabulary, word);
                            assert!(found.len() <= word.len() && found.iter().all(|id| *id < 6));
                        }
                    }
                }
            }
        }
        let mut cut = parts.clone();
        cut[section].1.truncate(parts[section].1.len() / 8 * 4);
        assert!(parts[section].1.is_empty() || unpacked(&cut, &vocabulary, &model).is_err());
    }
    assert!(n_refused > 50, "{n_refused}");
}
