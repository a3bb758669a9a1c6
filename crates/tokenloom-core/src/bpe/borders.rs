//! Which bytes stand side by side in tokens: where two do in none, no token reaches over the place between them.
//!
//! The same argument as for [`SafeCuts`](super::cuts), with one byte on each side: every symbol of every stage of encoding is
//! a token or a single character. So if no token holds two bytes side by side, no symbol reaches over a place between
//! these two, and which merges are done on one side does not depend on the other. A piece may be encoded as two there, if
//! what is done to unknown characters is done behind.
//!
//! Tokens of real vocabularies hold letters with letters, signs with signs, and blanks before both. So nearly every end of a
//! word is such a place, and a text without any pretokenizer falls into words that a cache knows.

/// See the module.
#[derive(Clone, PartialEq, Eq)]
pub struct Borders {
    /// One bit for each pair of bytes that some token holds.
    pairs: Vec<u64>,
    /// A text may be cut in two before a space, whatever stands in the halves.
    pub(crate) cuts_texts: bool,
}

impl Borders {
    /// The borders of tokens.
    pub fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>, cuts_texts: bool) -> Self {
        let mut pairs = vec![0; (1 << 16) / 64];
        for token in tokens {
            for pair in token.windows(2) {
                let (word, bit) = place(pair[0], pair[1]);
                pairs[word] |= 1 << bit;
            }
        }
        Self { pairs, cuts_texts }
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

impl std::fmt::Debug for Borders {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n_pairs: u32 = self.pairs.iter().map(|word| word.count_ones()).sum();
        write!(out, "Borders({n_pairs} pairs)")
    }
}
