//! BPE-dropout: byte-pair encoding in which each merge that could be made is left out by chance, at every step anew.
//!
//! A step looks at all places where a pair stands that can be merged, the lowest rank first and of equal ranks the
//! leftmost, and throws a die for each until one is not left out: that one is merged. The piece is done when all of them
//! are left out at once. This is the paper's algorithm, in which a die is thrown for every place before the best of those
//! that are left is taken: what lies behind the first that stays changes nothing.
//!
//! The dice are SplitMix64, begun anew for each piece from the seed, the bytes of the text and the number of the piece in
//! it, so that neither threads nor other texts change them. No cache is asked: the same word comes out in many ways.
//!
//! An entry that is left out is left out again at the next step with the same probability, whatever becomes of the others.
//! So one die says at how many steps in a row, and till then the entry sleeps: near p = 1 nearly all entries do, and to
//! throw for each of them at each step would take quadratic time. A die that says of a later step that the entry stays
//! holds for that step alone, since another one may be merged then. What a die has said is forgotten with the pair.
//!
//! Work is O(n log n) for a piece of n symbols and merges that were learned, in which the pairs of a new token come later:
//! then few entries wake at a step and are not merged. For any merges it is that times 1 / (1 - p) at most.
//!
//! Source: Provilkov, Emelianenko and Voita 2020, "BPE-Dropout: Simple and Effective Subword Regularization", algorithm 1.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::encode::{Chain, TICK_ENTRIES};
use super::merges::Merges;
use crate::Tick;
use crate::dice::{Dice, text_key};
use crate::encoder::Encoder;
use crate::error::{Error, Result};

/// With which probability merges are left out, and which dice say so.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    shares: Shares,
    seed: u64,
}

impl Dropout {
    /// None if the probability is not from 0 to 1.
    pub fn new(probability: f64, seed: u64) -> Option<Self> {
        // The product is exact, since only the exponent changes.
        let below = (probability * 2_f64.powi(64)) as u128;
        (0.0..=1.0).contains(&probability).then(|| Self { shares: Shares::new(below), seed })
    }

    /// What the dice of all pieces of a text are made of.
    pub fn of_text(self, text: &[u8]) -> TextDropout {
        TextDropout { shares: self.shares, key: text_key(self.seed, text), ..TextDropout::default() }
    }
}

/// The probabilities to be left out at 1, 2, 4, ... steps in a row, of 2^64.
#[derive(Clone, Copy, Debug, Default)]
struct Shares([u128; 32]);

impl Shares {
    fn new(below: u128) -> Self {
        let mut shares = [below; 32];
        for power in 1..shares.len() {
            shares[power] = times(shares[power - 1], shares[power - 1]);
        }
        Self(shares)
    }

    /// At how many steps in a row an entry is left out that has this number, with so many binary digits at most.
    fn n_left_out(&self, number: u64, n_digits: u32) -> u32 {
        let number = u128::from(number);
        if number >= self.0[0] {
            return 0;
        }
        let (mut share, mut n_steps) = (1 << 64, 0);
        for digit in (0..n_digits).rev() {
            let longer = times(share, self.0[digit as usize]);
            if number < longer {
                (share, n_steps) = (longer, n_steps | 1 << digit);
            }
        }
        n_steps
    }
}

/// The product of two shares of 2^64, rounded down.
fn times(left: u128, right: u128) -> u128 {
    let one = 1 << 64;
    if left == one {
        right
    } else if right == one {
        left
    } else {
        (left * right) >> 64
    }
}

/// Encodes the pieces of one text, in their order.
#[derive(Debug, Default)]
pub struct TextDropout {
    shares: Shares,
    key: u64,
    n_pieces: u64,
    work: Work,
}

/// What the work on a piece needs; made for the first one.
#[derive(Debug, Default)]
struct Work {
    symbols: Vec<u32>,
    chain: Chain,
    /// For each place the step at which its pair stays, as the last die said; 0 if none was thrown for it.
    stays: Vec<u32>,
    /// Pairs of which it is not known that they are left out at this step.
    heap: BinaryHeap<Entry>,
    /// The others, by the step at which they stay, and their place.
    asleep: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Rank and place of a pair that can be merged.
type Entry = Reverse<(u32, u32)>;

impl TextDropout {
    /// Appends the ids of the next piece.
    pub fn encode(&mut self, model: &Encoder, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let mut dice = Dice::of_piece(self.key, self.n_pieces);
        self.n_pieces += 1;
        let symbols = &mut self.work.symbols;
        symbols.clear();
        let merges = match model {
            Encoder::Bytes(bpe) => {
                symbols.extend(piece.iter().map(|byte| bpe.byte_id(*byte)));
                bpe.merges()
            }
            Encoder::Characters(bpe) => {
                *symbols = bpe.start_ids(piece, tick)?;
                bpe.merges()
            }
            Encoder::Scored(_) | Encoder::Wordpiece(_) | Encoder::Unigram(_) | Encoder::Words(_) => {
                return Err(Error::NoMerges { what: "dropout" });
            }
        };
        self.work.merge(merges, &self.shares, &mut dice, tick)?;
        ids.extend(self.work.chain.symbols());
        Ok(())
    }
}

impl Work {
    /// Merges the symbols in the chain.
    fn merge(&mut self, merges: &Merges, shares: &Shares, dice: &mut Dice, tick: Tick<'_>) -> Result<()> {
        let n_symbols = self.begin(merges, tick)?;
        let n_digits = u32::BITS - n_symbols.leading_zeros();
        let (mut step, mut since_tick) = (1, 0);
        while let Some(best) = self.heap.pop() {
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
            let Reverse((rank, at)) = best;
            let stays = self.stays[at as usize];
            // Out of date: the pair has been merged or changed. One that is left out may come twice.
            if stays > step || entry(merges, &self.chain, at) != Some(best) {
                continue;
            }
            if stays < step {
                let n_steps = shares.n_left_out(dice.throw(), n_digits);
                let stays = step.saturating_add(n_steps);
                self.stays[at as usize] = stays;
                if n_steps > 0 {
                    // There are fewer merges than symbols.
                    if stays < n_symbols {
                        self.asleep.push(Reverse((stays, at)));
                    }
                    continue;
                }
            }
            self.join(merges, rank, at);
            step += 1;
            self.wake(merges, step);
        }
        Ok(())
    }

