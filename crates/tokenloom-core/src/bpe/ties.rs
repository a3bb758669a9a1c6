//! Which pair is merged next: the highest count, and of equal counts the one that the tie rule prefers.
//!
//! **Lemma.** After the merge that creates a pair its count never rises and its first position never moves forward: a
//! later merge only makes pairs that contain its own new token. So an entry of a heap may be out of date, but never too
//! low, and it is enough to look at a pair again when its entry comes up.
//!
//! Two heaps keep the rule out of the way of the counts. One is ordered by count alone. When a count comes up, all pairs
//! that have it move to the other, which is ordered by the rule; most pairs never get there.

use std::cmp::Ordering;
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

/// What the queue asks about pairs.
pub trait Pairs {
    /// The count of a pair now.
    fn count(&self, pair: u32) -> u64;
    /// Notes that a pair has the highest count.
    fn note_tied(&mut self, pair: u32);
    /// Forgets that it has.
    fn forget_tied(&mut self, pair: u32);
    /// What `precedence` compares: two ids, or a position.
    fn tie(&mut self, pair: u32) -> u64;
    /// Which of two ties the rule prefers: `Greater` if the first. Never changes for the same two.
    fn precedence(&self, one: u64, other: u64) -> Ordering;
}

/// Pairs by count, then by the tie rule.
#[derive(Debug, Default)]
pub struct Queue {
    by_count: BinaryHeap<(u64, u32)>,
    /// Ties and pairs with the count `level`, or less if they have changed since: a heap by the rule.
    by_tie: Vec<(u64, u32)>,
    level: u64,
}

impl Queue {
    /// Adds a pair that has just been created.
    pub fn push(&mut self, pair: u32, pairs: &mut impl Pairs) {
        let count = pairs.count(pair);
        if count > self.level {
            self.ascend(pairs);
        }
        if count > 0 && count == self.level {
            pairs.note_tied(pair);
            self.by_tie.push((pairs.tie(pair), pair));
            rise(&mut self.by_tie, pairs);
        } else if count > 0 {
            self.by_count.push((count, pair));
        }
    }

    /// Takes the pair that is merged next.
    pub fn pop(&mut self, pairs: &mut impl Pairs) -> Option<u32> {
        let pair = self.peek(pairs)?;
        self.by_tie.swap_remove(0);
        sink(&mut self.by_tie, pairs);
        Some(pair)
    }

    /// The pair that is merged next, which stays where it is.
    pub fn peek(&mut self, pairs: &mut impl Pairs) -> Option<u32> {
        loop {
            while let Some(&(_, pair)) = self.by_tie.first() {
                // A pair that still has the count of the level has lost no place, so its tie is what it was.
                if pairs.count(pair) == self.level {
                    return Some(pair);
                }
                self.by_tie.swap_remove(0);
                sink(&mut self.by_tie, pairs);
                self.push(pair, pairs);
            }
            self.descend(pairs)?;
        }
    }

    /// Takes the level back, for a pair with a higher count. There is one only if the queue was asked for the second best
    /// before the best was merged, and seldom then: no new pair occurs more often than the merged one. Nor, mostly, more
    /// often than the second: where `(ab, c)` is now, `(b, c)` was before, which is another pair that occurred as often,
    /// unless the two are the same, in a run of one token, or that one may not be merged.
    fn ascend(&mut self, pairs: &mut impl Pairs) {
        self.level = u64::MAX;
        for (_, pair) in std::mem::take(&mut self.by_tie) {
            pairs.forget_tied(pair);
            self.by_count.push((pairs.count(pair), pair));
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
}

/// Restores a heap of which the last entry is new. (`BinaryHeap` cannot ask `pairs` for the order.)
fn rise(heap: &mut [(u64, u32)], pairs: &impl Pairs) {
    let mut at = heap.len() - 1;
    while at > 0 {
        let parent = (at - 1) / 2;
        if pairs.precedence(heap[at].0, heap[parent].0) != Ordering::Greater {
            break;
        }
        heap.swap(at, parent);
        at = parent;
    }
}

/// Restores a heap of which the first entry is new.
fn sink(heap: &mut [(u64, u32)], pairs: &impl Pairs) {
    let mut at = 0;
    loop {
        let (left, right) = (at * 2 + 1, at * 2 + 2);
        if left >= heap.len() {
            break;
        }
        let right_wins = right < heap.len() && pairs.precedence(heap[right].0, heap[left].0) == Ordering::Greater;
        let child = if right_wins { right } else { left };
        if pairs.precedence(heap[child].0, heap[at].0) != Ordering::Greater {
            break;
        }
        heap.swap(at, child);
        at = child;
    }
}

/// Integer labels that are ordered like the byte strings of the tokens, so that no heap compares strings.
///
/// A new token takes the middle between its neighbours' labels. Where there is no room, the tokens of the smallest
/// aligned range of labels that is thinly enough settled are spread over it. Their order stays, and the wider the range,
/// the thinner it must be, so a token moves O(log n) times on average (Bender and others, *Two Simplified Algorithms for
/// Maintaining Order in a List*, 2002).
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
        let ids: Vec<_> = order.sorted.values().copied().collect();
        order.spread(&ids, 0, u64::MAX);
        order
    }

    /// The label of a token.
    #[inline]
    pub fn label(&self, id: u32) -> u64 {
        self.labels[id as usize]
    }

    /// Adds the token with the next id.
    pub fn insert(&mut self, token: Vec<u8>) {
        let id = self.labels.len() as u32;
        let below = self.below(&token).next().map_or(0, |below| self.label(below));
        let above = self.above(&token).next().map_or(u64::MAX, |above| self.label(above));
        self.labels.push(below + (above - below) / 2);
        if above - below < 2 {
            self.make_room(&token, id);
        }
        self.sorted.insert(token, id);
    }

    /// The tokens below one, downwards.
    fn below(&self, token: &[u8]) -> impl Iterator<Item = u32> + '_ {
        self.sorted.range::<[u8], _>((Bound::Unbounded, Bound::Excluded(token))).rev().map(|(_, id)| *id)
    }

    /// The tokens above one, upwards.
    fn above(&self, token: &[u8]) -> impl Iterator<Item = u32> + '_ {
        self.sorted.range::<[u8], _>((Bound::Excluded(token), Bound::Unbounded)).map(|(_, id)| *id)
    }

    /// Spreads the tokens around a new one that has no label of its own.
    fn make_room(&mut self, token: &[u8], id: u32) {
        let (mut below, mut above) = (self.below(token).peekable(), self.above(token).peekable());
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let base = self.label(id);
        for bits in 1..=64_u32 {
            let span = u64::MAX >> (64 - bits);
            let (first, last) = (base & !span, base | span);
            lower.extend(std::iter::from_fn(|| below.next_if(|id| self.label(*id) >= first)));
            upper.extend(std::iter::from_fn(|| above.next_if(|id| self.label(*id) <= last)));
            // A range of 2^bits labels may hold (4/3)^bits tokens: 98 million in the widest.
            if ((lower.len() + upper.len() + 1) as f64) < (4.0_f64 / 3.0).powi(bits as i32) {
                drop((below, above));
                let ids: Vec<_> = lower.into_iter().rev().chain([id]).chain(upper).collect();
                return self.spread(&ids, first, last);
            }
        }
    }

    /// Spreads tokens, given in order, evenly between two labels.
    fn spread(&mut self, ids: &[u32], first: u64, last: u64) {
        let step = (last - first) / (ids.len() as u64 + 1);
        for (place, id) in (1..).zip(ids) {
            self.labels[*id as usize] = first + place * step;
        }
    }
}
