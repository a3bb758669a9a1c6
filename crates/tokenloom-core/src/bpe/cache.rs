//! A bounded memory of short pieces and their ids.
//!
//! Nine of ten pieces of running text were seen before. A slot holds a piece of up to 15 bytes and up to four ids in 32
//! bytes; two slots make a set, which is one cache line. A new piece takes the first slot of its set and moves the other
//! one down, so what is used often comes back and the table never grows.

use crate::hash::Seed;
use crate::memory::prefetch;

/// Longest piece that is kept: its bytes and its length fill a key of 16 bytes.
pub const KEY_BYTES: usize = 15;

/// Set beside the length in the key of a part of a longer piece.
const PART: u8 = 0x80;

/// Most ids that are kept for a piece.
const MOST_IDS: usize = 4;

/// A piece of at most `KEY_BYTES` bytes and its length, in 16 bytes that compare as one integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(16))]
pub struct Key([u8; 16]);

impl Key {
    /// The key of `text[start..end]`; None if the piece is too long.
    #[inline]
    pub fn new(text: &[u8], start: usize, end: usize) -> Option<Self> {
        let length = end - start;
        if length > KEY_BYTES {
            return None;
        }
        let bits = match text.get(start..start + 16).and_then(|window| window.first_chunk()) {
            // Sixteen bytes at once and the foreign ones masked away: cheaper than a copy of unknown length.
            Some(window) => u128::from_le_bytes(*window) & !(u128::MAX << (8 * length)),
            None => {
                let mut word = [0; 16];
                word[..length].copy_from_slice(&text[start..end]);
                u128::from_le_bytes(word)
            }
        };
        Some(Self((bits | (length as u128) << (8 * KEY_BYTES)).to_le_bytes()))
    }

    /// The key of these bytes as a part of a longer piece.
    #[inline]
    pub fn of_part(mut self) -> Self {
        self.0[KEY_BYTES] |= PART;
        self
    }

    /// The piece.
    pub fn bytes(&self) -> &[u8] {
        &self.0[..usize::from(self.0[KEY_BYTES] & !PART)]
    }

    /// The key as one integer.
    #[inline]
    pub fn bits(self) -> u128 {
        u128::from_le_bytes(self.0)
    }
}

/// A piece and its ids. The first id carries their number in its highest byte; ids are below 2^24.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    ids: [u32; MOST_IDS],
}

/// See the module.
pub struct WordCache {
    sets: Vec<[Slot; 2]>,
    seed: Seed,
}

impl WordCache {
    /// A cache of at most `bytes` bytes; 0 for none.
    pub fn new(bytes: usize) -> Self {
        let n_sets = bytes / size_of::<[Slot; 2]>();
        let n_sets = if n_sets == 0 { 0 } else { 1 << n_sets.ilog2() };
        Self { sets: vec![[Slot::default(); 2]; n_sets], seed: Seed::random() }
    }

    /// Asks for the set of a piece, which is seldom in the nearest cache. Done for several pieces before they are
    /// recalled, the waits overlap.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        if let Some(set) = self.sets.get(self.set_of(key)) {
            prefetch(set);
        }
    }

    /// Appends the ids of a piece if they are known, and says whether they were.
    #[inline]
    pub fn recall(&self, key: Key, ids: &mut Vec<u32>) -> bool {
        let Some(set) = self.sets.get(self.set_of(key)) else {
            return false;
        };
        let Some(slot) = set.iter().find(|slot| slot.key == key) else {
            return false;
        };
        // Four ids at once and the foreign ones dropped: cheaper than a copy of unknown length.
        let (n_ids, before) = ((slot.ids[0] >> 24) as usize, ids.len());
        let mut four = slot.ids;
        four[0] &= 0xFF_FFFF;
        ids.extend_from_slice(&four);
        ids.truncate(before + n_ids);
        true
    }

    /// Remembers the ids of a piece, if they are few enough.
    pub fn remember(&mut self, key: Key, ids: &[u32]) {
        if ids.is_empty() || ids.len() > MOST_IDS {
            return;
        }
        let at = self.set_of(key);
        let Some(set) = self.sets.get_mut(at) else {
            return;
        };
        set[1] = set[0];
        set[0].key = key;
        set[0].ids[..ids.len()].copy_from_slice(ids);
        set[0].ids[0] |= (ids.len() as u32) << 24;
    }

    #[inline]
    fn set_of(&self, key: Key) -> usize {
        self.seed.of_u128(key.bits()) as usize & self.sets.len().wrapping_sub(1)
    }
}

impl std::fmt::Debug for WordCache {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "WordCache({} sets)", self.sets.len())
    }
}
