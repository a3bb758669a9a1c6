//! All ways to make a token of two tokens: the table of a vocabulary in which ranks decide.
//!
//! A token may be cut where one of its prefixes that is a token ends and one of its suffixes that is a token begins. With
//! the tokens sorted, the prefixes of each one are those tokens before it that have not ended yet, so a stack holds them
//! all; with their bytes turned around the same walk gives the suffixes. From the longest suffix of each token on, a
//! chain leads to the shorter ones. Both run through the places of a token in ascending order, and its cuts are the
//! places that they have in common.
//!
//! A token of n bytes has less than n prefixes, suffixes and cuts, so time and memory follow the bytes of the vocabulary,
//! also where each of them is a cut, as with all runs of one letter. Looking up both sides of each cut in a hash table
//! reads each byte once for each cut instead, and takes three times as long for common vocabularies.

use super::pair_map::PairMap;
use crate::Tick;
use crate::error::Result;
use crate::vocab::Vocabulary;

/// Bytes of tokens, or cuts, between two ticks.
const TICK_STEPS: usize = 1 << 22;

/// Pairs are asked for so many steps before they are entered.
const AHEAD: usize = 16;

/// The table from a pair of ids to rank << 32 | id of the joined bytes, both of which are the id.
pub fn ranked_merges(vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<PairMap> {
    let suffixes = longest_suffixes(vocabulary, tick)?;
    let mut cuts: Vec<(u32, u32, u32)> = Vec::new();
    let word = |id: u32| &vocabulary.arena()[vocabulary.span(id)];
    walk(vocabulary, word, tick, |own, prefixes| {
        let (mut prefixes, mut suffix) = (prefixes.iter(), suffixes[own.id as usize]);
        let mut prefix = prefixes.next();
        while let Some(left) = prefix
            && suffix.length > 0
        {
            let order = left.length.cmp(&(own.length - suffix.length));
            if order.is_eq() {
                cuts.push((left.id, suffix.id, own.id));
            }
            if order.is_le() {
                prefix = prefixes.next();
            }
            if order.is_ge() {
                suffix = suffixes[suffix.id as usize];
            }
        }
    })?;
    // No pair comes twice: its two sides make up the token.
    let mut table = PairMap::with_room_for(cuts.len());
    for (place, &(left, right, id)) in cuts.iter().enumerate() {
        if place.is_multiple_of(TICK_STEPS) {
            tick(0)?;
        }
        if let Some((left, right, _)) = cuts.get(place + AHEAD) {
            table.prefetch(*left, *right);
        }
        table.get_or_insert(left, right, u64::from(id) << 32 | u64::from(id));
    }
    Ok(table)
}

/// A token as the end of another one; without one the length is 0.
#[derive(Clone, Copy, Default)]
struct Suffix {
    id: u32,
    length: u32,
}

/// The longest token that each token ends with, itself left out, by id.
fn longest_suffixes(vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<Vec<Suffix>> {
    let reversed: Vec<u8> = vocabulary.arena().iter().rev().copied().collect();
    let turned = |id: u32| {
        let span = vocabulary.span(id);
        &reversed[reversed.len() - span.end..reversed.len() - span.start]
    };
    let mut longest = vec![Suffix::default(); vocabulary.size()];
    walk(vocabulary, turned, tick, |own, prefixes| {
        if let Some(last) = prefixes.last() {
            longest[own.id as usize] = Suffix { id: last.id, length: last.length };
        }
    })?;
    Ok(longest)
}

/// A token with the beginning of its word. In the order of words as far as that decides.
#[derive(Clone, Copy)]
struct Entry {
    /// The first eight bytes as a number that sorts like them; zeros stand for missing ones.
    head: u64,
    length: u32,
    id: u32,
}

/// As many bytes of a word decide its place in `Entry`.
const HEAD_BYTES: u32 = 8;

/// Goes through the tokens of the model in the order of their words. `visit` gets each with the tokens whose words are
/// prefixes of its own, itself left out; the shortest first.
fn walk<'a>(
    vocabulary: &Vocabulary,
    word: impl Fn(u32) -> &'a [u8],
    tick: Tick<'_>,
    mut visit: impl FnMut(Entry, &[Entry]),
) -> Result<()> {
    let mut prefixes: Vec<Entry> = Vec::new();
    let mut n_bytes = 0;
    for own in in_order(vocabulary, &word) {
        n_bytes += own.length as usize;
        if n_bytes >= TICK_STEPS {
            n_bytes = 0;
            tick(0)?;
        }
        let begins_with = |prefix: &Entry| match prefix.length {
            0..=HEAD_BYTES => prefix.length <= own.length && (own.head ^ prefix.head) >> (64 - 8 * prefix.length) == 0,
            _ => own.head == prefix.head && word(own.id).starts_with(word(prefix.id)),
        };
        while prefixes.last().is_some_and(|last| !begins_with(last)) {
            prefixes.pop();
        }
        visit(own, &prefixes);
        prefixes.push(own);
    }
    Ok(())
}

/// The tokens of the model, sorted by their words. Only words that share eight bytes are compared as a whole.
fn in_order<'a>(vocabulary: &Vocabulary, word: impl Fn(u32) -> &'a [u8]) -> Vec<Entry> {
    let entry = |(id, _): (u32, &[u8])| Entry { head: head(word(id)), length: word(id).len() as u32, id };
    let mut entries: Vec<Entry> = vocabulary.model_tokens().map(entry).collect();
    sort_by_heads(&mut entries);
    for run in entries.chunk_by_mut(|left, right| left.head == right.head) {
        if run.len() > 1 {
            run.sort_unstable_by_key(|entry| word(entry.id));
        }
    }
    entries
}

/// Deals the entries out by each byte of their heads, the last one first: a third of the work of comparing them.
fn sort_by_heads(entries: &mut Vec<Entry>) {
    let mut dealt = entries.clone();
    for shift in (0..64).step_by(8) {
        let digit = |entry: &Entry| (entry.head >> shift) as u8 as usize;
        let mut places = [0; 257];
        entries.iter().for_each(|entry| places[digit(entry) + 1] += 1);
        for digit in 0..256 {
            places[digit + 1] += places[digit];
        }
        for entry in entries.iter() {
            let place = &mut places[digit(entry)];
            dealt[*place] = *entry;
            *place += 1;
        }
        std::mem::swap(entries, &mut dealt);
    }
}

fn head(word: &[u8]) -> u64 {
    if let Some(first) = word.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    word.iter().rev().fold(0, |head, byte| head >> 8 | u64::from(*byte) << 56)
}
