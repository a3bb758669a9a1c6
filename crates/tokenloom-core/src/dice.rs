//! Chance that can be had again: SplitMix64, begun anew for each piece from a seed, the bytes of the text and the number of
//! the piece in it, so that neither threads nor other texts change what is thrown.
//!
//! Source: Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators".

use crate::hash::{GOLDEN, splitmix64};

/// What the dice of all pieces of a text are made of.
pub fn text_key(seed: u64, text: &[u8]) -> u64 {
    let mut key = splitmix64(seed ^ splitmix64(text.len() as u64));
    for chunk in text.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        key = splitmix64(key ^ u64::from_le_bytes(word));
    }
    key
}

/// The dice of one piece.
#[derive(Debug)]
pub struct Dice {
    /// The number that comes next is made of it.
    pub state: u64,
}

impl Dice {
    /// Those of the piece with this number, from 0.
    pub fn of_piece(key: u64, number: u64) -> Self {
        Self { state: splitmix64(key ^ splitmix64(number)) }
    }

    /// A number of 64 bits.
    pub fn throw(&mut self) -> u64 {
        let number = splitmix64(self.state);
        self.state = self.state.wrapping_add(GOLDEN);
        number
    }

    /// A number from 0 to 1, without 1, of 53 bits.
    pub fn share(&mut self) -> f64 {
        (self.throw() >> 11) as f64 * (f64::EPSILON / 2.0)
    }
}
