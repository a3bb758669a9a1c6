//! A bounded memory of pieces and their ids.
//!
//! Nine of ten pieces of running text were seen before. A place holds a piece of up to 11 bytes and its id in 16 bytes, and a
//! set of four is one line of the processor's cache; pieces of up to 15 bytes take two places. Pieces of several ids, a
//! twelfth of running text, have these elsewhere. The table begins small and grows with what it is given, up to its share of
//! the tokenizer's memory: a short text touches few pages.
//!
//! Characters of three bytes that stand alone between safe cuts, as most of Chinese does, have a table of their own, by
//! number; pieces of more than 15 bytes another.

use std::sync::Arc;

use super::cache_pool::Budget;
use super::first_level::FirstLevel;
use super::group::Scratch;
use super::key::{Key, ShortKey};
use super::long_pieces::LongPieces;
use super::word_sets::Set;
use crate::hash::Seed;
use crate::memory::{prefetch, with_large_pages};

/// The number of bits of an id.
pub const ID_BITS: u32 = 24;

/// The bits of an id.
pub const ID_MASK: u32 = u32::MAX >> (u32::BITS - ID_BITS);

/// Most ids that are kept for a piece.
const MOST_COUNTED: usize = (u32::MAX >> ID_BITS) as usize;

/// Most ids that are kept for a character of three bytes, and the bits of each.
pub const MOST_CHARACTER_IDS: usize = 3;
const CHARACTER_ID_BITS: u32 = 20;

/// What is kept for a piece: in the highest byte the number of its ids; below, its only id or where its ids begin among those
/// of all pieces with several.
pub type Value = u32;

/// The number of ids.
#[inline(always)]
pub fn n_ids(value: Value) -> usize {
    (value >> ID_BITS) as usize
}

/// The ids that `WordCache::character` has packed, which are less than 2^62, and their number.
#[inline(always)]
pub fn unpacked(packed: u64) -> ([u32; MOST_CHARACTER_IDS], usize) {
    let id = |place: u32| (packed >> (place * CHARACTER_ID_BITS)) as u32 & ((1 << CHARACTER_ID_BITS) - 1);
    ([id(0), id(1), id(2)], (packed >> (3 * CHARACTER_ID_BITS)) as usize & 3)
}

/// Ids of pieces that have several: first room, and most room, which doubling reaches.
const FIRST_MANY: usize = 1 << 10;
const MOST_MANY: usize = 1 << 22;

/// So many sets grow when they have more pieces than this: five for each two.
fn room_of(n_sets: usize) -> usize {
    n_sets * 5 / 2
}

/// See the module.
pub struct WordCache {
    /// A cache with hardly any memory has one, which stays empty without any.
    sets: Vec<Set>,
    /// In front of the sets; None without the memory for it.
    first_level: Option<Box<FirstLevel>>,
    seed: Seed,
    /// Pieces that were remembered.
    n_pieces: usize,
    /// Above this number of pieces the table asks for more memory; a cache without memory remembers nothing.
    room: usize,
    /// The ids of pieces that have several.
    many: Vec<u32>,
    /// The ids of characters by scalar value, see `remember_character`; empty before the first.
    characters: Vec<u64>,
    long: LongPieces,
    /// Room for who looks up; None while it is lent.
    scratch: Option<Box<Scratch>>,
    budget: Arc<Budget>,
    /// Of the budget.
    taken_bytes: usize,
}

impl WordCache {
    /// A cache that takes its memory from a budget; without any it remembers nothing.
    pub fn new(budget: &Arc<Budget>) -> Self {
        let first_bytes = budget.take_first();
        let n_sets = first_bytes / size_of::<Set>();
        let room = room_of(n_sets);
        let n_sets = 1 << n_sets.max(1).ilog2();
        let has_first_level = budget.take(FirstLevel::BYTES);
        let taken_bytes = first_bytes + if has_first_level { FirstLevel::BYTES } else { 0 };
        Self {
            sets: vec![Set::default(); n_sets],
            first_level: has_first_level.then(|| Box::new(FirstLevel::EMPTY)),
            seed: Seed::random(),
            n_pieces: 0,
            room,
            many: Vec::new(),
            characters: Vec::new(),
            long: LongPieces::default(),
            scratch: None,
            budget: Arc::clone(budget),
            taken_bytes,
        }
    }

    /// Lends room to look up.
    pub fn take_scratch(&mut self) -> Box<Scratch> {
        self.scratch.take().unwrap_or_default()
    }

    /// Takes the room back.
    pub fn give_back_scratch(&mut self, scratch: Box<Scratch>) {
        self.scratch = Some(scratch);
    }

    /// What is looked at first.
    #[inline(always)]
    pub fn first_level(&self) -> &FirstLevel {
        static EMPTY: FirstLevel = FirstLevel::EMPTY;
        self.first_level.as_deref().unwrap_or(&EMPTY)
    }

    /// Gives a piece that was found in its set a place in the first level, where parts of pieces are not looked for.
    #[inline(always)]
    pub fn promote(&mut self, key: ShortKey, hash: u64, value: Value) {
        if let Some(first_level) = &mut self.first_level
            && !key.is_part()
        {
            first_level.put(key, hash, value);
        }
    }

