//! Piece starts by bit masks: 64 bytes at a time instead of one character at a time.
//!
//! A block is read as masks, one bit a byte: where letters are, where blanks are, and so on ([`Masks`]). A family then
//! finds all starts of pieces in it by shifts and additions of 64-bit numbers ([`Family::starts`]), and the bits that are
//! set become places.
//!
//! Every block begins at the start of a piece, namely the last one that the block before it has found. Scanners keep no
//! state between pieces, so nothing is carried from block to block, at the price of reading a piece in part twice (a
//! tenth of the bytes of English). A family may leave out starts at the end of a block that it cannot decide, and give up
//! a block that is hard; then the functions for single pieces go on. They are the definition: see `piece_end` of each
//! family.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod borders;
mod cl100k;
mod deepseek;
mod gpt2;
mod o200k;
mod portable;
mod wide;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
pub(super) use borders::BorderFamily;
pub(super) use deepseek::DeepseekV3;
pub(super) use gpt2::Gpt2;

use super::classes::{self, Class};
use super::simd::Simd;
use portable::Portable;
use wide::Group;

const BLOCK_BYTES: usize = 64;

/// What follows a text can change the starts in so many bytes of its end: it can end a contraction.
const UNSURE_BYTES: usize = 3;

/// What stands at each byte of a block. The bytes of a character are all of its kind, but for those that only ASCII has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Masks {
    /// Of any case, or of none.
    letter: u64,
    number: u64,
    white: u64,
    line_end: u64,
    space: u64,
    apostrophe: u64,
    /// Not ASCII.
    wide: u64,
    /// Not the first byte of its character.
    inner: u64,
    /// Letters by case. Those that are not ASCII are in these or in `letter`, as the family likes.
    upper: u64,
    lower: u64,
    caseless: u64,
    mark: u64,
    slash: u64,
    /// Neither letter, mark, number, white, punctuation nor symbol.
    unnamed: u64,
    /// What DeepSeek's second pattern takes, if it is a letter or a mark; then it is in no other set.
    cjk: u64,
    /// The rest of what it takes.
    cjk_sign: u64,
}

impl Masks {
    /// What is no letter, number or white.
    #[inline(always)]
    fn other(&self) -> u64 {
        !(self.letter | self.number | self.white)
    }

    /// First bytes of the characters of `kind` that stand right before one of `next`. Those at the end of the block are left out.
    #[inline(always)]
    fn before(&self, kind: u64, next: u64) -> u64 {
        let mut last = kind & (next >> 1);
        if self.inner & last != 0 {
            // No white character has more than three bytes.
            last = (last & !self.inner) | (last & self.inner) >> 1;
            last = (last & !self.inner) | (last & self.inner) >> 1;
        }
        last
    }

    /// All bytes of the characters whose first bytes these are.
    #[inline(always)]
    fn whole(&self, firsts: u64) -> u64 {
        let mut bytes = firsts;
        if self.inner != 0 {
            for _ in 1..4 {
                bytes |= (bytes << 1) & self.inner;
            }
        }
        bytes
    }
}

/// A text, and where pieces are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    pub text: &'a [u8],
    /// See `Scanner::scan`.
    pub stop: usize,
    pub at_end: bool,
}

/// Reads blocks as masks.
trait Masker: Copy {
    /// All that can be said without looking at characters that are not ASCII: these are only in `wide`.
    fn masks(self, block: &[u8; BLOCK_BYTES]) -> Masks;

    /// First bytes of characters that are letters for sure, of two bytes, and of ideographs from U+4E00 on, of three bytes.
    /// What is left out is only slower.
    fn letters(self, _block: &[u8; BLOCK_BYTES]) -> (u64, u64) {
        (0, 0)
    }
}

/// A pattern whose pieces can be found in blocks.
pub trait Family: Copy {
    /// Which mask the two-byte letters are in that are letters for sure; None if the family must look at each.
    const TWO_BYTE_LETTERS: Option<Group> = Some(Group::Letter);
    /// Which mask the ideographs from U+4E00 on are in.
    const IDEOGRAPHS: Group = Group::Letter;
    /// Whether it matters what characters outside ASCII are.
    const LOOKS_AT_WIDE: bool = true;

    /// Which mask the character at a place is in, which is not ASCII.
    #[inline(always)]
    fn group(class: Class, _text: &[u8], _at: usize) -> Group {
        wide::plain(class)
    }

