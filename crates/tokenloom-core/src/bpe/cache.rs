//! A bounded memory of pieces and their ids.
//!
//! Nine of ten pieces of running text were seen before. A slot holds a piece of up to 15 bytes and up to four ids in 32
//! bytes; two slots make a set, which is one cache line. A new piece takes the first slot of its set and moves the other
//! one down, so what is used often comes back. The table begins small and grows with what it is given, up to its share of
//! the tokenizer's memory: a short text touches few pages.
//!
//! Characters of three bytes that stand alone between safe cuts, as most of Chinese does, have a table of their own, by
//! number; pieces of more than 15 bytes another.

use std::sync::Arc;

use super::cache_pool::Budget;
use super::long_pieces::LongPieces;
use super::units::Desk;
use crate::hash::Seed;
use crate::memory::{prefetch, with_large_pages};

/// Longest piece that has a key: its bytes and its length fill 16 bytes.
pub const KEY_BYTES: usize = 15;

/// Set beside the length in the key of a part of a longer piece.
const PART: u128 = 1 << 127;

/// The number of bits of an id.
pub const ID_BITS: u32 = 24;

/// Most ids that a slot keeps for a piece.
pub const MOST_IDS: usize = 4;

/// Most ids that are kept for a piece at all.
const MOST_COUNTED: usize = (u32::MAX >> ID_BITS) as usize;

/// Most ids that are kept for a character of three bytes, and the bits of each.
const MOST_CHARACTER_IDS: usize = 3;
const CHARACTER_ID_BITS: u32 = 20;

/// Up to `MOST_IDS` ids, two in each number, and how many they are. No array of small numbers: where one of those is
/// written number by number and read at once, the processor waits.
pub type FewIds = (u64, u64);

/// The number of ids.
#[inline(always)]
pub fn n_ids(ids: FewIds) -> usize {
    (ids.0 as u32 >> ID_BITS) as usize
}

/// The ids that `WordCache::character` has packed, which are less than 2^62.
#[inline(always)]
pub fn unpacked(packed: u64) -> FewIds {
    let id = |place: u32| packed >> (place * CHARACTER_ID_BITS) & ((1 << CHARACTER_ID_BITS) - 1);
    let n_ids = packed >> (3 * CHARACTER_ID_BITS) & 3;
    (id(0) | n_ids << ID_BITS | id(1) << 32, id(2))
}

/// Ids of pieces that have more than a slot holds: first room, and most room, which doubling reaches.
const FIRST_MANY: usize = 1 << 14;
const MOST_MANY: usize = 1 << 19;

/// The bytes that belong to a key, by their number.
const MASKS: [u128; KEY_BYTES + 1] = {
    let mut masks = [0; KEY_BYTES + 1];
    let mut length = 1;
    while length <= KEY_BYTES {
        masks[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    masks
};

/// A piece of at most `KEY_BYTES` bytes and its length, in 16 bytes that compare as one integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Key(u128);

impl Key {
    /// No piece.
    pub const NONE: Self = Self(0);

    /// What stands for the key of something that has none: no key of a piece, but a number below 2^32.
    #[inline]
    pub fn keyless(number: usize) -> Self {
        Self(u128::MAX << 32 | number as u128)
    }

    /// The number of something without a key.
    #[inline(always)]
    pub fn number(self) -> Option<usize> {
        (self.0 >> 64 == u128::MAX >> 64).then_some(self.0 as u32 as usize)
    }

    /// The key of `text[start..end]`; None if the piece is too long.
    #[inline(always)]
    pub fn new(text: &[u8], start: usize, end: usize) -> Option<Self> {
        let length = end - start;
        let mask = *MASKS.get(length)?;
        let bits = match text.get(start..).and_then(|rest| rest.first_chunk()) {
            // Sixteen bytes at once and the foreign ones masked away: cheaper than a copy of unknown length.
            Some(window) => u128::from_le_bytes(*window) & mask,
            None => at_the_end(&text[start..end]),
        };
        Some(Self(bits | (length as u128) << (8 * KEY_BYTES)))
    }

    /// The key of these bytes as a part of a longer piece.
    #[inline]
    pub fn of_part(self) -> Self {
        Self(self.0 | PART)
    }

    /// The key as bytes: the piece, zeros, and its length.
    #[inline]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The key that was made bytes.
    #[inline]
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    /// Whether one of the first two bytes is not ASCII.
    #[inline(always)]
    pub fn begins_outside_ascii(self) -> bool {
        self.0 & 0x8080 > 0
    }

    /// The key as one integer.
    #[inline(always)]
    pub fn bits(self) -> u128 {
        self.0
    }
}

/// The bytes of a piece with fewer than 16 bytes of text from its start.
#[inline(never)]
fn at_the_end(piece: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..piece.len()].copy_from_slice(piece);
    u128::from_le_bytes(word)
}

/// A piece and its ids. The first id carries their number in its highest byte; ids are below 2^24.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    ids: [u64; 2],
}

