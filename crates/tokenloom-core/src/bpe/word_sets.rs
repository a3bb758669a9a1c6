//! Four places for pieces in one line of the processor's cache.
//!
//! A place has sixteen bytes: twelve for a key and four for a value. The key of a longer piece takes the last two places
//! together.

use super::key::{Key, ShortKey};

/// A key and its value. An empty place has the key of no piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Slot {
    low: u64,
    high: u32,
    /// What is kept for the key.
    pub value: u32,
}

impl Slot {
    /// A place without a piece.
    pub const EMPTY: Self = Self { low: 0, high: 0, value: 0 };

    /// A place with a piece.
    pub fn new(key: ShortKey, value: u32) -> Self {
        Self { low: key.low, high: key.high, value }
    }

    /// The key of its piece.
    #[inline(always)]
    pub fn key(&self) -> ShortKey {
        ShortKey { low: self.low, high: self.high }
    }

    /// Whether it has no piece.
    pub fn is_empty(&self) -> bool {
        self.key() == ShortKey::default()
    }
}

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Set([Slot; 4]);

impl Set {
    /// The value of a short piece.
    #[inline(always)]
    pub fn find(&self, key: ShortKey) -> Option<u32> {
        Some(self.0.get(self.place(key))?.value)
    }

    /// The value of a longer piece.
    pub fn find_long(&self, [first, second]: [ShortKey; 2]) -> Option<u32> {
        (self.0[2].key() == first && self.0[3].key() == second).then_some(self.0[2].value)
    }

    /// Whether no place is empty.
    pub fn is_full(&self) -> bool {
        self.0.iter().all(|slot| !slot.is_empty())
    }

    /// Puts a short piece where it is already, or into an empty place. False if there is none.
    pub fn put(&mut self, key: ShortKey, value: u32) -> bool {
        let known = self.0.get(self.place(key)).map_or(ShortKey::default(), |_| key);
        let slot = self.0.iter_mut().find(|slot| slot.key() == known);
        slot.map(|slot| *slot = Slot::new(key, value)).is_some()
    }

    /// Puts a short piece into the last place that is no half of another, and returns what was there: the first places stay
    /// with pieces that came early, which are those that come often.
    pub fn replace_last(&mut self, key: ShortKey, value: u32) -> (ShortKey, u32) {
        let last = if self.0[3].key().is_second_half() { 1 } else { 3 };
        let old = std::mem::replace(&mut self.0[last], Slot::new(key, value));
        (old.key(), old.value)
    }

    /// Puts a longer piece into its two places, and returns the short pieces that were there.
    pub fn replace_long(&mut self, [first, second]: [ShortKey; 2], value: u32) -> [Option<(ShortKey, u32)>; 2] {
        let old = [self.0[2], self.0[3]];
        self.0[2] = Slot::new(first, value);
        self.0[3] = Slot::new(second, 0);
        let is_long = old[1].key().is_second_half();
        old.map(|slot| (!is_long && !slot.is_empty()).then_some((slot.key(), slot.value)))
    }

    /// All pieces with their values.
    pub fn pieces(&self) -> impl Iterator<Item = (Key, u32)> {
        let slots = self.0;
        let is_piece = |slot: &Slot| !slot.is_empty() && !slot.key().is_second_half();
        slots.into_iter().filter(is_piece).map(move |slot| {
            let second = if slot.key().is_first_half() { slots[3].key() } else { ShortKey::default() };
            (slot.key().whole(second), slot.value)
        })
    }

    /// The place of a key; that of no place if it is in none.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    fn place(&self, key: ShortKey) -> usize {
        use std::arch::x86_64::{
            __m128i, _mm_cmpeq_epi32, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
            _mm_set_epi64x,
        };
        // SAFETY: every x86-64 has these instructions. A set is four values of sixteen bytes without a gap, so aligned.
        let same = unsafe {
            let key = _mm_set_epi64x(i64::from(key.high), key.low.cast_signed());
            let slots = self.0.as_ptr().cast::<__m128i>();
            let same = |place| _mm_cmpeq_epi32(_mm_load_si128(slots.add(place)), key);
            let halves = (_mm_packs_epi32(same(0), same(1)), _mm_packs_epi32(same(2), same(3)));
            _mm_movemask_epi8(_mm_packs_epi16(halves.0, halves.1)).cast_unsigned()
        };
        // Four bits for each slot, of which the highest is that of its value: it is one if the others were.
        let found = ((same & 0x7777) + 0x1111) & 0x8888;
        found.trailing_zeros() as usize / 4
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn place(&self, key: ShortKey) -> usize {
        self.0.iter().position(|slot| slot.key() == key).unwrap_or(self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::{Key, ShortKey};
    use super::Set;

    fn key(piece: &[u8]) -> Key {
        Key::new(piece, 0, piece.len()).unwrap_or(Key::NONE)
    }

    fn short(piece: &[u8]) -> ShortKey {
        key(piece).short().unwrap_or_default()
    }

    /// Pieces of one byte with these values, in their order.
    fn filled(values: impl IntoIterator<Item = u8>) -> Set {
        let mut set = Set::default();
        values.into_iter().for_each(|value| assert!(set.put(short(&[value]), value.into())));
        set
    }

    #[test]
    fn a_piece_that_comes_again_takes_no_second_place() {
        let mut set = filled([1, 2, 3, 3, 1, 4, 2]);
        assert!(set.is_full() && !set.put(short(&[5]), 5));
        assert_eq!(set.replace_last(short(&[5]), 5), (short(&[4]), 4));
        assert_eq!([1, 2, 3, 4, 5].map(|piece| set.find(short(&[piece])).is_some()), [true, true, true, false, true]);
    }

    #[test]
    fn a_longer_piece_takes_two_places_and_keeps_them_whole() {
        let mut set = filled(1..=4);
        let piece = key(b"fifteen letters").of_part();
        assert_eq!(set.replace_long(piece.halves(), 9), [Some((short(&[3]), 3)), Some((short(&[4]), 4))]);
        assert_eq!(set.replace_last(short(&[5]), 5), (short(&[2]), 2));
        assert_eq!(set.find_long(piece.halves()), Some(9));
        for other in [key(b"fifteen letters"), key(b"fifteen letterz").of_part(), key(b"fifteen letter").of_part()] {
            assert_eq!(set.find_long(other.halves()), None);
        }
        let all = [(key(&[1]), 1), (key(&[5]), 5), (piece, 9)];
        assert!(set.pieces().eq(all));
        assert_eq!(set.replace_long(key(b"another of many").halves(), 8), [None; 2]);
    }
}
