//! How many distinct pretokens several tables hold together, asked many times while they grow.
//!
//! A pass over all tables for each question would cost more than counting. So a table notes the hash of each pretoken that
//! is new to it, and a question enters only those into the set of all hashes: over a whole corpus one entry for each
//! distinct pretoken of each table, and none at all if nobody asks. Two pretokens with one hash of 64 bits would count as
//! one: among ten million it happens once in 300,000 corpora.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::key::Key;
use crate::hash::Seed;

/// The hashes of the pretokens that are new to a table since the last question.
#[derive(Debug)]
pub struct News {
    seed: Seed,
    hashes: Vec<u64>,
}

impl News {
    /// Notes a short pretoken.
    pub fn note_short(&mut self, key: Key) {
        self.hashes.push(self.seed.of_u128(key.bits()));
    }

    /// Notes a longer one.
    pub fn note_long(&mut self, piece: &[u8]) {
        self.hashes.push(self.seed.of_bytes(piece));
    }
}

/// The hashes of all distinct pretokens.
#[derive(Debug)]
pub struct Distinct {
    seed: Seed,
    known: HashSet<u64, BuildHasherDefault<Identity>>,
}

impl Distinct {
    /// None yet.
    pub fn new() -> Self {
        Self { seed: Seed::random(), known: HashSet::default() }
    }

    /// What a table notes new pretokens in.
    pub fn news(&self) -> News {
        News { seed: self.seed, hashes: Vec::new() }
    }

    /// Takes what is new in a table.
    pub fn absorb(&mut self, news: &mut News) {
        self.known.extend(news.hashes.drain(..));
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.known.len()
    }
}

/// The hash of a hash is itself.
#[derive(Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |word, byte| word << 8 | u64::from(*byte));
    }
}