/// Two pieces with one place for both, in one line of the processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Set([Slot; 2]);

/// See the module.
pub struct WordCache {
    /// Their number is even. A cache with hardly any memory has one, which stays empty without any.
    sets: Vec<Set>,
    seed: Seed,
    /// Pieces that were remembered.
    n_pieces: usize,
    /// Above this number of pieces the table asks for more memory; a cache without memory remembers nothing.
    room: usize,
    /// The ids of pieces that have more than a slot holds.
    many: Vec<u32>,
    /// The ids of characters by scalar value, see `remember_character`; empty before the first.
    characters: Vec<u64>,
    long: LongPieces,
    /// Room for who looks up; None while it is lent.
    desk: Option<Box<Desk>>,
    budget: Arc<Budget>,
    /// Of the budget.
    taken_bytes: usize,
}

impl WordCache {
    /// A cache that takes its memory from a budget; without any it remembers nothing.
    pub fn new(budget: &Arc<Budget>) -> Self {
        let taken_bytes = budget.take_first();
        let room = taken_bytes / size_of::<Set>();
        let n_sets = 1 << room.max(1).ilog2();
        Self {
            sets: vec![Set::default(); n_sets],
            seed: Seed::random(),
            n_pieces: 0,
            room,
            many: Vec::new(),
            characters: Vec::new(),
            long: LongPieces::default(),
            desk: None,
            budget: Arc::clone(budget),
            taken_bytes,
        }
    }

    /// Lends room to look up.
    pub fn take_desk(&mut self) -> Box<Desk> {
        self.desk.take().unwrap_or_default()
    }

    /// Takes the room back.
    pub fn give_back_desk(&mut self, desk: Box<Desk>) {
        self.desk = Some(desk);
    }

    /// The number of the set of a piece.
    #[inline(always)]
    pub fn set_of(&self, key: Key) -> usize {
        // The higher half of the hash, as a fraction of the sets.
        let hash = self.seed.of_u128(key.bits()) >> 32;
        ((hash * self.sets.len() as u64) >> 32) as usize
    }

    /// Asks for a set, which is seldom in the nearest cache. Done for several pieces before they are recalled, the waits
    /// overlap.
    #[inline(always)]
    pub fn prefetch(&self, set: usize) {
        if let Some(set) = self.sets.get(set) {
            prefetch(set);
        }
    }

    /// The slot of a piece in the set that is its own; None if it is not there.
    #[inline(always)]
    pub fn find(&self, set: usize, key: Key) -> Option<usize> {
        let slots = &self.sets.get(set)?.0;
        // No branch tells the two apart: which one it is cannot be foreseen.
        let place = usize::from(slots[1].key == key);
        (slots[place].key == key).then_some(set * 2 + place)
    }

    /// The slot of a piece that had to leave its set.
    pub fn find_displaced(&self, key: Key) -> Option<usize> {
        let set = self.set_of(key);
        if self.sets[set].0[1].key == Key::NONE {
            return None;
        }
        let set = neighbour(set, self.sets.len());
        (self.sets[set].0[1].key == key).then_some(set * 2 + 1)
    }

    /// The ids in a slot. The first one has their number above its `ID_BITS`; if that is more than `MOST_IDS`, see `many`.
    #[inline(always)]
    pub fn ids(&self, slot: usize) -> FewIds {
        let [low, high] = self.sets[slot / 2].0[slot % 2].ids;
        (low, high)
    }

    /// The ids of a slot that has no room for all.
    pub fn many(&self, ids: FewIds) -> &[u32] {
        let (first, n_ids) = ((ids.0 >> 32) as usize, n_ids(ids));
        &self.many[first..first + n_ids]
    }

    /// Remembers the ids of a piece, if their number fits the eight bits above an id: a character outside the vocabulary
    /// can become the bytes of long affixes.
    pub fn remember(&mut self, key: Key, ids: &[u32]) {
        if ids.is_empty() || ids.len() > MOST_COUNTED || self.room == 0 {
            return;
        }
        let mut few = [0; MOST_IDS];
        match few.get_mut(..ids.len()) {
            Some(few) => few.copy_from_slice(ids),
            None => match self.keep_many(ids) {
                Some(first) => few[1] = first,
                None => return,
            },
        }
        few[0] |= (ids.len() as u32) << ID_BITS;
        let [first, second, third, fourth] = few.map(u64::from);
        let slot = Slot { key, ids: [first | second << 32, third | fourth << 32] };
        self.n_pieces += 1;
        if self.n_pieces > self.room {
            self.grow();
        }
        self.enter(slot);
    }

