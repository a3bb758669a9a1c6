//! Hashing for the tables of the hot loops: one folded multiply for each eight bytes.
//!
//! Tables are seeded at random, so that a text cannot be made to collide; no order of a table ever reaches an output.
//! Tables of a packed file keep their seed and come with a new layout if anything here changes (`packed::LAYOUT`).

use std::hash::{BuildHasher, RandomState};

/// An odd constant with well-mixed bits: the fractional part of the golden ratio.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The seed of one table: a secret for each factor of a product. With a known second factor a text could be made so that
/// it becomes nearly zero, and the product with it.
#[derive(Clone, Copy, Debug)]
pub struct Seed(u64, u64);

impl Seed {
    /// A new seed from the operating system's randomness.
    pub fn random() -> Self {
        let state = RandomState::new();
        Self(state.hash_one(0), state.hash_one(1))
    }

    /// A seed that is made of a checksum, for a table that shall be the same every time; see `packed`.
    pub fn of_checksum(checksum: u64) -> Self {
        Self(splitmix64(checksum), splitmix64(checksum.wrapping_add(GOLDEN)))
    }

    /// A seed that was kept.
    pub fn of_parts(parts: [u64; 2]) -> Self {
        Self(parts[0], parts[1])
    }

    /// What to keep of a seed.
    pub fn parts(self) -> [u64; 2] {
        [self.0, self.1]
    }

    /// The hash of one 64-bit key.
    #[inline]
    pub fn of_u64(self, key: u64) -> u64 {
        fold(key ^ self.0, GOLDEN ^ self.1)
    }

    /// The hash of one 128-bit key.
    #[inline]
    pub fn of_u128(self, key: u128) -> u64 {
        fold((key as u64) ^ self.0, ((key >> 64) as u64) ^ self.1)
    }

    /// The hash of a byte string.
    #[inline]
    pub fn of_bytes(self, bytes: &[u8]) -> u64 {
        let mut state = self.0 ^ (bytes.len() as u64).wrapping_mul(GOLDEN);
        let mut rest = bytes;
        while let Some((word, behind)) = rest.split_first_chunk() {
            state = fold(state ^ u64::from_le_bytes(*word), self.1);
            rest = behind;
        }
        fold(state ^ short_word(rest), self.1)
    }
}

/// Up to seven bytes as a number that no others of the same length have, read without a loop.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    match *bytes {
        [] => 0,
        [first] => u64::from(first),
        [first, .., last] => u64::from(first) | u64::from(bytes[bytes.len() / 2]) << 8 | u64::from(last) << 16,
    }
}

/// The two halves of a 128-bit product, folded together.
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The number that SplitMix64 gives in a state, in which each bit depends on all of the state. The next state is greater by
/// `GOLDEN`.
///
/// Source: Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators".
pub fn splitmix64(state: u64) -> u64 {
    let number = state.wrapping_add(GOLDEN);
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Seed;

    #[test]
    fn seeds_of_checksums_spread_keys() {
        for checksum in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
            let seed = Seed::of_checksum(checksum);
            let by_number = |key: u32| seed.of_u64(key.into());
            let by_bytes = |key: u32| seed.of_bytes(&key.to_le_bytes());
            for hashes in [(0..4096).map(by_number).collect::<Vec<_>>(), (0..4096).map(by_bytes).collect()] {
                for place in [|hash: u64| hash >> 52, |hash| hash & 4095] {
                    let places: HashSet<u64> = hashes.iter().map(|hash| place(*hash)).collect();
                    // By chance 2589 of the 4096 places are taken; keys that follow each other may do worse.
                    assert!(places.len() > 1200, "{} places with checksum {checksum}", places.len());
                }
            }
        }
    }
}
