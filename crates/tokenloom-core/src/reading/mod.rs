//! Files of other libraries as arrays, each read as a whole and in one walk.
//!
//! These readers never say what is wrong. They give up, with None, on whatever is unusual: each fault, and what is rare
//! enough to be read slowly. Then a reader outside the core goes over the same bytes with care, and names the fault and
//! its place. So nothing may be accepted here that is refused there.

pub(crate) mod base64;
pub mod hf_json;
mod json;
pub mod rank_file;
pub mod sentencepiece;
mod spelling;
pub mod tekken;

use crate::vocab::{ID_LIMIT, Vocabulary};

/// Token bytes by id, as the description of a tokenizer has them.
#[derive(Debug, PartialEq, Eq)]
pub struct Tokens {
    /// All token bytes, joined in the order of ids.
    pub arena: Vec<u8>,
    /// Where each token begins, and the end. An id without a token has an empty range.
    pub offsets: Vec<u32>,
}

impl Tokens {
    /// No tokens yet, and room for so many bytes.
    fn with_capacity(n_bytes: usize) -> Self {
        Self { arena: Vec::with_capacity(n_bytes), offsets: vec![0] }
    }

    /// One more than the highest id.
    fn n_ids(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Ends the token of an id, whose bytes have been appended to the arena; the ids before it that have none are holes.
    fn end(&mut self, id: u32) -> Option<()> {
        let (id, start) = (id as usize, *self.offsets.last()?);
        let end = u32::try_from(self.arena.len()).ok().filter(|end| *end > start)?;
        if id < self.n_ids() || id >= ID_LIMIT {
            return None;
        }
        if id > self.n_ids() {
            self.offsets.resize(id + 1, start);
        }
        self.offsets.push(end);
        Some(())
    }

    /// The same tokens, if none is there twice and each single byte is one.
    fn distinct_with_all_bytes(self) -> Option<Self> {
        let vocabulary = Vocabulary::of_parts(self.arena, self.offsets).ok()?;
        let has_all_bytes = (0..=u8::MAX).all(|byte| vocabulary.id_of(&[byte]).is_some());
        let (arena, offsets) = vocabulary.into_parts();
        has_all_bytes.then_some(Self { arena, offsets })
    }
}

/// A number below 2^24 in decimal digits without leading zeros, and what stands behind it.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0;
    let mut rest = text;
    while let Some((digit @ b'0'..=b'9', behind)) = rest.split_first() {
        value = value * 10 + u32::from(digit - b'0');
        if value >= ID_LIMIT as u32 {
            return None;
        }
        rest = behind;
    }
    let n_digits = text.len() - rest.len();
    let is_canonical = n_digits == 1 || (n_digits > 1 && text[0] != b'0');
    is_canonical.then_some((value, rest))
}
