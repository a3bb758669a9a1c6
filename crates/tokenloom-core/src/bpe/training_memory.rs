//! How much memory training takes, told before it begins.
//!
//! Counts, symbols and the places of frequent pairs follow from the counts, and are the most that it ever takes unless so
//! many merges are asked for that pairs which occur once or twice come up: then all pairs are known at once. For that part
//! there is a curve that lies above what was measured, on English, Chinese, code and mixed text, at 1, 10 and 100 MB, after
//! 1,000, 8,000 and 32,000 merges. Tokens of megabytes, which a long run of one letter leads to, are not in it.

use super::ties::TieBreak;

/// For each symbol: itself in the counts, its id, and what places of pairs take, with those out of date.
const BYTES_A_SYMBOL: f64 = 12.5;

/// For each pretoken: count, first position and end, its end mark, and its place in another order.
const BYTES_A_PRETOKEN: f64 = 34.0;

/// Tables that do not depend on the counts.
const FIXED_BYTES: f64 = 1.5e6;

/// For each symbol, where there are as many merges as distinct pretokens or more.
const BYTES_A_RARE_SYMBOL: f64 = 40.0;

/// A longer pretoken adds pairs like several of this length.
const PRETOKEN_BYTES: f64 = 32.0;

/// For each merge: what is told of it.
const BYTES_A_STEP: f64 = 200.0;

/// For each merge: the bytes of the token, twice, and its place in their order.
const BYTES_A_TOKEN: f64 = 110.0;

/// The most bytes that `n_merges` merges over so many distinct pretokens take, which have `n_symbols` bytes together. With
/// the counts themselves, which must stay in memory until they are laid out.
pub fn training_bytes(n_pretokens: u64, n_symbols: u64, n_merges: u64, tie_break: TieBreak) -> u64 {
    let (n_pretokens, n_symbols) = (n_pretokens as f64, n_symbols as f64);
    let n_merges = (n_merges as f64).min(n_symbols);
    let n_words = n_pretokens.max(n_symbols / PRETOKEN_BYTES).max(1.0);
    let laid_out = n_symbols * BYTES_A_SYMBOL + n_pretokens * BYTES_A_PRETOKEN + FIXED_BYTES;
    let rare = n_symbols * BYTES_A_RARE_SYMBOL * (n_merges / n_words).min(1.0).powi(2);
    let bytes_a_merge = BYTES_A_STEP + if tie_break == TieBreak::Lexicographic { BYTES_A_TOKEN } else { 0.0 };
    (laid_out + rare + n_merges * bytes_a_merge).ceil() as u64
}
