//! All ways to make a token of two tokens: the table of a vocabulary in which ranks decide.
//!
//! A token may be cut where one of its prefixes that is a token ends and one of its suffixes that is a token begins. With
//! the tokens sorted, a stack holds those that the next one may begin with, so the longest of them is found in one walk;
//! with their bytes turned around the same walk gives the longest suffixes. From these on, chains lead to the shorter
//! ones: a prefix of a prefix is a prefix. The cuts of a token are the places that both of its chains have in common.
//!
//! A token of n bytes has less than n prefixes, suffixes and cuts, so time and memory follow the bytes of the vocabulary,
//! also where each of them is a cut, as with all runs of one letter. Looking up both sides of each cut in a hash table
//! reads each byte once for each cut instead, and takes three times as long for common vocabularies.

use std::ops::Range;

use super::merges::Merges;
use super::pair_map::DistinctPairs;
use crate::Tick;
use crate::error::Result;
use crate::memory::prefetch;
use crate::vocab::Vocabulary;

/// Bytes of tokens between two ticks.
const TICK_BYTES: usize = 1 << 22;

/// The chains of a token are asked for so many tokens before they are followed.
const AHEAD: usize = 16;

/// The merges of all pairs of ids; the rank of each is the id of the joined bytes.
pub fn ranked_merges(vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<Merges> {
    let arena = vocabulary.arena();
    let prefixes = longest_prefixes(vocabulary, arena, |id| vocabulary.span(id), tick)?;
    let reversed: Vec<u8> = arena.iter().rev().copied().collect();
    let turned = |id| {
        let span = vocabulary.span(id);
        reversed.len() - span.end..reversed.len() - span.start
    };
    let suffixes = longest_prefixes(vocabulary, &reversed, turned, tick)?;
    let mut pairs = DistinctPairs::with_capacity(vocabulary.size(), vocabulary.size() * 2);
    let (mut lefts, mut n_bytes) = (Vec::new(), 0);
    for (id, token) in vocabulary.model_tokens() {
        n_bytes += token.len();
        if n_bytes >= TICK_BYTES {
            n_bytes = 0;
            tick(0)?;
        }
        for longest in [&prefixes, &suffixes] {
            if let Some(affix) = longest.get(id as usize + AHEAD) {
                prefetch(&longest[affix.id() as usize]);
            }
        }
        lefts.clear();
        lefts.extend(chain(&prefixes, id).map(|affix| (affix.id(), affix.length(vocabulary))));
        for right in chain(&suffixes, id) {
            let cut = token.len() - right.length(vocabulary);
            while lefts.pop_if(|(_, end)| *end < cut).is_some() {}
            if let Some((left, _)) = lefts.pop_if(|(_, end)| *end == cut) {
                pairs.push(left, right.id(), id);
            }
        }
    }
    // No pair comes twice: its two sides make up the token.
    Merges::ranked(pairs, tick)
}

/// A token at the beginning or the end of another one: its id, and in eight bits its length, or that it is longer. Small,
/// since all of them are read in any order.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Affix(u32);

impl Affix {
    /// No token.
    const NONE: Self = Self(0);
    const LONG: u32 = 0xFF;

    fn new(id: u32, length: u32) -> Self {
        Self(id << 8 | length.min(Self::LONG))
    }

    fn id(self) -> u32 {
        self.0 >> 8
    }

    fn length(self, vocabulary: &Vocabulary) -> usize {
        match self.0 & Self::LONG {
            Self::LONG => vocabulary.span(self.id()).len(),
            length => length as usize,
        }
    }
}

/// The tokens at one end of a token, itself left out; the longest first.
fn chain(longest: &[Affix], id: u32) -> impl Iterator<Item = Affix> {
    let at = |id: u32| Some(longest[id as usize]).filter(|affix| *affix != Affix::NONE);
    std::iter::successors(at(id), move |affix| at(affix.id()))
}

/// The longest token that the word of each token of the model begins with, itself left out, by id. The word of an id
/// stands in `text` at its span.
///
/// Tokens are dealt out by the first two bytes of their words, and few at a time are sorted.
fn longest_prefixes(
    vocabulary: &Vocabulary,
    text: &[u8],
    span: impl Fn(u32) -> Range<usize>,
    tick: Tick<'_>,
) -> Result<Vec<Affix>> {
    let mut longest = vec![Affix::NONE; vocabulary.size()];
    let (ids, ends) = dealt(vocabulary, text, &span);
    let (mut entries, mut open): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
    let (mut start, mut n_bytes) = (0, 0);
    for end in ends.into_iter().map(|end| end as usize) {
        entries.clear();
        entries.extend(ids[start..end].iter().map(|id| Entry::new(*id, text, span(*id))));
        start = end;
        sort(&mut entries, |id| &text[span(id)]);
        for own in &entries {
            n_bytes += own.length as usize;
            if n_bytes >= TICK_BYTES {
                n_bytes = 0;
                tick(0)?;
            }
            while open.pop_if(|last| !own.begins_with(last, |id| &text[span(id)])).is_some() {}
            if let Some(last) = open.last() {
                longest[own.id as usize] = Affix::new(last.id, last.length);
            }
            open.push(*own);
        }
    }
    Ok(longest)
}

/// The tokens of the model in the order of the first two bytes of their words, and where those with each two bytes end.
fn dealt(vocabulary: &Vocabulary, text: &[u8], span: impl Fn(u32) -> Range<usize>) -> (Vec<u32>, Vec<u32>) {
    let first_two = |id| match text[span(id)] {
        [first, second, ..] => usize::from(first) << 8 | usize::from(second),
        [first] => usize::from(first) << 8,
        [] => 0,
    };
    let ids = || vocabulary.model_tokens().map(|(id, _)| id);
    let mut ends = vec![0; 1 << 16];
    ids().for_each(|id| ends[first_two(id)] += 1);
    let mut n_ids = 0;
    for end in &mut ends {
        n_ids += std::mem::replace(end, n_ids);
    }
    let mut dealt = vec![0; n_ids as usize];
    for id in ids() {
        let end = &mut ends[first_two(id)];
        dealt[*end as usize] = id;
        *end += 1;
    }
    (dealt, ends)
}

/// A token with the beginning of its word.
#[derive(Clone, Copy)]
struct Entry {
    /// The first eight bytes as a number that sorts like them; zeros stand for missing ones.
    head: u64,
    length: u32,
    id: u32,
}

/// As many bytes of a word are in its head.
const HEAD_BYTES: usize = 8;

impl Entry {
    #[inline]
    fn new(id: u32, text: &[u8], span: Range<usize>) -> Self {
        let length = span.len() as u32;
        let head = match text[span.start..].first_chunk() {
            Some(first) if span.len() >= HEAD_BYTES => u64::from_be_bytes(*first),
            Some(first) => u64::from_be_bytes(*first) & !(u64::MAX >> (8 * length)),
            None => text[span].iter().rev().fold(0, |head, byte| head >> 8 | u64::from(*byte) << 56),
        };
        Self { head, length, id }
    }

    /// Whether the word of another token, which may be that of this one, begins the word of this one.
    #[inline]
    fn begins_with<'a>(&self, other: &Self, word: impl Fn(u32) -> &'a [u8]) -> bool {
        if other.length as usize > HEAD_BYTES {
            return self.head == other.head && word(self.id).starts_with(word(other.id));
        }
        other.length <= self.length && (self.head ^ other.head).leading_zeros() >= 8 * other.length
    }
}

