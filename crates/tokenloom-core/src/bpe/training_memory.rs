//! How much memory training takes, told before it begins.
//!
//! What is laid out at the beginning follows from the counts. What merges add does not: new pairs and their places, of
//! which there are more the less the text repeats itself. So this part is a curve that lies above what was measured, on
//! English, Chinese and code, at 1, 10 and 60 MB, after 1,000, 8,000 and 32,000 merges, under each tie rule: by a twentieth
//! where it is closest and by half where it is farthest.

use super::ties::TieBreak;

/// For each symbol, while counts are laid out: itself in the counts, its id, and its place in the list of a pair.
const BYTES_A_SYMBOL: f64 = 10.0;

/// For each pretoken: count, first position and end, and their places in another order.
const BYTES_A_PRETOKEN: f64 = 30.0;

/// Tables that do not depend on the counts.
const FIXED_BYTES: f64 = 2e6;

/// For each symbol, where there are as many merges as distinct pretokens.
const BYTES_A_MERGED_SYMBOL: f64 = 57.0;

/// How that grows with more merges.
const GROWTH: f64 = 0.3;

/// A longer pretoken adds pairs like several of this length.
const PRETOKEN_BYTES: f64 = 32.0;

/// For each merge: the bytes of the token, twice, and its place in their order.
const BYTES_A_TOKEN: f64 = 110.0;

/// The most bytes that `n_merges` merges over so many distinct pretokens take, which have `n_symbols` bytes together. With
/// the counts themselves, which must stay in memory until they are laid out.
pub fn training_bytes(n_pretokens: u64, n_symbols: u64, n_merges: u64, tie_break: TieBreak) -> u64 {
    let (n_pretokens, n_symbols) = (n_pretokens as f64, n_symbols as f64);
    let n_merges = (n_merges as f64).min(n_symbols);
    let n_words = n_pretokens.max(n_symbols / PRETOKEN_BYTES).max(1.0);
    let laid_out = n_symbols * BYTES_A_SYMBOL + n_pretokens * BYTES_A_PRETOKEN + FIXED_BYTES;
    let merged = n_symbols * BYTES_A_MERGED_SYMBOL * (n_merges / n_words).powf(GROWTH);
    let tokens = if tie_break == TieBreak::Lexicographic { n_merges * BYTES_A_TOKEN } else { 0.0 };
    (laid_out + merged + tokens).ceil() as u64
}
