//! Which bytes stand side by side in tokens: where two do in none, no token reaches over the place between them.
//!
//! The same argument as for [`SafeCuts`](super::cuts), with one byte on each side: every symbol of every stage of encoding is
//! a token or a single character. So if no token holds two bytes side by side, no symbol reaches over a place between
//! these two, and which merges are done on one side does not depend on the other. A piece may be encoded as two there, if
//! what is done to unknown characters is done behind.
//!
//! Tokens of real vocabularies hold letters with letters, signs with signs, and blanks before both. So nearly every end of a
//! word is such a place, and a text without any pretokenizer falls into words that a cache knows.

use crate::packed::Table;

/// Words of a table of pairs.
const WORDS: usize = (1 << 16) / 64;

/// See the module.
pub struct Borders {
    /// One bit for each pair of bytes that some token holds.
    pairs: Table<u64>,
    /// A text may be cut in two before a space, whatever stands in the halves.
    pub(crate) cuts_texts: bool,
}

impl Borders {
    /// The borders by a table of pairs; None for one of another size.
    pub fn new(pairs: Table<u64>, cuts_texts: bool) -> Option<Self> {
        (pairs.len() == WORDS).then_some(Self { pairs, cuts_texts })
    }

    /// The borders of some tokens.
    pub fn of_tokens<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        Self { pairs: Self::pairs(tokens).into(), cuts_texts: false }
    }

    /// The table.
    pub fn words(&self) -> &[u64] {
        &self.pairs
    }

    /// The pairs that tokens hold.
    pub fn pairs<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Vec<u64> {
        let mut pairs = vec![0; WORDS];
        for token in tokens {
            for pair in token.windows(2) {
                let (word, bit) = place(pair[0], pair[1]);
                pairs[word] |= 1 << bit;
            }
        }
        pairs
    }

    /// Whether a token may hold two bytes side by side.
    #[inline(always)]
    pub fn may_span(&self, before: u8, behind: u8) -> bool {
        let (word, bit) = place(before, behind);
        self.pairs[word] >> bit & 1 == 1
    }
}

#[inline(always)]
fn place(before: u8, behind: u8) -> (usize, u32) {
    let pair = u32::from(before) << 8 | u32::from(behind);
    ((pair / 64) as usize, pair % 64)
}

impl PartialEq for Borders {
    fn eq(&self, other: &Self) -> bool {
        *self.pairs == *other.pairs && self.cuts_texts == other.cuts_texts
    }
}

impl Eq for Borders {}

impl std::fmt::Debug for Borders {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n_pairs: u32 = self.pairs.iter().map(|word| word.count_ones()).sum();
        write!(out, "Borders({n_pairs} pairs)")
    }
}
