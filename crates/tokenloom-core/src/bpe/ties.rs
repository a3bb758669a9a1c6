//! Which pair is merged next: the highest count, and of equal counts the one that the tie rule prefers.
//!
//! **Lemma.** After the merge that creates a pair its count never rises and its first position never moves forward: a
//! later merge only makes pairs that contain its own new token. So an entry of a heap may be out of date, but never too
//! low, and it is enough to look at a pair again when its entry comes up.
//!
//! Two heaps keep the rule out of the way of the counts. One is ordered by count alone. When a count comes up, all pairs
//! that have it move to the other, which is ordered by the rule; most pairs never get there.

use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Bound;

/// Which of several pairs with the highest count is merged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The greater pair of byte strings.
    Lexicographic,
    /// The smaller pair of ids.
    LowestId,
    /// The one that occurs first in the corpus as it is now segmented.
    FirstSeen,
}

/// What the queue asks about a pair.
pub trait Pairs {
    /// Its count now.
    fn count(&self, pair: u32) -> u64;
    /// Its place under the tie rule now: the greatest is merged first.
    fn tie(&mut self, pair: u32) -> u128;
}

/// Pairs by count, then by the tie rule.
#[derive(Debug, Default)]
pub struct Queue {
    by_count: BinaryHeap<(u64, u32)>,
    /// Pairs with the count `level`, or less if they have changed since.
    by_tie: BinaryHeap<(u128, u32)>,
    level: u64,
}

impl Queue {
    /// Adds a pair that has just been created.
    pub fn push(&mut self, pair: u32, pairs: &mut impl Pairs) {
        let count = pairs.count(pair);
        if count > 0 && count == self.level {
            self.by_tie.push((pairs.tie(pair), pair));
        } else if count > 0 {
            self.by_count.push((count, pair));
        }
    }

    /// Takes the pair that is merged next.
    pub fn pop(&mut self, pairs: &mut impl Pairs) -> Option<u32> {
        loop {
            while let Some((tie, pair)) = self.by_tie.pop() {
                if pairs.count(pair) != self.level {
                    self.push(pair, pairs);
                    continue;
                }
                let tie_now = pairs.tie(pair);
                if tie_now == tie {
                    return Some(pair);
                }
                self.by_tie.push((tie_now, pair));
            }
            self.descend(pairs)?;
        }
    }

    /// Makes the highest count the level and moves its pairs to the other heap; None if no pair is left.
    fn descend(&mut self, pairs: &mut impl Pairs) -> Option<()> {
        self.level = self.by_count.peek()?.0;
        while self.by_count.peek().is_some_and(|(count, _)| *count == self.level) {
            let (_, pair) = self.by_count.pop()?;
            self.push(pair, pairs);
        }
        Some(())
    }

    /// Must be called when ties have changed other than by the lemma.
    pub fn reorder(&mut self, pairs: &mut impl Pairs) {
        let tied: Vec<_> = self.by_tie.drain().map(|(_, pair)| (pairs.tie(pair), pair)).collect();
        self.by_tie = tied.into();
    }
}

/// Integer labels that are ordered like the byte strings of the tokens, so that no heap compares strings.
///
/// A new token takes the middle between its neighbours' labels. When there is no room all labels are spread again.
#[derive(Debug)]
pub struct ByteOrder {
    sorted: BTreeMap<Vec<u8>, u32>,
    labels: Vec<u64>,
}

impl ByteOrder {
    /// Labels for the first tokens; ids are places in the list.
    pub fn new(tokens: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let sorted: BTreeMap<_, _> = tokens.into_iter().zip(0..).collect();
        let mut order = Self { labels: vec![0; sorted.len()], sorted };
        order.spread();
        order
    }

    /// The label of a token.
    #[inline]
    pub fn label(&self, id: u32) -> u64 {
        self.labels[id as usize]
    }

    /// Adds the token with the next id. Returns whether the labels of other tokens have changed.
    pub fn insert(&mut self, token: Vec<u8>) -> bool {
        let id = self.labels.len() as u32;
        let before = (Bound::Unbounded, Bound::Excluded(token.as_slice()));
        let after = (Bound::Excluded(token.as_slice()), Bound::Unbounded);
        let below = self.sorted.range::<[u8], _>(before).next_back().map_or(0, |(_, id)| self.label(*id));
        let above = self.sorted.range::<[u8], _>(after).next().map_or(u64::MAX, |(_, id)| self.label(*id));
        self.sorted.insert(token, id);
        self.labels.push(below + (above - below) / 2);
        let full = above - below < 2;
        if full {
            self.spread();
        }
        full
    }

    fn spread(&mut self) {
        let step = u64::MAX / (self.sorted.len() as u64 + 1);
        for (place, id) in (1..).zip(self.sorted.values()) {
            self.labels[*id as usize] = place * step;
        }
    }
}
