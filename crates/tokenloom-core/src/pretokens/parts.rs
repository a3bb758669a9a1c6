//! Pretokens that are too long, cut into parts.

use crate::error::{Error, Result};
use crate::scan::classes;

/// The bytes of the longest character.
const CHARACTER_BYTES: usize = 4;

/// The most bytes of a pretoken.
#[derive(Clone, Copy, Debug)]
pub struct Limit(usize);

impl Limit {
    /// None for no limit. A part must have room for any character.
    pub fn new(max_pretoken_bytes: Option<usize>) -> Result<Self> {
        match max_pretoken_bytes {
            Some(max_bytes) if max_bytes < CHARACTER_BYTES => Err(Error::PretokenLimit { max_bytes }),
            limit => Ok(Self(limit.unwrap_or(usize::MAX))),
        }
    }

    /// Which of some pieces is the first that is too long; the first of them begins at `start`.
    #[inline]
    pub fn first_too_long(self, mut start: usize, ends: &[usize]) -> Option<usize> {
        if self.0 == usize::MAX {
            return None;
        }
        ends.iter().position(|end| *end - std::mem::replace(&mut start, *end) > self.0)
    }

    /// The most parts that a pretoken of so many bytes has.
    pub fn most_parts(self, n_bytes: usize) -> usize {
        n_bytes.div_ceil(self.0 - (CHARACTER_BYTES - 1))
    }

    /// Where the first part of `text[start..]` ends. Parts are as long as they may be and end between characters; a byte
    /// that is in none is one.
    pub fn part_end(self, text: &[u8], start: usize) -> usize {
        if text.len() - start <= self.0 {
            return text.len();
        }
        let end = start + self.0;
        let is_over_end = |at: &usize| at + classes::class_at(text, *at).1 > end;
        (end + 1 - CHARACTER_BYTES..end).find(is_over_end).unwrap_or(end)
    }
}
