//! Pieces with their scores, and the tree in which those at a place of a word are found.

use crate::hash::Seed;

/// Pieces in an order that decides ties: the single characters first, by code point, then the others as they were found.
#[derive(Debug, Default)]
pub struct Pieces {
    symbols: Vec<u32>,
    ends: Vec<usize>,
    /// The logarithm of the probability of each.
    pub scores: Vec<f64>,
}

impl Pieces {
    /// Adds a piece behind the others.
    pub fn push(&mut self, piece: &[u32], score: f64) {
        self.symbols.extend_from_slice(piece);
        self.ends.push(self.symbols.len());
        self.scores.push(score);
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The symbols of a piece.
    pub fn piece(&self, place: usize) -> &[u32] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.symbols[start..self.ends[place]]
    }

    /// The pieces at some places, in their order.
    pub fn kept(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::default();
        for place in (0..self.len()).filter(|place| is_kept(*place)) {
            kept.push(self.piece(place), self.scores[place]);
        }
        kept
    }

    /// The tree of all pieces.
    pub fn tree(&self, n_symbols: usize) -> Tree {
        let mut tree = Tree::new(n_symbols, self.symbols.len());
        for place in 0..self.len() {
            tree.add(self.piece(place), place as u32);
        }
        tree
    }
}

const NONE: u32 = u32::MAX;

/// A node for each beginning of a piece. The first step is looked up by symbol, others in one hash table: the tree lives for
/// two passes over the words, and takes 20 bytes a node.
#[derive(Debug)]
pub struct Tree {
    first: Vec<u32>,
    keys: Vec<u64>,
    values: Vec<u32>,
    /// The piece that ends at each node.
    pieces: Vec<u32>,
    seed: Seed,
}

impl Tree {
    fn new(n_symbols: usize, most_nodes: usize) -> Self {
        let n_slots = (most_nodes * 2).next_power_of_two();
        Self {
            first: vec![NONE; n_symbols],
            keys: vec![u64::MAX; n_slots],
            values: vec![NONE; n_slots],
            pieces: Vec::new(),
            seed: Seed::random(),
        }
    }

    fn add(&mut self, piece: &[u32], place: u32) {
        let Some((first, rest)) = piece.split_first() else { return };
        if self.first[*first as usize] == NONE {
            self.first[*first as usize] = self.enter_node();
        }
        let mut node = self.first[*first as usize];
        for symbol in rest {
            let slot = self.slot(node, *symbol);
            if self.values[slot] == NONE {
                self.keys[slot] = key(node, *symbol);
                self.values[slot] = self.enter_node();
            }
            node = self.values[slot];
        }
        self.pieces[node as usize] = place;
    }

    fn enter_node(&mut self) -> u32 {
        self.pieces.push(NONE);
        self.pieces.len() as u32 - 1
    }

    #[inline]
    fn slot(&self, node: u32, symbol: u32) -> usize {
        let (key, mask) = (key(node, symbol), self.keys.len() - 1);
        let mut at = self.seed.of_u64(key) as usize & mask;
        while self.values[at] != NONE && self.keys[at] != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Gives the pieces that a text begins with to `take`, the shortest first: their lengths and places.
    #[inline]
    pub fn for_each(&self, text: &[u32], mut take: impl FnMut(usize, u32)) {
        let Some((first, rest)) = text.split_first() else { return };
        let mut node = self.first[*first as usize];
        let mut length = 1;
        let mut rest = rest.iter();
        while node != NONE {
            let piece = self.pieces[node as usize];
            if piece != NONE {
                take(length, piece);
            }
            let Some(symbol) = rest.next() else { return };
            node = self.values[self.slot(node, *symbol)];
            length += 1;
        }
    }
}

fn key(node: u32, symbol: u32) -> u64 {
    u64::from(node) << 32 | u64::from(symbol)
}
