//! Hashing for the tables of the hot loops: one folded multiply for each eight bytes.
//!
//! Tables are seeded at random, so that a text cannot be made to collide; no order of a table ever reaches an output.

use std::hash::{BuildHasher, RandomState};

/// Odd constants with well-mixed bits (the fractional parts of the golden ratio and of pi).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const PI: u64 = 0x2436_A886_85A3_08D3 | 1;

/// The seed of one table.
#[derive(Clone, Copy, Debug)]
pub struct Seed(u64);

impl Seed {
    /// A new seed from the operating system's randomness.
    pub fn random() -> Self {
        Self(RandomState::new().hash_one(GOLDEN))
    }

    /// The hash of one 64-bit key.
    #[inline]
    pub fn of_u64(self, key: u64) -> u64 {
        fold(key ^ self.0, GOLDEN)
    }

    /// The hash of one 128-bit key.
    #[inline]
    pub fn of_u128(self, key: u128) -> u64 {
        fold((key as u64) ^ self.0, ((key >> 64) as u64) ^ PI)
    }

    /// The hash of a byte string.
    #[inline]
    pub fn of_bytes(self, bytes: &[u8]) -> u64 {
        let mut state = self.0 ^ (bytes.len() as u64).wrapping_mul(PI);
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            state = fold(state ^ u64::from_le_bytes(word), GOLDEN);
        }
        let mut word = [0; 8];
        word[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        fold(state ^ u64::from_le_bytes(word), PI)
    }
}

/// The two halves of a 128-bit product, folded together.
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}
