//! A checksum that costs less than reading the memory: it finds damage, not forgery.

/// Words that are summed side by side, so that their multiplications overlap.
const LANES: usize = 8;

/// Odd, so that a product says what was multiplied: the fractional part of the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The checksum of some bytes.
///
/// They are read as little-endian words, and zeros fill up the last ones. Word i goes into sum i mod 8, which becomes
/// (sum xor word) * factor, turned left by 29 bits; each sum begins as its number. At the end the eight sums, then the
/// number of bytes, go into one more sum in the same way. Every step can be undone, so two contents of one length that
/// differ in one word never have the same checksum, and others by chance once in 2^64.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| lane as u64);
    let (blocks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    for block in blocks {
        add(&mut lanes, block);
    }
    if !rest.is_empty() {
        let mut last = [0; 8 * LANES];
        last[..rest.len()].copy_from_slice(rest);
        add(&mut lanes, &last);
    }
    lanes.into_iter().chain([bytes.len() as u64]).fold(0, step)
}

#[inline]
fn add(lanes: &mut [u64; LANES], block: &[u8; 8 * LANES]) {
    for (lane, word) in lanes.iter_mut().zip(block.as_chunks().0) {
        *lane = step(*lane, u64::from_le_bytes(*word));
    }
}

#[inline]
fn step(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::{FACTOR, checksum};

    #[test]
    fn the_checksum_is_that_of_its_definition() {
        // Word by word, over lengths around words and blocks.
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 200] {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 11) as u8).collect();
            let mut padded = bytes.clone();
            padded.resize(bytes.len().next_multiple_of(64), 0);
            let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
            let mut sums = [0, 1, 2, 3, 4, 5, 6, 7];
            for (at, word) in padded.as_chunks().0.iter().enumerate() {
                sums[at % 8] = step(sums[at % 8], u64::from_le_bytes(*word));
            }
            let one = sums.into_iter().fold(0, step);
            assert_eq!(checksum(&bytes), step(one, bytes.len() as u64), "{length} bytes");
        }
    }

    #[test]
    fn every_flipped_bit_changes_it() {
        let bytes: Vec<u8> = (0..150_u8).collect();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&changed), checksum(&bytes), "bit {bit}");
        }
    }

    #[test]
    fn zeros_at_the_end_are_not_nothing() {
        assert_ne!(checksum(b"a"), checksum(b"a\0"));
        assert_ne!(checksum(b""), checksum(b"\0"));
    }
}
