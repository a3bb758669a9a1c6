//! Looking up words gives the ids that merging each piece by itself gives, whatever the cache knows or had to forget.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::HashMap;

use tokenloom_core::pipeline::Pipeline;
use tokenloom_core::source::{Arrays, Source};
use tokenloom_core::specials::SpecialText;

/// Tokens behind the 256 bytes. Many are no merge of two others, so a piece is one of them only as a whole, and a part of a
/// piece never is.
const TOKENS: [&str; 18] = [
    "文文文文文文",
    "中",
    "中中中",
    " 中",
    "文字",
    "aé",
    " a",
    "aa",
    "aaaa",
    "\0\0",
    "\0@",
    " \0",
    "、、",
    " 、",
    "éé",
    "字a",
    "aa中",
    "@@@@@@@@@@@@",
];

/// What pieces are made of: letters and other signs, by turns; bytes of some look like lengths and marks of keys.
const SIGNS: [[&str; 7]; 2] =
    [["中", "a", "é", "文", "b", "字", "文文文文文文"], ["\0", "\u{1}", "\u{F}", "@", "`", "、", "@@@@@@@@@@@@@@@@"]];

fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

struct Tokenizer {
    pipeline: Pipeline,
    ids: HashMap<Vec<u8>, u32>,
    /// By both sides; empty where the rank of a pair is its id.
    ranks: HashMap<(Vec<u8>, Vec<u8>), u32>,
    takes_whole: bool,
}

impl Tokenizer {
    /// Where it does not take its ids for ranks it has each way to make a token of two, the last tokens first.
    fn new(model: &str, cache_bytes: usize) -> Self {
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        let tokens: Vec<Vec<u8>> = bytes.chain(TOKENS.iter().map(|token| token.as_bytes().to_vec())).collect();
        let ids: HashMap<Vec<u8>, u32> = tokens.iter().cloned().zip(0..).collect();
        let mut pairs = Vec::new();
        for token in tokens.iter().rev().filter(|_| model.contains("merges")) {
            let sides = (1..token.len()).map(|at| token.split_at(at));
            pairs.extend(sides.filter(|(left, right)| ids.contains_key(*left) && ids.contains_key(*right)));
        }
        let merges: Vec<_> = pairs.iter().map(|(left, right)| (ids[*left], ids[*right])).collect();
        let lengths = tokens.iter().scan(0, |end, token| {
            *end += token.len() as u32;
            Some(*end)
        });
        let token_offsets: Vec<u32> = [0].into_iter().chain(lengths).collect();
        let arrays =
            Arrays { token_bytes: &tokens.concat(), token_offsets: &token_offsets, merges: &merges, scores: &[] };
        let config = format!(
            r#"{{"added_tokens":[],"decoder":{{"type":"bytes"}},"model":{{"type":"bpe",{model}}},"normalizer":null,
            "postprocessor":null,"pretokenizer":{{"type":"gpt2","unicode":"16.0"}},"spec_version":1}}"#
        );
        let pipeline =
            Pipeline::new(&config, Source::Arrays(arrays), SpecialText::Plain, cache_bytes, &mut |_| Ok(())).unwrap();
        let ranks = pairs.iter().map(|(left, right)| (left.to_vec(), right.to_vec())).zip(0..).collect();
        Self { pipeline, ids, ranks, takes_whole: !model.ends_with("\"merges\"") }
    }

    fn rank(&self, left: &[u8], right: &[u8]) -> Option<u32> {
        match self.ranks.is_empty() {
            true => self.ids.get(&[left, right].concat()).copied(),
            false => self.ranks.get(&(left.to_vec(), right.to_vec())).copied(),
        }
    }

    /// The ids of a piece: the lowest rank is merged again and again, the leftmost of equal ones first.
    fn merged(&self, piece: &[u8]) -> Vec<u32> {
        if let Some(id) = self.ids.get(piece).filter(|_| self.takes_whole) {
            return vec![*id];
        }
        let mut parts: Vec<Vec<u8>> = piece.iter().map(|byte| vec![*byte]).collect();
        loop {
            let ranks = parts.windows(2).zip(0..).filter_map(|(pair, at)| Some((self.rank(&pair[0], &pair[1])?, at)));
            let Some((_, at)): Option<(u32, usize)> = ranks.min() else { break };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
        parts.iter().map(|part| self.ids[part]).collect()
    }

    fn check(&self, pieces: &[Vec<u8>], known: &mut HashMap<Vec<u8>, Vec<u32>>) {
        let text = pieces.concat();
        let mut expected: Vec<u32> = Vec::new();
        for piece in pieces {
            expected.extend(known.entry(piece.clone()).or_insert_with(|| self.merged(piece)).iter());
        }
        let policy = self.pipeline.policy(None, None).unwrap();
        assert!(self.pipeline.encode(&text, &policy, &mut |_| Ok(())).unwrap() == expected, "{pieces:?}");
        assert_eq!(self.pipeline.count(&text, &policy, &mut |_| Ok(())).unwrap(), expected.len() as u64);
    }
}

/// A piece of so many signs of one kind, perhaps behind a blank.
fn piece(kind: usize, n_signs: usize, next: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let blank = if next(2) == 0 { "" } else { " " };
    let signs: String = match next(8) {
        0 => SIGNS[kind][next(SIGNS[kind].len())].to_owned(),
        few => (0..n_signs).map(|_| SIGNS[kind][next(few)]).collect(),
    };
    [blank, &signs].concat().into_bytes()
}

#[test]
fn ids_of_words_are_those_of_their_pieces() {
    let models =
        ["\"semantics\":\"ranks\"", "\"semantics\":\"merges\"", "\"semantics\":\"merges\",\"ignore_merges\":true"];
    for (model, cache_bytes) in
        models.into_iter().flat_map(|model| [0, 777, 1 << 15, 1 << 24].map(|size| (model, size)))
    {
        let (tokenizer, mut next, mut known) = (Tokenizer::new(model, cache_bytes), numbers(7), HashMap::new());
        for n_pieces in [1, 2, 5, 127, 128, 129, 600, 3000, 3000] {
            let most_signs = next(24) + 1;
            let mut pieces: Vec<Vec<u8>> =
                (0..n_pieces).map(|at| piece(at % 2, next(most_signs) + 1, &mut next)).collect();
            tokenizer.check(&pieces, &mut known);
            // Once more, with few new ones among those that may be known.
            for place in (0..n_pieces).step_by(131) {
                pieces[place] = piece(place % 2, next(24) + 1, &mut next);
            }
            tokenizer.check(&pieces, &mut known);
        }
        // No word is new in many groups.
        let few = [" aa", " @", " 中文", "、"].map(|word| word.as_bytes().to_vec());
        tokenizer.check(&vec![few; 1000].concat(), &mut known);
    }
}
