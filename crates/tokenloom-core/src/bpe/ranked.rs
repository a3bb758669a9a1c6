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

use super::pair_map::PairMap;
use crate::Tick;
use crate::error::Result;
use crate::prefetch::prefetch;
use crate::vocab::Vocabulary;

/// Bytes of tokens between two ticks.
const TICK_BYTES: usize = 1 << 22;

/// The chains of a token are asked for so many tokens before they are followed.
const AHEAD: usize = 16;

/// The table from a pair of ids to rank << 32 | id of the joined bytes, both of which are the id.
pub fn ranked_merges(vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<PairMap> {
    let arena = vocabulary.arena();
    let prefixes = longest_prefixes(vocabulary, arena, |id| vocabulary.span(id), tick)?;
    let reversed: Vec<u8> = arena.iter().rev().copied().collect();
    let turned = |id| {
        let span = vocabulary.span(id);
        reversed.len() - span.end..reversed.len() - span.start
    };
    let suffixes = longest_prefixes(vocabulary, &reversed, turned, tick)?;
    let mut cuts = Vec::new();
    let (mut lefts, mut n_bytes) = (Vec::new(), 0);
    for (id, token) in vocabulary.model_tokens() {
        n_bytes += token.len();
        if n_bytes >= TICK_BYTES {
            n_bytes = 0;
            tick(0)?;
        }
        for longest in [&prefixes, &suffixes] {
            if let Some(affix) = longest.get(id as usize + AHEAD) {
                prefetch(&longest[affix.id as usize]);
            }
        }
        lefts.clear();
        lefts.extend(chain(&prefixes, id));
        for right in chain(&suffixes, id) {
            let cut = token.len() as u32 - right.length;
            while lefts.pop_if(|left| left.length < cut).is_some() {}
            if let Some(left) = lefts.pop_if(|left| left.length == cut) {
                cuts.push((left.id, right.id, id));
            }
        }
    }
    // No pair comes twice: its two sides make up the token.
    PairMap::of_distinct(&cuts, |id| u64::from(id) << 32 | u64::from(id), tick)
}

/// A token as the beginning or the end of another one; without one the length is 0.
#[derive(Clone, Copy, Default)]
struct Affix {
    id: u32,
    length: u32,
}

/// The tokens at one end of a token, itself left out; the longest first.
fn chain(longest: &[Affix], id: u32) -> impl Iterator<Item = Affix> {
    let at = |id: u32| Some(longest[id as usize]).filter(|affix| affix.length > 0);
    std::iter::successors(at(id), move |affix| at(affix.id))
}

/// The longest token that the word of each token of the model begins with, itself left out, by id. The word of an id
/// stands in `text` at its span.
fn longest_prefixes(
    vocabulary: &Vocabulary,
    text: &[u8],
    span: impl Fn(u32) -> Range<usize>,
    tick: Tick<'_>,
) -> Result<Vec<Affix>> {
    let mut longest = vec![Affix::default(); vocabulary.size()];
    let mut open: Vec<Entry> = Vec::new();
    let mut n_bytes = 0;
    for own in in_order(vocabulary, text, &span) {
        n_bytes += own.length as usize;
        if n_bytes >= TICK_BYTES {
            n_bytes = 0;
            tick(0)?;
        }
        let begins_with = |prefix: &Entry| match prefix.length {
            ..=HEAD_BYTES => prefix.length <= own.length && (own.head ^ prefix.head) >> (64 - 8 * prefix.length) == 0,
            _ => own.head == prefix.head && text[span(own.id)].starts_with(&text[span(prefix.id)]),
        };
        while open.pop_if(|last| !begins_with(last)).is_some() {}
        if let Some(last) = open.last() {
            longest[own.id as usize] = Affix { id: last.id, length: last.length };
        }
        open.push(own);
    }
    Ok(longest)
}

/// A token with the beginning of its word.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The first eight bytes as a number that sorts like them; zeros stand for missing ones.
    head: u64,
    length: u32,
    id: u32,
}

/// As many bytes of a word are in its head.
const HEAD_BYTES: u32 = 8;

/// The tokens of the model, sorted by their words.
///
/// They are dealt out by the first two bytes, which leaves little to compare, and that by heads; only words that share
/// eight bytes are compared as a whole.
fn in_order(vocabulary: &Vocabulary, text: &[u8], span: impl Fn(u32) -> Range<usize>) -> Vec<Entry> {
    let entry = |id| Entry { head: head(text, span(id)), length: span(id).len() as u32, id };
    let first_two = |entry: &Entry| (entry.head >> 48) as usize;
    let ids = || vocabulary.model_tokens().map(|(id, _)| id);
    let mut ends = vec![0; 1 << 16];
    ids().for_each(|id| ends[first_two(&entry(id))] += 1);
    let mut n_entries = 0;
    for end in &mut ends {
        n_entries += std::mem::replace(end, n_entries);
    }
    let mut entries = vec![Entry::default(); n_entries];
    for entry in ids().map(entry) {
        let end = &mut ends[first_two(&entry)];
        entries[*end] = entry;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        let dealt = &mut entries[start..end];
        start = end;
        dealt.sort_unstable_by_key(|entry| entry.head);
        for run in dealt.chunk_by_mut(|left, right| left.head == right.head).filter(|run| run.len() > 1) {
            run.sort_unstable_by(|left, right| text[span(left.id)].cmp(&text[span(right.id)]));
        }
    }
    entries
}

#[inline]
fn head(text: &[u8], span: Range<usize>) -> u64 {
    let length = span.len();
    if let Some(first) = text[span.start..].first_chunk() {
        let missing = 8 - length.min(8);
        return u64::from_be_bytes(*first).checked_shr(8 * missing as u32).unwrap_or(0) << (8 * missing);
    }
    text[span].iter().rev().fold(0, |head, byte| head >> 8 | u64::from(*byte) << 56)
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
                    assert_eq!(table.get(left, right), Some(id << 32 | id), "{token:?} at {cut}");
                    n_pairs += 1;
                }
            }
        }
        let ids = 0..tokens.len() as u32;
        let pairs = ids.clone().flat_map(|left| ids.clone().map(move |right| (left, right)));
        assert_eq!(pairs.filter(|(left, right)| table.get(*left, *right).is_some()).count(), n_pairs);
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
