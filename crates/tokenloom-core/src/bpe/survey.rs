//! All pairs that occur often enough, counted from the symbols.
//!
//! **Lemma.** After the merge that creates a pair its count never rises. So a pair that is too rare to be merged soon need
//! not be known at all: it is enough to count again once nothing more frequent is left. Most pairs of a corpus are never
//! frequent enough, and then cost neither memory nor look-ups.
//!
//! Rare pairs must not take memory while they are counted either. So a first pass adds up weights in cells that several
//! pairs share: the sum is never less than the count of any of them, and only pairs of cells that hold enough are counted
//! one by one.

use super::pairs::{PairTable, pair_key};
use super::words::Words;
use crate::Tick;
use crate::error::Result;
use crate::hash::Seed;

/// The least over what most cells hold, so that few pairs are counted for the others in their cells alone.
const NOISE: u64 = 4;

/// The number of cells, as powers of two.
const LEAST_CELLS: usize = 1 << 8;
const MOST_CELLS: usize = 1 << 22;

/// Cells that are looked at to know what most hold.
const SAMPLED_CELLS: usize = 1 << 8;

/// Counts the pairs of words in which each symbol covers one place. No pair that may be merged occurs more often than
/// `highest`; those that may not are counted like others, and are few.
pub fn survey(words: &Words, highest: u64, tick: Tick<'_>) -> Result<PairTable> {
    if highest.div_ceil(spread(highest)) <= 1 {
        return count(words, 1, |_, _| true, tick);
    }
    let cells = Cells::new(words, tick)?;
    let highest = cells.highest().min(highest);
    let least = highest.div_ceil(spread(highest)).max(cells.noise() * NOISE).min(highest / 2).max(1);
    let frequent = cells.into_frequent(least);
    count(words, least, |left, right| frequent.may_hold(left, right), tick)
}

/// The highest count, over the least that a pair must have to be known. There are few merges between high counts, where
/// more surveys would cost more than they save, and many pairs with low ones, most of all with 1.
fn spread(highest: u64) -> u64 {
    match highest {
        0..64 => 4,
        64..1024 => 8,
        _ => 32,
    }
}

/// Counts the pairs for which `is_wanted`, and keeps those that occur `least` times with their places.
pub fn count(words: &Words, least: u64, is_wanted: impl Fn(u32, u32) -> bool, tick: Tick<'_>) -> Result<PairTable> {
    let mut pairs = PairTable::new(least);
    let note = |left, right, _, weight| {
        if is_wanted(left, right) {
            pairs.note(left, right, weight);
        }
    };
    words.for_each_pair(note, tick)?;
    pairs.lay_out();
    let put = |left, right, place, _| {
        if is_wanted(left, right) {
            pairs.put_noted(left, right, place);
        }
    };
    words.for_each_pair(put, tick)?;
    Ok(pairs)
}

/// Which cell a pair belongs to.
#[derive(Clone, Copy)]
enum Cell {
    /// Each pair has a cell of its own.
    Own { n_ids: u32 },
    /// The lowest bits of a hash say which.
    Shared { seed: Seed, mask: usize },
}

impl Cell {
    #[inline]
    fn of(self, left: u32, right: u32) -> usize {
        match self {
            Self::Own { n_ids } => (left * n_ids + right) as usize,
            Self::Shared { seed, mask } => seed.of_u64(pair_key(left, right)) as usize & mask,
        }
    }
}

/// Sums of weights, each of all pairs in one cell.
struct Cells {
    cell: Cell,
    sums: Vec<u32>,
}

impl Cells {
    fn new(words: &Words, tick: Tick<'_>) -> Result<Self> {
        let n_cells = words.n_places().next_power_of_two().clamp(LEAST_CELLS, MOST_CELLS);
        let n_own_cells = (words.n_ids() as usize).saturating_pow(2);
        let (cell, n_cells) = if n_own_cells <= n_cells {
            (Cell::Own { n_ids: words.n_ids() }, n_own_cells)
        } else {
            (Cell::Shared { seed: Seed::random(), mask: n_cells - 1 }, n_cells)
        };
        let mut sums = vec![0_u32; n_cells];
        let add = |left, right, _, weight: u64| {
            let sum = &mut sums[cell.of(left, right)];
            *sum = sum.saturating_add(u32::try_from(weight).unwrap_or(u32::MAX));
        };
        words.for_each_pair(add, tick)?;
        Ok(Self { cell, sums })
    }

    /// What a pair finds in its cell of others: the median, since a few pairs have most of the weight.
    fn noise(&self) -> u64 {
        match self.cell {
            Cell::Own { .. } => 0,
            Cell::Shared { .. } => {
                let mut sample: Vec<u32> = self.sums.iter().take(SAMPLED_CELLS).copied().collect();
                let middle = sample.len() / 2;
                (*sample.select_nth_unstable(middle).1).into()
            }
        }
    }

    /// What no count exceeds.
    fn highest(&self) -> u64 {
        self.sums.iter().map(|sum| at_least(*sum)).max().unwrap_or(u64::MAX)
    }

    /// The cells that hold so much, and nothing else of them.
    fn into_frequent(self, least: u64) -> Frequent {
        let mut bits = vec![0; self.sums.len().div_ceil(u64::BITS as usize)];
        for (cell, _) in self.sums.iter().enumerate().filter(|(_, sum)| at_least(**sum) >= least) {
            bits[cell / u64::BITS as usize] |= 1_u64 << (cell % u64::BITS as usize);
        }
        Frequent { cell: self.cell, bits }
    }
}

/// What a sum says: one that has reached the end may be anything.
fn at_least(sum: u32) -> u64 {
    if sum == u32::MAX { u64::MAX } else { sum.into() }
}

/// Cells that hold enough, a bit for each.
struct Frequent {
    cell: Cell,
    bits: Vec<u64>,
}

impl Frequent {
    /// Whether a pair may be frequent.
    #[inline]
    fn may_hold(&self, left: u32, right: u32) -> bool {
        let cell = self.cell.of(left, right);
        self.bits[cell / u64::BITS as usize] >> (cell % u64::BITS as usize) & 1 > 0
    }
}
