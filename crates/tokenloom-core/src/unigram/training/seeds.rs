//! The pieces that a training begins with: substrings of words that occur at least twice and may be followed by more than
//! one thing, the end of a word among them.
//!
//! What is always followed by the same character is no seed: the longer piece has all its places. Such substrings are the
//! inner nodes of a suffix tree of the corpus. They are found here from the sorted places of the distinct words: sorted by
//! as many characters as a piece may have and one more, which costs `n log n` and no suffix array of the corpus.

use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

use super::pieces::Pieces;
use super::words::{END, Words};
use crate::Tick;
use crate::error::Result;
use crate::parallel;

/// Places that are sorted between two ticks, at most.
const TICK_PLACES: usize = 1 << 16;

/// How often a substring must occur.
const LEAST_COUNT: u64 = 2;

/// A substring: where it stands once, its length, and how often it occurs.
#[derive(Clone, Copy, Debug)]
struct Seed {
    at: u32,
    length: u32,
    count: u64,
}

impl Seed {
    /// How many characters of the corpus it would stand for.
    fn reach(self) -> u128 {
        u128::from(self.count) * u128::from(self.length)
    }

    fn symbols(self, words: &Words) -> &[u32] {
        &words.symbols[self.at as usize..][..self.length as usize]
    }

    fn order(self, words: &Words) -> (Reverse<u128>, &[u32]) {
        (Reverse(self.reach()), self.symbols(words))
    }
}

/// The single characters, and the `n_seeds` substrings that stand for most of the text, which come first: each with the
/// number of characters that it stands for.
pub fn find(
    words: &Words,
    n_characters: usize,
    most_chars: usize,
    n_seeds: usize,
    n_threads: usize,
    tick: Tick<'_>,
) -> Result<Vec<(Vec<u32>, u128)>> {
    let (mut places, ends) = by_first_symbol(words, n_characters);
    let singles = (1..=n_characters as u32).zip(&ends).scan(0, |start, (symbol, end)| {
        let count: u128 = places[*start..*end].iter().map(|at| u128::from(words.weight_at(*at as usize))).sum();
        *start = *end;
        Some((vec![symbol], count))
    });
    let mut found: Vec<_> = singles.collect();
    let (mut buckets, mut rest) = (Vec::new(), places.as_mut_slice());
    let mut start = 0;
    for end in ends {
        let (bucket, behind) = rest.split_at_mut(end - start);
        buckets.push(Mutex::new(bucket));
        (rest, start) = (behind, end);
    }
    let work = |bucket: &Mutex<&mut [u32]>, tick: Tick<'_>| {
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        sort(words, &mut bucket, most_chars, 1, tick)?;
        Ok(repeated(words, &bucket, most_chars, n_seeds))
    };
    let mut seeds: Vec<Seed> = parallel::map(&buckets, n_threads, work, tick)?.into_iter().flatten().collect();
    keep_best(words, &mut seeds, n_seeds);
    seeds.sort_unstable_by(|one, other| one.order(words).cmp(&other.order(words)));
    found.extend(seeds.into_iter().map(|seed| (seed.symbols(words).to_vec(), seed.reach())));
    Ok(found)
}

/// Seeds as pieces, each with the share of the text that it stands for.
pub fn as_pieces(seeds: &[(Vec<u32>, u128)], ln: impl Fn(f64) -> f64) -> Pieces {
    let total = ln(seeds.iter().map(|(_, reach)| *reach).sum::<u128>() as f64);
    let mut pieces = Pieces::default();
    for (symbols, reach) in seeds {
        pieces.push(symbols, ln((*reach).max(1) as f64) - total);
    }
    pieces
}

/// All places of symbols, those of each symbol together, and where these end.
fn by_first_symbol(words: &Words, n_characters: usize) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0; n_characters];
    for symbol in words.symbols.iter().filter(|symbol| **symbol != END) {
        ends[*symbol as usize - 1] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut places = vec![0; sum];
    for (at, symbol) in words.symbols.iter().enumerate().filter(|(_, symbol)| **symbol != END) {
        let end = &mut ends[*symbol as usize - 1];
        places[*end] = at as u32;
        *end += 1;
    }
    (places, ends)
}

/// The part of a place that decides, up to the end mark or one symbol more than a piece may have.
fn window(words: &Words, at: u32, most_chars: usize) -> &[u32] {
    let rest = &words.symbols[at as usize..];
    &rest[..rest.len().min(most_chars + 1)]
}

/// Sorts places whose first `depth` symbols are equal. Large groups are cut by the next symbol first, so that a tick can
/// come between and a text of one letter is no worse than another.
fn sort(words: &Words, places: &mut [u32], most_chars: usize, depth: usize, tick: Tick<'_>) -> Result<()> {
    tick(0)?;
    if depth > most_chars {
        return Ok(());
    }
    if places.len() <= TICK_PLACES {
        places.sort_unstable_by_key(|at| window(words, *at, most_chars));
        return Ok(());
    }
    let next = |at: u32| words.symbols[at as usize + depth];
    places.sort_unstable_by_key(|at| next(*at));
    for group in places.chunk_by_mut(|one, other| next(*one) == next(*other)) {
        if next(group[0]) != END {
            sort(words, group, most_chars, depth + 1, tick)?;
        }
    }
    Ok(())
}

/// The substrings at sorted places that occur twice and are followed by more than one thing.
///
/// A stack holds the beginnings of the last place that may still have more places: length, and occurrences so far.
fn repeated(words: &Words, places: &[u32], most_chars: usize, n_seeds: usize) -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut open: Vec<(usize, u64)> = Vec::new();
    let mut before: Option<u32> = None;
    for at in places.iter().copied().map(Some).chain([None]) {
        let shared = match (before, at) {
            (Some(before), Some(at)) => shared_symbols(words, before, at, most_chars + 1),
            _ => 0,
        };
        while let Some((length, count)) = open.last().copied().filter(|(length, _)| *length > shared) {
            open.pop();
            if let Some(before) = before
                && (2..=most_chars).contains(&length)
                && count >= LEAST_COUNT
            {
                seeds.push(Seed { at: before, length: length as u32, count });
            }
            match open.last_mut() {
                Some((outer, outer_count)) if *outer >= shared => *outer_count += count,
                _ => open.push((shared, count)),
            }
        }
        if let Some(at) = at {
            let length = window(words, at, most_chars).iter().take_while(|symbol| **symbol != END).count();
            let weight = words.weight_at(at as usize);
            match open.last_mut() {
                Some((last, count)) if *last == length => *count += weight,
                _ => open.push((length, weight)),
            }
        }
        if seeds.len() > n_seeds * 2 {
            keep_best(words, &mut seeds, n_seeds);
        }
        before = at;
    }
    seeds
}

/// How many symbols two places have in common, of so many.
fn shared_symbols(words: &Words, one: u32, other: u32, most: usize) -> usize {
    let (one, other) = (&words.symbols[one as usize..], &words.symbols[other as usize..]);
    one.iter().zip(other).take(most).take_while(|(one, other)| one == other && **one != END).count()
}

fn keep_best(words: &Words, seeds: &mut Vec<Seed>, n_seeds: usize) {
    if seeds.len() > n_seeds {
        seeds.select_nth_unstable_by(n_seeds, |one, other| one.order(words).cmp(&other.order(words)));
        seeds.truncate(n_seeds);
    }
}
