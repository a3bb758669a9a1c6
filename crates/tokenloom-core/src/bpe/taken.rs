//! Bytes that no merge may make, since a token has them or must not have them.
//!
//! Where pretokens begin as bytes, or as an encoder leaves them, two pairs never make the same. A mark breaks that: a text
//! may hold what looks like it, and the same bytes come about in two ways. There the pairs that wait to be merged are found
//! by what they would make, and those that would make a new token again are no longer to be merged. A look at each cut of
//! the new token would find them too, but takes the square of its length.

use std::collections::{BTreeSet, HashSet};

use crate::hash::Seed;

/// Bytes that no merge may make, and the pairs that may become tokens.
#[derive(Debug)]
pub struct Taken {
    bytes: HashSet<Vec<u8>>,
    /// Pairs with a hash of what they would make, where two may make the same. Some may be gone.
    waiting: Option<BTreeSet<(u64, u32)>>,
    seed: Seed,
}

impl Taken {
    /// Takes the bytes of tokens.
    pub fn new(bytes: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { bytes: bytes.into_iter().collect(), waiting: None, seed: Seed::random() }
    }

    /// The same for pairs of which two may make the same.
    pub fn of_ambiguous_pairs(self) -> Self {
        Self { waiting: Some(BTreeSet::new()), ..self }
    }

    /// Takes other bytes too.
    pub fn extend(&mut self, bytes: impl IntoIterator<Item = Vec<u8>>) {
        self.bytes.extend(bytes);
    }

    /// Whether these bytes are taken.
    pub fn holds(&self, token: &[u8]) -> bool {
        self.bytes.contains(token)
    }

    /// Whether two pairs may make the same, so that `wait` must be told of all.
    pub fn has_ambiguous_pairs(&self) -> bool {
        self.waiting.is_some()
    }

    /// Notes what a pair would make.
    pub fn wait(&mut self, pair: u32, token: &[u8]) {
        if let Some(waiting) = &mut self.waiting {
            waiting.insert((self.seed.of_bytes(token), pair));
        }
    }

    /// Forgets all pairs.
    pub fn forget_pairs(&mut self) {
        self.waiting.iter_mut().for_each(BTreeSet::clear);
    }

    /// Takes the bytes of a new token. Returns the pairs that would make them, and seldom another, whose hash is the same.
    pub fn enter(&mut self, token: Vec<u8>) -> Vec<u32> {
        let hash = self.seed.of_bytes(&token);
        self.bytes.insert(token);
        let Some(waiting) = &mut self.waiting else { return Vec::new() };
        let pairs: Vec<_> = waiting.range((hash, 0)..=(hash, u32::MAX)).map(|(_, pair)| *pair).collect();
        for pair in &pairs {
            waiting.remove(&(hash, *pair));
        }
        pairs
    }
}