/// Sorts tokens by their words. Only words that share eight bytes are compared as a whole.
fn sort<'a>(entries: &mut [Entry], word: impl Fn(u32) -> &'a [u8]) {
    entries.sort_unstable_by_key(|entry| entry.head);
    for run in entries.chunk_by_mut(|left, right| left.head == right.head).filter(|run| run.len() > 1) {
        run.sort_unstable_by_key(|entry| word(entry.id));
    }
}

#[cfg(test)]
mod tests {
    use super::ranked_merges;
    use crate::vocab::Vocabulary;

    /// Checks the table against trying each cut of each token, added tokens left out.
    fn check(tokens: &[&[u8]]) {
        let mut offsets = vec![0];
        offsets.extend(tokens.iter().scan(0, |end, token| {
            *end += token.len() as u32;
            Some(*end)
        }));
        let vocabulary = Vocabulary::new(&tokens.concat(), &offsets, &[]);
        let Ok(vocabulary) = vocabulary else { panic!("{vocabulary:?}") };
        let table = ranked_merges(&vocabulary, &mut |_| Ok(()));
        let Ok(table) = table else { panic!("{table:?}") };
        let mut n_pairs = 0;
        for (id, token) in (0..).zip(tokens) {
            for cut in 1..token.len() {
                let (left, right) = token.split_at(cut);
                if let (Some(left), Some(right)) = (vocabulary.id_of(left), vocabulary.id_of(right)) {
                    assert_eq!(table.rank(left, right), Some(id), "{token:?} at {cut}");
                    n_pairs += 1;
                }
            }
        }
        let ids = 0..tokens.len() as u32;
        let pairs = ids.clone().flat_map(|left| ids.clone().map(move |right| (left, right)));
        assert_eq!(pairs.filter(|(left, right)| table.rank(*left, *right).is_some()).count(), n_pairs);
    }

    #[test]
    fn cuts_are_those_of_both_chains_by_hand() {
        check(&[b"a", b"b", b"ab", b"", b"aab", b"abab", b"xx", b"abx"]);
    }

    #[test]
    fn runs_of_one_letter_have_all_cuts() {
        let letters = [b'a'; 40];
        check(&(1..=40).rev().map(|length| &letters[..length]).collect::<Vec<_>>());
    }

    #[test]
    fn zeros_at_the_end_of_words_are_no_missing_bytes() {
        let zeros = [0; 24];
        let mut tokens: Vec<&[u8]> = (1..=24).map(|length| &zeros[..length]).collect();
        tokens.extend([b"a".as_slice(), b"a\0", b"a\0\0", b"\0\0a", b"a\0\0\0\0\0\0\0\0", b"a\0\0\0\0\0\0\0"]);
        check(&tokens);
    }

    #[test]
    fn all_words_of_two_letters_and_some_long_ones_have_the_cuts_that_are_tried() {
        let mut words: Vec<Vec<u8>> = Vec::new();
        for length in 1..=7_u32 {
            words.extend((0..1 << length).map(|bits| (0..length).map(|at| b'a' + (bits >> at & 1) as u8).collect()));
        }
        // Every third one, so that chains have gaps; then joined, to pass the eight bytes of a head.
        let mut words: Vec<Vec<u8>> = words.into_iter().step_by(3).collect();
        let joined: Vec<Vec<u8>> = words.windows(2).map(|pair| pair.concat()).collect();
        words.extend(joined);
        words.sort();
        words.dedup();
        words.sort_by_key(|word| (word.len() % 3, word.clone()));
        check(&words.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}
