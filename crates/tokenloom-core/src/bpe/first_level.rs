//! The pieces that come most often, where they are found with one look.
//!
//! Three of four pieces of running text are one of a few thousand. They have a table of their own in front of the large one:
//! 64 KiB, which the nearer caches of the processor hold, one place for each hash, and no set to be searched. It only ever holds
//! what the large table was given, so it may forget anything.

use super::key::ShortKey;
use super::word_sets::Slot;

/// The number of places.
const PLACES: usize = 1 << 12;

/// See the module.
#[repr(C, align(64))]
pub struct FirstLevel([Slot; PLACES]);

impl FirstLevel {
    /// Its size.
    pub const BYTES: usize = size_of::<Self>();

    /// One that nothing was put into.
    pub const EMPTY: Self = Self([Slot::EMPTY; PLACES]);

    /// The value at the place of a piece with this hash, and whether it is that of the piece.
    #[inline(always)]
    pub fn find(&self, key: ShortKey, hash: u64) -> (u32, bool) {
        let slot = &self.0[hash as usize % PLACES];
        (slot.value, slot.key().equals(key))
    }

    /// Gives a piece its place. What was there is forgotten.
    pub fn put(&mut self, key: ShortKey, hash: u64, value: u32) {
        self.0[hash as usize % PLACES] = Slot::new(key, value);
    }

    /// Gives a piece its place if that is empty, or its own.
    pub fn put_first(&mut self, key: ShortKey, hash: u64, value: u32) {
        let slot = &self.0[hash as usize % PLACES];
        if slot.is_empty() || slot.key() == key {
            self.put(key, hash, value);
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.fill(Slot::EMPTY);
    }
}
