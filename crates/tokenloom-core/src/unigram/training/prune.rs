//! Which pieces are worth their place: those without which the text would be far less likely.

use super::floats::ln;
use super::lattice::{BETTER, Lattice};
use super::pieces::Pieces;
use crate::Tick;
use crate::error::Result;

/// Pieces between two ticks.
const TICK_PIECES: usize = 1 << 12;

/// The lowest bits of a loss are none when losses are compared: what is equal but for the order of additions is equal.
const ROUNDED_BITS: u32 = 22;

/// The pieces that stay: all characters, and of the others the most useful until there are `n_left`. `counts` says how often
/// each is part of the best way to cut the text.
///
/// Without a piece the best other way to cut its own text stands for it. Then its count goes to the pieces of that way, and
/// the loss is what the likelihood of the text falls by, over all tokens. A piece that is not used, or whose text is better cut
/// in another way, is not worth anything. Of equal losses the piece that comes first stays.
pub fn useful(
    pieces: &Pieces,
    counts: &[u128],
    n_characters: usize,
    n_left: usize,
    tick: Tick<'_>,
) -> Result<Vec<bool>> {
    let n_symbols = (0..pieces.len()).flat_map(|place| pieces.piece(place)).max().map_or(1, |last| *last as usize + 1);
    let (tree, mut lattice, mut parts) = (pieces.tree(n_symbols), Lattice::default(), Vec::new());
    let total = counts.iter().sum::<u128>() as f64;
    let mut kept = vec![false; pieces.len()];
    let mut candidates: Vec<(u64, usize)> = Vec::new();
    for place in 0..pieces.len() {
        if place.is_multiple_of(TICK_PIECES) {
            tick(0)?;
        }
        if place < n_characters {
            kept[place] = true;
            continue;
        }
        parts.clear();
        let other = lattice.best(pieces.piece(place), &tree, &pieces.scores, false, |part| parts.push(part));
        let Some(other) = other else {
            kept[place] = true;
            continue;
        };
        if counts[place] > 0 && other <= pieces.scores[place] + BETTER {
            candidates.push((rounded(loss(counts, total, place, &parts)), place));
        }
    }
    let n_free = n_left.saturating_sub(kept.iter().filter(|is_kept| **is_kept).count());
    candidates.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    candidates.iter().take(n_free).for_each(|(_, place)| kept[*place] = true);
    Ok(kept)
}

/// What the mean likelihood of a token falls by without a piece.
fn loss(counts: &[u128], total: f64, place: usize, parts: &[u32]) -> f64 {
    let count = counts[place] as f64;
    let without = ln(total + count * (parts.len() - 1) as f64);
    let with_count = |part: &u32| ln(counts[*part as usize] as f64 + count) - without;
    let others: f64 = parts.iter().rev().map(with_count).sum();
    count / total * (ln(count) - ln(total) - others)
}

/// A number that orders losses: by their bits, rounded. Losses may be below 0 by an error of rounding.
fn rounded(loss: f64) -> u64 {
    (loss.max(0.0).to_bits() + (1 << (ROUNDED_BITS - 1))) >> ROUNDED_BITS
}
