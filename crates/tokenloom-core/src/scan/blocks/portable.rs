//! Masks with instructions that every machine has: eight bytes in one 64-bit number.

use super::{BLOCK_BYTES, Masker, Masks};

/// Eight bytes at a time.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

/// The highest bit of each byte.
const HIGH: u64 = each(0x80);

const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The highest bits of the bytes from `first` to `last`, which are ASCII. `low` are the bytes without their highest bits, so
/// no byte carries into the next one.
#[inline(always)]
const fn range(low: u64, first: u8, last: u8) -> u64 {
    let from_first = low + each(0x80 - first);
    let behind_last = low + each(0x7F - last);
    from_first & !behind_last & HIGH
}

/// The highest bits of eight bytes, side by side.
#[inline(always)]
const fn gathered(high_bits: u64) -> u64 {
    (high_bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

impl Masker for Portable {
    #[inline(always)]
    fn masks(self, block: &[u8; BLOCK_BYTES]) -> Masks {
        let mut masks = Masks::default();
        let (words, _) = block.as_chunks::<8>();
        for (place, word) in words.iter().enumerate() {
            let bytes = u64::from_le_bytes(*word);
            let ascii = !bytes & HIGH;
            let low = bytes & !HIGH;
            let add = |mask: &mut u64, high_bits: u64| *mask |= gathered(high_bits) << (8 * place);
            let space = range(low, b' ', b' ') & ascii;
            add(&mut masks.letter, range(low | each(0x20), b'a', b'z') & ascii);
            add(&mut masks.number, range(low, b'0', b'9') & ascii);
            add(&mut masks.white, (range(low, b'\t', b'\r') & ascii) | space);
            add(&mut masks.line_end, (range(low, b'\r', b'\r') | range(low, b'\n', b'\n')) & ascii);
            add(&mut masks.space, space);
            add(&mut masks.apostrophe, range(low, b'\'', b'\'') & ascii);
            add(&mut masks.wide, bytes & HIGH);
            add(&mut masks.upper, range(low, b'A', b'Z') & ascii);
            add(&mut masks.lower, range(low, b'a', b'z') & ascii);
            add(&mut masks.slash, range(low, b'/', b'/') & ascii);
            let control = range(low, 0, 0x08) | range(low, 0x0E, 0x1F) | range(low, 0x7F, 0x7F);
            add(&mut masks.unnamed, control & ascii);
        }
        masks
    }
    /// U+5000 to U+8FFF alone: more ranges cost more than a look at each character.
    #[inline(always)]
    fn letters(self, block: &[u8; BLOCK_BYTES]) -> (u64, u64) {
        let (mut firsts, mut inner) = (0, 0);
        let (words, _) = block.as_chunks::<8>();
        for (place, word) in words.iter().enumerate() {
            let bytes = u64::from_le_bytes(*word);
            let wide = bytes & HIGH;
            // 0xE5 to 0xE8, and 0x80 to 0xBF.
            firsts |= gathered(range(bytes & !HIGH, 0x65, 0x68) & wide) << (8 * place);
            inner |= gathered(wide & !(bytes << 1)) << (8 * place);
        }
        (0, firsts & (inner >> 1) & (inner >> 2))
    }
}
