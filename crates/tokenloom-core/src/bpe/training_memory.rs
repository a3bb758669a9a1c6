//! How much memory training takes, told before it begins.

use super::ties::TieBreak;

/// The most bytes that `n_merges` merges over so many distinct pretokens take, which have `n_symbols` bytes together. With
/// the counts themselves, which must stay in memory until they are laid out.
pub fn training_bytes(n_pretokens: u64, n_symbols: u64, n_merges: u64, tie_break: TieBreak) -> u64 {
    let _ = (n_merges, tie_break);
    n_pretokens * 64 + n_symbols * 24
}