    /// Keeps more ids than a slot has room for, and returns where; None if there is no memory for them. When it is full, all
    /// pieces are forgotten.
    fn keep_many(&mut self, ids: &[u32]) -> Option<u32> {
        if self.many.len() + ids.len() > self.many.capacity() {
            if self.many.capacity() < MOST_MANY && self.take(FIRST_MANY.max(self.many.capacity()) * size_of::<u32>()) {
                self.many.reserve_exact(FIRST_MANY.max(self.many.capacity()));
            } else if self.many.is_empty() {
                return None;
            } else {
                self.many.clear();
                self.sets.fill(Set::default());
            }
        }
        self.many.extend_from_slice(ids);
        Some((self.many.len() - ids.len()) as u32)
    }

    /// Puts a piece into its set. Where that is full it takes the second place, and what was there moves to the neighbour if
    /// that has room: the first places stay with pieces that came early, which are those that come often.
    fn enter(&mut self, slot: Slot) {
        let at = self.set_of(slot.key);
        let beside = neighbour(at, self.sets.len());
        let [first, second] = self.sets[at].0;
        // It is there already if it came twice in one group.
        if first.key == Key::NONE || first.key == slot.key {
            self.sets[at].0[0] = slot;
            return;
        }
        self.sets[at].0[1] = slot;
        if second.key != Key::NONE && self.sets[beside].0[1].key == Key::NONE && self.set_of(second.key) == at {
            self.sets[beside].0[1] = second;
        }
    }

    /// Makes the table twice as large or, if there is not the memory for it, half or a quarter as large again.
    #[cold]
    fn grow(&mut self) {
        let n_sets = self.sets.len();
        let steps = [n_sets, n_sets / 4 * 2, n_sets / 8 * 2];
        let more = steps.into_iter().find(|more| *more > 0 && self.take(more * size_of::<Set>()));
        let Some(more) = more else {
            self.room = usize::MAX;
            return;
        };
        let mut sets = with_large_pages(n_sets + more);
        sets.resize(n_sets + more, Set::default());
        for Set([first, second]) in std::mem::replace(&mut self.sets, sets) {
            for slot in [first, second].into_iter().filter(|slot| slot.key != Key::NONE) {
                self.enter(slot);
            }
        }
        self.room = n_sets + more;
    }

    /// Asks for the ids of a character.
    #[inline(always)]
    pub fn prefetch_character(&self, scalar: usize) {
        if let Some(packed) = self.characters.get(scalar) {
            prefetch(packed);
        }
    }

    /// The ids of a character of three bytes between two safe cuts, packed; 0 if they are not known, and for any other number.
    #[inline(always)]
    pub fn character(&self, number: usize) -> u64 {
        self.characters.get(number).copied().unwrap_or_default()
    }

    /// Remembers the ids of a character of three bytes between two safe cuts, if they fit.
    pub fn remember_character(&mut self, scalar: usize, ids: &[u32]) {
        if ids.is_empty() || ids.len() > MOST_CHARACTER_IDS || ids.iter().any(|id| *id >> CHARACTER_ID_BITS > 0) {
            return;
        }
        if self.characters.is_empty() && !self.take(size_of::<u64>() << 16) {
            return;
        }
        self.characters.resize(1 << 16, 0);
        let pack = |packed, id: &u32| packed << CHARACTER_ID_BITS | u64::from(*id);
        let packed: u64 = ids.iter().rev().fold(0, pack);
        self.characters[scalar] = packed | (ids.len() as u64) << (3 * CHARACTER_ID_BITS);
    }

    /// The ids of a piece without a key.
    #[inline]
    pub fn recall_long(&self, piece: &[u8]) -> Option<&[u32]> {
        self.long.recall(piece)
    }

    /// Remembers the ids of a piece without a key.
    pub fn remember_long(&mut self, piece: &[u8], ids: &[u32]) {
        if LongPieces::takes(piece, ids) && (!self.long.is_empty() || self.take(LongPieces::BYTES)) {
            self.long.remember(piece, ids);
        }
    }

    fn take(&mut self, bytes: usize) -> bool {
        let taken = self.budget.take(bytes);
        self.taken_bytes += if taken { bytes } else { 0 };
        taken
    }
}

/// The set beside a set.
fn neighbour(set: usize, n_sets: usize) -> usize {
    (set ^ 1).min(n_sets - 1)
}

impl Drop for WordCache {
    fn drop(&mut self) {
        self.budget.give_back(self.taken_bytes);
    }
}

impl std::fmt::Debug for WordCache {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "WordCache({} sets)", self.sets.len())
    }
}