    /// Makes the chain of the symbols and the heap of their pairs; says how many symbols there are.
    fn begin(&mut self, merges: &Merges, tick: Tick<'_>) -> Result<u32> {
        let too_long = || Error::PieceTooLong { length_bytes: self.symbols.len() };
        let n_symbols = u32::try_from(self.symbols.len()).ok().filter(|length| *length <= u32::MAX >> 1);
        let n_symbols = n_symbols.ok_or_else(too_long)?;
        self.chain.refill(self.symbols.iter().copied(), n_symbols);
        self.stays.clear();
        self.stays.resize(self.symbols.len(), 0);
        self.asleep.clear();
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        for at in 0..n_symbols {
            if at > 0 && u64::from(at).is_multiple_of(TICK_ENTRIES) {
                tick(0)?;
            }
            entries.extend(entry(merges, &self.chain, at));
        }
        self.heap = BinaryHeap::from(entries);
        Ok(n_symbols)
    }

    /// Joins the symbol at a place with the next one. No die was thrown for the pairs of the new one.
    fn join(&mut self, merges: &Merges, rank: u32, at: u32) {
        self.chain.merge(at, merges.result(rank));
        for at in [Some(at), self.chain.left_of(at)].into_iter().flatten() {
            self.stays[at as usize] = 0;
            self.heap.extend(entry(merges, &self.chain, at));
        }
    }

    /// Puts back the pairs that stay at this step.
    fn wake(&mut self, merges: &Merges, step: u32) {
        while let Some(Reverse((stays, at))) = self.asleep.peek().copied().filter(|first| first.0.0 <= step) {
            self.asleep.pop();
            if self.stays[at as usize] == stays {
                self.heap.extend(entry(merges, &self.chain, at));
            }
        }
    }
}

/// Rank and place of the pair that begins at a place, if it can be merged.
fn entry(merges: &Merges, chain: &Chain, at: u32) -> Option<Entry> {
    let rank = chain.right_of(at).and_then(|right| merges.rank(chain.symbol(at), chain.symbol(right)));
    rank.map(|rank| Reverse((rank, at)))
}

#[cfg(test)]
mod tests {
    use super::{Dice, Dropout, Shares};

    #[test]
    fn a_share_that_is_none_is_refused() {
        for share in [-0.1, 1.000_001, f64::NAN, f64::INFINITY, -f64::INFINITY] {
            assert!(Dropout::new(share, 0).is_none(), "{share}");
        }
    }

    fn shares_of(probability: f64) -> Shares {
        Dropout::new(probability, 0).map_or_else(Shares::default, |dropout| dropout.shares)
    }

    #[test]
    fn so_many_are_left_out_as_was_said() {
        for (share, least, most) in [(0.0, 0, 0), (0.1, 900, 1100), (0.9, 8900, 9100), (1.0, 10_000, 10_000)] {
            let (shares, mut dice) = (shares_of(share), Dice { state: 7 });
            let n_left_out = (0..10_000).filter(|_| shares.n_left_out(dice.throw(), 5) > 0).count();
            assert!((least..=most).contains(&n_left_out), "{n_left_out} of 10,000 with {share}");
        }
    }

    #[test]
    fn a_row_of_steps_is_as_long_as_single_dice_make_it() {
        for (share, number, n_steps) in [
            (0.5, 1 << 63, 0),
            (0.5, (1 << 63) - 1, 1),
            (0.5, 1 << 62, 1),
            (0.5, 1 << 58, 5),
            (0.5, 0, 31),
            (1.0, u64::MAX, 31),
            (0.0, 0, 0),
        ] {
            assert_eq!(shares_of(share).n_left_out(number, 5), n_steps, "{number} with {share}");
        }
        let (shares, mut dice) = (shares_of(0.9), Dice { state: 1 });
        let n_longer = (0..10_000).filter(|_| shares.n_left_out(dice.throw(), 10) >= 13).count();
        assert!((2400..2690).contains(&n_longer), "{n_longer}: 0.9 to the 13th is 0.254");
    }

    #[test]
    fn dice_follow_from_seed_and_text() {
        let key = |seed, text: &[u8]| Dropout::new(0.5, seed).map(|dropout| dropout.of_text(text).key);
        assert_eq!(key(1, b"some text"), key(1, b"some text"));
        assert_ne!(key(1, b"some text"), key(2, b"some text"));
        assert_ne!(key(1, b"some text"), key(1, b"some texT"));
        assert_ne!(key(1, b"a\0"), key(1, b"a"), "what fills the last word is no text");
    }
}