    /// What pieces are hashed with.
    #[inline(always)]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The hash of a short piece.
    #[inline(always)]
    pub fn hash_of(&self, key: ShortKey) -> u64 {
        self.seed.of_u128(key.bits())
    }

    /// The number of the set of a piece.
    #[inline]
    pub fn set_of(&self, key: Key) -> usize {
        self.set_of_hash(self.seed.of_u128(key.short().map_or(key.bits(), ShortKey::bits)))
    }

    /// The number of the set of a piece with this hash.
    #[inline(always)]
    pub fn set_of_hash(&self, hash: u64) -> usize {
        // The higher half of the hash, as a fraction of the sets.
        (((hash >> 32) * self.sets.len() as u64) >> 32) as usize
    }

    /// Asks for a set, which is seldom in the nearest cache. Done for several pieces before they are recalled, the waits
    /// overlap.
    #[inline(always)]
    pub fn prefetch(&self, set: usize) {
        prefetch(self.sets.as_ptr().wrapping_add(set));
    }

    /// What is kept for a short piece in the set that is its own; None if it is not there.
    #[inline(always)]
    pub fn find_short(&self, set: usize, key: ShortKey) -> Option<Value> {
        self.sets.get(set)?.find(key)
    }

    /// What is kept for a short piece that had to leave its set.
    #[inline]
    pub fn find_displaced(&self, set: usize, key: ShortKey) -> Option<Value> {
        if self.sets[set].is_full() { self.sets[neighbour(set, self.sets.len())].find(key) } else { None }
    }

    /// What is kept for a longer piece.
    #[inline]
    pub fn find_long(&self, set: usize, key: Key) -> Option<Value> {
        self.sets[set].find_long(key.halves())
    }

    /// Asks for the ids of a value with several, and for the first of all for one with a single id: nobody can foresee which
    /// it is, so there is no branch.
    #[inline(always)]
    pub fn prefetch_many(&self, value: Value) {
        let is_several = u32::from(n_ids(value) != 1).wrapping_neg();
        prefetch(self.many.as_ptr().wrapping_add((value & ID_MASK & is_several) as usize));
    }

    /// The ids of a value with several.
    #[inline(always)]
    pub fn many(&self, value: Value) -> &[u32] {
        &self.many[(value & ID_MASK) as usize..][..n_ids(value)]
    }

    /// Remembers the ids of a piece, if there are not too many: a character outside the vocabulary can become the bytes of
    /// long affixes.
    pub fn remember(&mut self, key: Key, ids: &[u32]) {
        if ids.is_empty() || ids.len() > MOST_COUNTED || self.room == 0 {
            return;
        }
        let value = match *ids {
            [id] => Some(id),
            _ => self.keep_many(ids),
        };
        let Some(value) = value else { return };
        self.n_pieces += 1;
        if self.n_pieces > self.room {
            self.grow();
        }
        let value = value | (ids.len() as u32) << ID_BITS;
        self.enter(key, value);
        if let (Some(first_level), Some(short)) = (&mut self.first_level, key.short().filter(|key| !key.is_part())) {
            first_level.put_first(short, self.seed.of_u128(short.bits()), value);
        }
    }

    /// Keeps several ids, and returns where; None if there is no memory for them. When it is full, all pieces are forgotten.
    fn keep_many(&mut self, ids: &[u32]) -> Option<u32> {
        if self.many.len() + ids.len() > self.many.capacity() {
            let room = FIRST_MANY.max(self.many.capacity() * 2);
            if room <= MOST_MANY && self.take_last((room - self.many.capacity()) * size_of::<u32>()) {
                self.many.reserve_exact(room - self.many.len());
            } else if self.many.is_empty() {
                return None;
            } else {
                self.many.clear();
                self.sets.fill(Set::default());
                self.first_level.iter_mut().for_each(|level| level.clear());
            }
        }
        self.many.extend_from_slice(ids);
        Some((self.many.len() - ids.len()) as u32)
    }

    /// Puts a piece into its set. Where that is full it takes the last place, and what was there moves to the neighbour if
    /// that has room.
    fn enter(&mut self, key: Key, value: Value) {
        let at = self.set_of(key);
        let Some(short) = key.short() else {
            let old = self.sets[at].replace_long(key.halves(), value);
            old.into_iter().flatten().for_each(|(key, value)| self.displace(at, key, value));
            return;
        };
        if !self.sets[at].put(short, value) {
            let (old, value) = self.sets[at].replace_last(short, value);
            self.displace(at, old, value);
        }
    }

    /// Puts a short piece that had to leave a set into the neighbour, if that has room. One that came from there finds its
    /// own set full, as it was when it left, and is forgotten.
    fn displace(&mut self, at: usize, key: ShortKey, value: Value) {
        let beside = neighbour(at, self.sets.len());
        self.sets[beside].put(key, value);
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
        for (key, value) in std::mem::replace(&mut self.sets, sets).iter().flat_map(Set::pieces) {
            self.enter(key, value);
        }
        self.room = room_of(n_sets + more);
    }

    /// Asks for the ids of a character.
    #[inline(always)]
    pub fn prefetch_character(&self, scalar: usize) {
        prefetch(self.characters.as_ptr().wrapping_add(scalar));
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

    /// Takes memory that grows where it is.
    fn take_last(&mut self, bytes: usize) -> bool {
        let taken = self.budget.take_last(bytes);
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
