//! The pairs that training knows, found by their two ids, and the places where they occur.
//!
//! The table holds places in the list of pairs and nothing else: four bytes a pair, and a look-up ends at the pair, which
//! is wanted anyway. The places of all pairs lie in one array, those of a pair together. Nothing is taken out: pairs that
//! are gone and places that are out of date stay until `survey` begins anew.

use std::ops::{Index, IndexMut, Range};

use crate::hash::Seed;
use crate::memory::with_large_pages;

/// A pair as one integer; sorts by left id, then by right id.
#[inline]
pub fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// A pair that occurs, or has occurred.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// The id on the left.
    pub left: u32,
    /// The id on the right.
    pub right: u32,
    /// How often it occurs now; 0 if it is gone.
    pub count: u64,
    /// Where its places begin in the array of all.
    start: usize,
    /// How many of them there are.
    n_places: u32,
    /// How many of these are not out of date.
    n_live: u32,
    /// It has the highest count, and has not lost any since that was noted.
    pub is_tied: bool,
}

/// All pairs that occur often enough, in the order in which they were entered.
#[derive(Debug)]
pub struct PairTable {
    pairs: Vec<Pair>,
    /// Places in `pairs` by hash of the ids, at most half full.
    slots: Vec<u32>,
    /// The places of all pairs. Those of a pair ascend; some may be out of date: the symbols tell.
    places: Vec<u32>,
    /// How many of these are not out of date.
    n_live_places: usize,
    n_gone: usize,
    /// Pairs that occur less often are gone.
    least: u64,
    seed: Seed,
}

const EMPTY: u32 = u32::MAX;

/// The slots of a small table.
const LEAST_SLOTS: usize = 1 << 8;

impl PairTable {
    /// An empty table for pairs that occur so often at least.
    pub fn new(least: u64) -> Self {
        Self {
            pairs: Vec::new(),
            slots: vec![EMPTY; LEAST_SLOTS],
            places: Vec::new(),
            n_live_places: 0,
            n_gone: 0,
            least,
            seed: Seed::random(),
        }
    }

    /// Pairs that occur less often than this are not known.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// The number of pairs, those that are gone included.
    pub fn n_pairs(&self) -> u32 {
        self.pairs.len() as u32
    }

    /// The number of pairs that are gone.
    pub fn n_gone(&self) -> usize {
        self.n_gone
    }

    /// The number of places that are out of date.
    pub fn n_stale_places(&self) -> usize {
        self.places.len() - self.n_live_places
    }

    /// The place of a pair in the order, even of one that is gone.
    #[inline]
    pub fn find(&self, left: u32, right: u32) -> Option<u32> {
        let pair = self.slots[self.slot(left, right)];
        (pair != EMPTY).then_some(pair)
    }

    /// Counts a pair at one more place, which `put_noted` shall bring when all are counted.
    #[inline]
    pub fn note(&mut self, left: u32, right: u32, weight: u64) {
        let pair = self.enter(left, right);
        let pair = &mut self[pair];
        pair.count += weight;
        pair.n_places += 1;
    }

    /// Leaves out what occurs too rarely of all that was noted, and makes room for the places of the rest.
    pub fn lay_out(&mut self) {
        let least = self.least;
        self.pairs.retain(|pair| pair.count >= least);
        self.pairs.shrink_to_fit();
        self.enter_all((self.pairs.len() * 2).next_power_of_two().max(LEAST_SLOTS));
        let mut start = 0;
        for pair in &mut self.pairs {
            pair.start = start;
            start += pair.n_places as usize;
        }
        self.places = with_large_pages(start);
        self.places.resize(start, 0);
    }

    /// Writes down a place of a pair that was noted, unless that is left out. Places must ascend.
    #[inline]
    pub fn put_noted(&mut self, left: u32, right: u32, place: u32) {
        let Some(pair) = self.find(left, right) else { return };
        let pair = &mut self.pairs[pair as usize];
        self.places[pair.start + pair.n_live as usize] = place;
        pair.n_live += 1;
        self.n_live_places += 1;
    }

    /// Adds a pair that is not in the table, with room for its places: where these begin.
    pub fn add(&mut self, [left, right]: [u32; 2], count: u64, n_places: u32) -> usize {
        let pair = self.enter(left, right);
        let start = self.places.len();
        self.places.resize(start + n_places as usize, 0);
        self.n_live_places += n_places as usize;
        self[pair] = Pair { left, right, count, start, n_places, n_live: n_places, is_tied: false };
        start
    }

    /// A place from the array of all.
    #[inline]
    pub fn place(&self, at: usize) -> u32 {
        self.places[at]
    }

    /// Writes a place where there is room for it.
    #[inline]
    pub fn put_place(&mut self, at: usize, place: u32) {
        self.places[at] = place;
    }

    /// The places of a pair.
    #[inline]
    pub fn places(&self, pair: u32) -> &[u32] {
        &self.places[self[pair].range()]
    }

    /// Forgets the first places of a pair, which are out of date.
    pub fn skip_places(&mut self, pair: u32, n_skipped: usize) {
        let pair = &mut self[pair];
        pair.start += n_skipped;
        pair.n_places -= n_skipped as u32;
    }

    /// Notes that so many places of a pair are out of date, which counted `weight` together. Returns whether it was tied.
    #[inline]
    pub fn lose(&mut self, pair: u32, weight: u64, n_places: u32) -> bool {
        let least = self.least;
        let found = &mut self[pair];
        if found.count == 0 {
            return false;
        }
        found.count -= weight;
        found.n_live -= n_places;
        let was_tied = std::mem::take(&mut found.is_tied);
        let is_gone = found.count < least;
        self.n_live_places -= n_places as usize;
        if is_gone {
            self.remove(pair);
        }
        was_tied
    }

    /// Makes a pair one that is gone.
    pub fn remove(&mut self, pair: u32) {
        let pair = &mut self[pair];
        let n_live = std::mem::take(&mut pair.n_live);
        pair.count = 0;
        self.n_live_places -= n_live as usize;
        self.n_gone += 1;
    }

    /// The place of a pair, which is entered if it is new.
    #[inline]
    fn enter(&mut self, left: u32, right: u32) -> u32 {
        let slot = self.slot(left, right);
        if self.slots[slot] != EMPTY {
            return self.slots[slot];
        }
        let pair = self.n_pairs();
        self.slots[slot] = pair;
        self.pairs.push(Pair { left, right, ..Pair::default() });
        if self.pairs.len() * 2 > self.slots.len() {
            self.enter_all(self.slots.len() * 2);
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

    /// Enters all pairs into so many slots.
    fn enter_all(&mut self, n_slots: usize) {
        self.slots = vec![EMPTY; n_slots];
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

    /// Where its places stand in the array of all.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.n_places as usize
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
