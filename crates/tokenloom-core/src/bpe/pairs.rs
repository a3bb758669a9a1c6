//! The pairs that training knows, found by their two ids.
//!
//! The table holds places in the list of pairs and nothing else: four bytes a pair, and a look-up ends at the pair, which
//! is wanted anyway.

use std::ops::{Index, IndexMut};

use crate::hash::Seed;

/// A pair as one integer; sorts by left id, then by right id.
#[inline]
pub fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// A pair that has occurred at some time.
#[derive(Debug, Default)]
pub struct Pair {
    /// The id on the left.
    pub left: u32,
    /// The id on the right.
    pub right: u32,
    /// Of `places`, how many at the front are known to be out of date. Kept for `TieBreak::FirstSeen` alone.
    pub n_stale: u32,
    /// It has the highest count, and has not lost any since that was noted.
    pub is_tied: bool,
    /// How often it occurs now.
    pub count: u64,
    /// Ascending places of its left symbol. Some may be out of date: the symbols tell.
    pub places: Vec<u32>,
}

/// All pairs in the order in which they were entered.
#[derive(Debug)]
pub struct PairTable {
    pairs: Vec<Pair>,
    /// Places in `pairs` by hash of the ids, at most half full.
    slots: Vec<u32>,
    seed: Seed,
}

const EMPTY: u32 = u32::MAX;

impl Default for PairTable {
    fn default() -> Self {
        Self { pairs: Vec::new(), slots: vec![EMPTY; 1 << 12], seed: Seed::random() }
    }
}

impl PairTable {
    /// The number of pairs.
    pub fn n_pairs(&self) -> u32 {
        self.pairs.len() as u32
    }

    /// The place of a pair in the order.
    #[inline]
    pub fn find(&self, left: u32, right: u32) -> Option<u32> {
        let pair = self.slots[self.slot(left, right)];
        (pair != EMPTY).then_some(pair)
    }

    /// The place of a pair, which is entered if it is new.
    #[inline]
    pub fn enter(&mut self, left: u32, right: u32) -> u32 {
        let slot = self.slot(left, right);
        if self.slots[slot] != EMPTY {
            return self.slots[slot];
        }
        let pair = self.n_pairs();
        self.slots[slot] = pair;
        self.pairs.push(Pair { left, right, ..Pair::default() });
        if self.pairs.len() * 2 > self.slots.len() {
            self.grow();
        }
        pair
    }

    /// The slot of a pair, or the empty one where it belongs.
    #[inline]
    fn slot(&self, left: u32, right: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.seed.of_u64(pair_key(left, right)) as usize & mask;
        while self.slots[at] != EMPTY && !self[self.slots[at]].is(left, right) {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for pair in 0..self.n_pairs() {
            let slot = self.slot(self[pair].left, self[pair].right);
            self.slots[slot] = pair;
        }
    }
}

impl Pair {
    fn is(&self, left: u32, right: u32) -> bool {
        self.left == left && self.right == right
    }
}

impl Index<u32> for PairTable {
    type Output = Pair;

    #[inline]
    fn index(&self, pair: u32) -> &Pair {
        &self.pairs[pair as usize]
    }
}

impl IndexMut<u32> for PairTable {
    #[inline]
    fn index_mut(&mut self, pair: u32) -> &mut Pair {
        &mut self.pairs[pair as usize]
    }
}