    /// The starts of pieces in the block at `at`, where a piece begins, up to a place from which on there is none; None
    /// where this is hard to say.
    fn starts(self, span: Span<'_>, at: usize, masks: &Masks) -> Option<u64>;

    /// Writes the ends of the pieces from `start` on until one reaches `stop`, one after the other, and returns the last.
    fn scan_pieces(self, span: Span<'_>, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize;
}

/// See `Scanner::scan`.
#[inline]
pub fn scan<F: Family>(simd: Simd, family: F, span: Span<'_>, start: usize, ends: &mut Vec<usize>) -> usize {
    match simd {
        Simd::None => family.scan_pieces(span, start, span.stop, ends),
        Simd::Portable => scan_blocks(Portable, family, span, start, ends),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2(avx2) => avx2.scan(family, span, start, ends),
    }
}

#[inline(always)]
fn scan_blocks<M: Masker, F: Family>(
    masker: M,
    family: F,
    span: Span<'_>,
    start: usize,
    ends: &mut Vec<usize>,
) -> usize {
    let Span { text: whole, stop, at_end } = span;
    let text = if at_end { whole } else { without_unfinished(whole, start) };
    let n_sure = if at_end { text.len() } else { text.len().saturating_sub(UNSURE_BYTES) };
    let mut at = start;
    while at < stop {
        let filled;
        let is_last = at + BLOCK_BYTES > n_sure;
        let block = match text[at..].first_chunk() {
            Some(block) if !is_last => block,
            _ => {
                filled = last_block(&text[at..]);
                &filled
            }
        };
        let mut masks = masker.masks(block);
        if F::LOOKS_AT_WIDE && masks.wide != 0 {
            wide::add::<M, F>(masker, block, &text[at..], &mut masks);
        }
        let found = family.starts(Span { text, stop, at_end }, at, &masks);
        let mut starts = found.unwrap_or(0) & !1;
        if stop.min(n_sure) < at + BLOCK_BYTES {
            starts = up_to(starts, stop - at, n_sure.saturating_sub(at));
        }
        if starts != 0 {
            write_ends(at, starts, ends);
            at += starts.ilog2() as usize;
        } else {
            let next_stop = if found.is_some() { at + 1 } else { stop.min(at + BLOCK_BYTES) };
            let end = family.scan_pieces(span, at, next_stop, ends);
            if end == at {
                return at;
            }
            at = end;
        }
        if is_last {
            return if at < stop { family.scan_pieces(span, at, stop, ends) } else { at };
        }
    }
    at
}

/// The rest of a text, and white up to the end of a block: that decides about nothing before it.
#[cold]
fn last_block(text: &[u8]) -> [u8; BLOCK_BYTES] {
    let mut block = [b' '; BLOCK_BYTES];
    let n_bytes = text.len().min(BLOCK_BYTES);
    block[..n_bytes].copy_from_slice(&text[..n_bytes]);
    block
}

/// The text without a character behind `start` that is not there to its end.
fn without_unfinished(text: &[u8], start: usize) -> &[u8] {
    let end = (start.max(text.len().saturating_sub(3))..text.len()).find(|at| classes::is_incomplete(text, *at));
    &text[..end.unwrap_or(text.len())]
}

/// The starts before `n_sure`, of them the first that reaches `stop` and those before it.
fn up_to(starts: u64, stop: usize, n_sure: usize) -> u64 {
    let below = |place: usize| 1_u64.checked_shl(place as u32).map_or(u64::MAX, |bit| bit - 1);
    let starts = starts & below(n_sure);
    let behind = starts & !below(stop);
    (starts & below(stop)) | (behind & behind.wrapping_neg())
}

/// Places that are written without asking whether there are as many.
const AT_ONCE: usize = 8;

/// Appends the places of the bits of `starts`, counted from `at`.
#[inline(always)]
fn write_ends(at: usize, starts: u64, ends: &mut Vec<usize>) {
    ends.reserve(BLOCK_BYTES);
    let length = ends.len() + starts.count_ones() as usize;
    let mut left = starts;
    for places in ends.spare_capacity_mut().chunks_exact_mut(AT_ONCE) {
        for place in places {
            place.write(at + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
        }
        if left == 0 {
            break;
        }
    }
    // SAFETY: the loop ends when every bit has been written, in order from the old length on. There are 64 bits at most and
    // room for 64 places, which is a multiple of what each step writes, so the chunks do not end before the bits.
    unsafe { ends.set_len(length) };
}

/// All places that can be reached from `starts` through `through`, and those right behind: with `starts` themselves.
#[inline(always)]
fn reach(starts: u64, through: u64) -> u64 {
    ((starts & through).wrapping_add(through) ^ through) | starts
}
