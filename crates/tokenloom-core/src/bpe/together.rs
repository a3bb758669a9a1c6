//! Merges several short pieces at the same time, so that their waits for memory overlap.
//!
//! A merge looks up what the new symbol and its neighbours become, in a table that no near cache holds, and the next merge
//! of the piece depends on it. So one merge of each piece is done in turn, and what it needs for the next is asked for.

use super::encode::Bpe;
use super::merges::{Merges, NO_RANK};
use super::pair_map::PairNumber;

/// Most pieces that are merged at the same time.
pub const MOST_PIECES: usize = 16;

/// Longest piece, in symbols: for longer ones a search for the lowest rank costs more than a heap.
pub const SHORT: usize = 48;

/// No merge: more than anything that `ordered` makes.
const NO_MERGE: i32 = i32::MAX;

/// Bits of a place.
const PLACE_BITS: u32 = 6;

/// The rank of a merge and its place as one number: the lowest is merged first, and of equal ranks the leftmost. It has a
/// sign because such numbers are compared four at a time.
#[inline(always)]
fn ordered(rank: u32, place: usize) -> i32 {
    if rank == NO_RANK { NO_MERGE } else { (rank << PLACE_BITS) as i32 | place as i32 }
}

/// A pair whose rank was asked for, and the place of its left symbol.
#[derive(Clone, Copy, Debug)]
struct Asked {
    number: PairNumber,
    place: usize,
}

impl Asked {
    /// No pair: its place is in no lane.
    const NONE: Self = Self { number: PairNumber::NONE, place: usize::MAX };
}

/// A piece that is being merged, of at most `ROOM` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lane<const ROOM: usize> {
    /// The merge of each symbol with the one behind it, see `ordered`.
    merges: [i32; ROOM],
    symbols: [u32; ROOM],
    /// The places of the symbols that are left.
    left: u64,
    asked: [Asked; 2],
}

impl<const ROOM: usize> Lane<ROOM> {
    /// A piece of at most `ROOM` bytes.
    pub fn new(bpe: &Bpe, piece: &[u8]) -> Self {
        let mut lane = Self {
            merges: [NO_MERGE; ROOM],
            symbols: [0; ROOM],
            left: u64::MAX.checked_shr(u64::BITS - piece.len().min(ROOM) as u32).unwrap_or(0),
            asked: [Asked::NONE; 2],
        };
        for (symbol, byte) in lane.symbols.iter_mut().zip(piece) {
            *symbol = bpe.byte_id(*byte);
        }
        for ((merge, pair), place) in lane.merges.iter_mut().zip(piece.windows(2)).zip(0..) {
            *merge = ordered(bpe.byte_rank(pair[0], pair[1]), place);
        }
        lane
    }

    /// Looks up what was asked for, does the next merge, and asks for what that needs. False if there is none.
    #[inline]
    fn step(&mut self, merges: &Merges) -> bool {
        for asked in self.asked {
            if let Some(merge) = self.merges.get_mut(asked.place) {
                *merge = ordered(merges.rank_of(asked.number), asked.place);
            }
        }
        let lowest = self.merges.iter().fold(NO_MERGE, |lowest, merge| lowest.min(*merge));
        if lowest == NO_MERGE {
            return false;
        }
        let (at, symbol) = (lowest as usize & ((1 << PLACE_BITS) - 1), merges.result(lowest as u32 >> PLACE_BITS));
        let behind = self.left & (u64::MAX - 1) << at;
        let gone = behind.trailing_zeros() as usize;
        let (behind, before) = (behind & (behind - 1), self.left & ((1 << at) - 1));
        self.left &= !(1 << gone);
        self.symbols[at % ROOM] = symbol;
        self.merges[at % ROOM] = NO_MERGE;
        self.merges[gone % ROOM] = NO_MERGE;
        self.asked = [Asked::NONE; 2];
        if behind > 0 {
            let number = merges.number(symbol, self.symbols[behind.trailing_zeros() as usize % ROOM]);
            merges.prefetch(number);
            self.asked[0] = Asked { number, place: at };
        }
        if before > 0 {
            let place = before.ilog2() as usize;
            let number = merges.number(self.symbols[place % ROOM], symbol);
            merges.prefetch(number);
            self.asked[1] = Asked { number, place };
        }
        true
    }

    /// Appends the symbols that are left.
    pub fn finish(&self, ids: &mut Vec<u32>) {
        let mut left = self.left;
        while left > 0 {
            ids.push(self.symbols[left.trailing_zeros() as usize % ROOM]);
            left &= left - 1;
        }
    }
}

/// Merges all pieces.
pub fn merge_together<const ROOM: usize>(merges: &Merges, lanes: &mut [Lane<ROOM>]) {
    let mut active = [0; MOST_PIECES];
    let mut n_active = lanes.len().min(MOST_PIECES);
    for (lane, place) in active.iter_mut().zip(0..) {
        *lane = place;
    }
    while n_active > 0 {
        let mut n_left = 0;
        for place in 0..n_active {
            let lane = active[place];
            active[n_left] = lane;
            n_left += usize::from(lanes[lane].step(merges));
        }
        n_active = n_left;
    }
}
