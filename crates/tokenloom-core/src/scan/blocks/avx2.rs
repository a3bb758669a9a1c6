//! Masks with AVX2: 32 bytes in one register.

use std::arch::x86_64::{
    __m256i, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_sub_epi8,
};

use super::{BLOCK_BYTES, Family, Masker, Masks, Span};

/// Shows that this machine has the instructions: only [`Avx2::detected`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    pub(in crate::scan) fn detected() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Self(()))
    }

    #[inline]
    pub(super) fn scan<F: Family>(self, family: F, span: Span<'_>, start: usize, ends: &mut Vec<usize>) -> usize {
        // SAFETY: `self` exists, so the machine has all that `scan` enables.
        unsafe { scan(self, family, span, start, ends) }
    }
}

/// The loop over the blocks, compiled for these instructions.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn scan<F: Family>(masker: Avx2, family: F, span: Span<'_>, start: usize, ends: &mut Vec<usize>) -> usize {
    super::scan_blocks(masker, family, span, start, ends)
}

impl Masker for Avx2 {
    #[inline(always)]
    fn masks(self, block: &[u8; BLOCK_BYTES]) -> Masks {
        // SAFETY: `self` exists, so the machine has AVX2.
        unsafe { masks(block) }
    }

    #[inline(always)]
    fn letters(self, block: &[u8; BLOCK_BYTES]) -> (u64, u64) {
        // SAFETY: `self` exists, so the machine has AVX2.
        unsafe { letters(block) }
    }
}

/// The two halves of a block.
#[derive(Clone, Copy)]
struct Halves(__m256i, __m256i);

impl Halves {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn read(block: &[u8; BLOCK_BYTES]) -> Self {
        let start: *const __m256i = block.as_ptr().cast();
        // SAFETY: both loads are within the 64 bytes of the block, and need no alignment.
        unsafe { Self(_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) }
    }

    /// The highest bits of the bytes.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn mask(self) -> u64 {
        let (low, high) = (_mm256_movemask_epi8(self.0), _mm256_movemask_epi8(self.1));
        u64::from(low as u32) | u64::from(high as u32) << 32
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn equal(self, byte: u8) -> Self {
        let byte = _mm256_set1_epi8(byte as i8);
        Self(_mm256_cmpeq_epi8(self.0, byte), _mm256_cmpeq_epi8(self.1, byte))
    }

    /// The bytes from `first` to `last`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn range(self, first: u8, last: u8) -> Self {
        let (first, width) = (_mm256_set1_epi8(first as i8), _mm256_set1_epi8((last - first) as i8));
        let (low, high) = (_mm256_sub_epi8(self.0, first), _mm256_sub_epi8(self.1, first));
        let (low_least, high_least) = (_mm256_min_epu8(low, width), _mm256_min_epu8(high, width));
        Self(_mm256_cmpeq_epi8(low, low_least), _mm256_cmpeq_epi8(high, high_least))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn or(self, other: Self) -> Self {
        Self(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1))
    }

    /// The bytes below `limit`, as signed numbers.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn below(self, limit: i8) -> Self {
        let limit = _mm256_set1_epi8(limit);
        Self(_mm256_cmpgt_epi8(limit, self.0), _mm256_cmpgt_epi8(limit, self.1))
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn masks(block: &[u8; BLOCK_BYTES]) -> Masks {
    let bytes = Halves::read(block);
    let space = bytes.equal(b' ');
    let lower = _mm256_set1_epi8(0x20);
    Masks {
        letter: bytes.or(Halves(lower, lower)).range(b'a', b'z').mask(),
        number: bytes.range(b'0', b'9').mask(),
        white: bytes.range(b'\t', b'\r').or(space).mask(),
        line_end: bytes.equal(b'\r').or(bytes.equal(b'\n')).mask(),
        space: space.mask(),
        apostrophe: bytes.equal(b'\'').mask(),
        wide: bytes.mask(),
        upper: bytes.range(b'A', b'Z').mask(),
        lower: bytes.range(b'a', b'z').mask(),
        slash: bytes.equal(b'/').mask(),
        unnamed: bytes.range(0, 0x08).or(bytes.range(0x0E, 0x1F)).or(bytes.equal(0x7F)).mask(),
        ..Masks::default()
    }
}

/// See `Masker::letters`: U+0100 to U+027F and U+0400 to U+047F, and U+4E00 to U+9F7F.
#[target_feature(enable = "avx2")]
#[inline]
fn letters(block: &[u8; BLOCK_BYTES]) -> (u64, u64) {
    let bytes = Halves::read(block);
    // 0x80 to 0xBF
    let inner = bytes.below(-0x40).mask() >> 1;
    let two = bytes.range(0xC4, 0xC9).or(bytes.range(0xD0, 0xD1)).mask() & inner;
    let from_4e00 = bytes.equal(0xE4).mask() & (bytes.range(0xB8, 0xBF).mask() >> 1);
    let to_9f7f = bytes.equal(0xE9).mask() & (bytes.range(0x80, 0xBD).mask() >> 1);
    let three = (bytes.range(0xE5, 0xE8).mask() | from_4e00 | to_9f7f) & inner & (inner >> 1);
    (two, three)
}
