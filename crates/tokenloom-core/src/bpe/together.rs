//! Merges several short pieces at the same time, so that their waits for memory overlap.
//!
//! A merge looks up what the new symbol and its neighbours become, in a table that no near cache holds, and the next merge
//! of the piece depends on it. So one merge of each piece is done in turn, and what it needs for the next is asked for.

use super::encode::{Bpe, NO_MERGE};

/// Most pieces that are merged at the same time.
pub const MOST_PIECES: usize = 16;

/// Longest piece, in symbols: for longer ones a search for the lowest rank costs more than a heap.
pub const SHORT: usize = 48;

/// No place.
const NONE: u8 = u8::MAX;

/// A piece that is being merged, of at most `ROOM` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lane<const ROOM: usize> {
    n_bytes: usize,
    symbols: [u32; ROOM],
    /// What each symbol and the one behind it become; none for one that was merged away.
    merges: [u64; ROOM],
    before: [u8; ROOM],
    behind: [u8; ROOM],
    /// The places whose merges must be looked up.
    asked: [u8; 2],
}

impl<const ROOM: usize> Lane<ROOM> {
    /// A piece of at most `ROOM` bytes.
    pub fn new(bpe: &Bpe, piece: &[u8]) -> Self {
        let mut lane = Self {
            n_bytes: piece.len().min(ROOM),
            symbols: [0; ROOM],
            merges: [NO_MERGE; ROOM],
            before: [NONE; ROOM],
            behind: [NONE; ROOM],
            asked: [NONE; 2],
        };
        for (place, byte) in piece.iter().enumerate().take(ROOM) {
            lane.symbols[place] = bpe.byte_id(*byte);
            lane.before[place] = (place as u8).wrapping_sub(1);
            lane.behind[place] = place as u8 + 1;
        }
        for (merge, pair) in lane.merges.iter_mut().zip(piece.windows(2)) {
            *merge = bpe.byte_merge(pair[0], pair[1]);
        }
        lane
    }

    /// Looks up what was asked for, does the next merge, and asks for what that needs. False if there is none.
    #[inline]
    fn step(&mut self, bpe: &Bpe) -> bool {
        for place in self.asked.map(usize::from) {
            if place < ROOM {
                let next = usize::from(self.behind[place]);
                self.merges[place] = bpe.merge(self.symbols[place], self.symbols[next % ROOM]);
            }
        }
        let (mut at, mut lowest) = (0, NO_MERGE);
        for (place, merge) in self.merges[..self.n_bytes].iter().enumerate() {
            if *merge < lowest {
                (at, lowest) = (place, *merge);
            }
        }
        if lowest == NO_MERGE {
            return false;
        }
        let gone = usize::from(self.behind[at]) % ROOM;
        let (before, next) = (self.before[at], self.behind[gone]);
        self.symbols[at] = lowest as u32;
        self.merges[gone] = NO_MERGE;
        self.merges[at] = NO_MERGE;
        self.behind[at] = next;
        self.asked = [NONE; 2];
        if usize::from(next) < self.n_bytes {
            self.before[usize::from(next)] = at as u8;
            self.asked[0] = at as u8;
            bpe.ask_for_merge(self.symbols[at], self.symbols[usize::from(next)]);
        }
        if before != NONE {
            self.asked[1] = before;
            bpe.ask_for_merge(self.symbols[usize::from(before)], self.symbols[at]);
        }
        true
    }

    /// Appends the symbols that are left.
    pub fn finish(&self, ids: &mut Vec<u32>) {
        let mut at = 0;
        while at < self.n_bytes {
            ids.push(self.symbols[at]);
            at = usize::from(self.behind[at]);
        }
    }
}

/// Merges all pieces.
pub fn merge_together<const ROOM: usize>(bpe: &Bpe, lanes: &mut [Lane<ROOM>]) {
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
            n_left += usize::from(lanes[lane].step(bpe));
        }
        n_active = n_left;
    }
}
