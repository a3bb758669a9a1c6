//! A hash map from a pair of ids to the rank of a merge: the table that encoding looks into all the time.
//!
//! Open addressing with linear probing, filled once. A pair becomes a number that no other pair becomes, by a product with
//! an odd factor; its highest bits are the place where it belongs and need not be stored. So a slot has eight bytes: the
//! rest of that number, the way from the place where it belongs, and the rank.
//!
//! Source: Knuth 1973, "The Art of Computer Programming", volume 3, exercise 6.4-13 (quotienting).

use crate::Tick;
use crate::error::Result;
use crate::hash::Seed;
use crate::memory::{prefetch, with_large_pages};
use crate::packed::{self, Packed, Parts, Table, checksum, le_bytes};

/// An empty slot: the highest bit of all others is zero.
const EMPTY: u64 = u64::MAX;

/// Bits of a rank, of a way, and of the rest of a number; the highest bit stays zero.
pub const RANK_BITS: u32 = 24;
const WAY_BITS: u32 = 10;
const REST_BITS: u32 = u64::BITS - 1 - RANK_BITS - WAY_BITS;

/// The longest way.
const MOST_WAY: u64 = (1 << WAY_BITS) - 1;

/// Parts of a table that are filled one after the other, as a power of two.
const PART_BITS: u32 = 6;

/// How pairs become numbers, and numbers places.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// An id has less bits than this, so there are more numbers than pairs.
    id_bits: u32,
    /// Of a place.
    place_bits: u32,
    factor: u64,
    /// All bits of a number, and those that a slot holds of it.
    all: u64,
    rest: u64,
}

/// The number of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairNumber(u64);

impl PairNumber {
    /// Of no pair that anybody asks for.
    pub const NONE: Self = Self(0);
}

impl Numbers {
    /// For ids below `n_ids`, and at least so many slots; each part has one.
    fn new(n_ids: usize, n_slots: usize, seed: Seed) -> Self {
        let id_bits = n_ids.max(1 << (PART_BITS - 1)).next_power_of_two().ilog2() + 1;
        let fewest = PART_BITS.max((2 * id_bits).saturating_sub(REST_BITS));
        let place_bits = n_slots.next_power_of_two().ilog2().clamp(fewest, 2 * id_bits);
        Self { id_bits, place_bits, factor: seed.parts()[0] | 1, all: (1 << (2 * id_bits)) - 1, rest: 0 }
            .sized(place_bits)
    }

    /// The same numbers for a table of another size.
    fn sized(self, place_bits: u32) -> Self {
        Self { place_bits, rest: (1 << (2 * self.id_bits - place_bits)) - 1, ..self }
    }

    fn n_slots(self) -> usize {
        1 << self.place_bits
    }

    #[inline(always)]
    fn of(self, left: u32, right: u32) -> PairNumber {
        let pair = u64::from(left) << self.id_bits | u64::from(right);
        PairNumber(pair.wrapping_mul(self.factor) & self.all)
    }

    /// Where a pair belongs.
    #[inline(always)]
    fn place(self, number: PairNumber) -> usize {
        (number.0 >> (2 * self.id_bits - self.place_bits)) as usize
    }

    /// What a slot holds above the rank, in the place where the pair belongs.
    #[inline(always)]
    fn mark(self, number: PairNumber) -> u64 {
        (number.0 & self.rest) << WAY_BITS
    }

    /// The number of what is in the slot at a place.
    fn in_slot(self, slot: u64, at: usize) -> PairNumber {
        let (way, rest) = ((slot >> RANK_BITS) & MOST_WAY, slot >> (RANK_BITS + WAY_BITS));
        let place = at.wrapping_sub(way as usize) & (self.n_slots() - 1);
        PairNumber((place as u64) << (2 * self.id_bits - self.place_bits) | rest)
    }
}

/// Ranks by pair of ids.
#[derive(Debug)]
pub struct PairMap {
    slots: Table<u64>,
    numbers: Numbers,
}

impl PairMap {
    /// The number of a pair of ids that are ids of the vocabulary.
    #[inline(always)]
    pub fn number(&self, left: u32, right: u32) -> PairNumber {
        self.numbers.of(left, right)
    }

    /// Asks for the slot of a pair, see `prefetch`.
    #[inline(always)]
    pub fn prefetch(&self, number: PairNumber) {
        prefetch(self.slots.as_ptr().wrapping_add(self.numbers.place(number)));
    }

    /// The rank of a pair.
    #[inline(always)]
    pub fn rank(&self, number: PairNumber) -> Option<u32> {
        let (mut at, mut mark) = (self.numbers.place(number), self.numbers.mark(number));
        loop {
            let slot = *self.slots.get(at)?;
            if slot >> RANK_BITS == mark {
                return Some(rank_of(slot));
            }
            if slot == EMPTY {
                return None;
            }
            (at, mark) = ((at + 1) & (self.slots.len() - 1), mark + 1);
        }
    }

    /// The rank of a pair.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Option<u32> {
        self.rank(self.number(left, right))
    }

    /// Writes the table down, equal ones for equal pairs.
    pub fn pack(&self, parts: &mut Parts) {
        let numbers = (0..).zip(self.slots.iter()).filter(|(_, slot)| **slot != EMPTY);
        let inverse = inverse(self.numbers.factor);
        let bits = self.numbers.id_bits;
        let mut pairs: Vec<[u32; 3]> = numbers
            .map(|(at, slot)| {
                let pair = self.numbers.in_slot(*slot, at).0.wrapping_mul(inverse);
                let id = |shift: u32| (pair >> shift) as u32 & (u32::MAX >> (u32::BITS - bits));
                [id(bits), id(0), rank_of(*slot)]
            })
            .collect();
        pairs.sort_unstable();
        let seed = Seed::of_checksum(checksum(&le_bytes(pairs.as_flattened(), u32::to_le_bytes)));
        let mut draft = PairMapDraft::new(1 << (bits - 1), pairs.len() * 5 / 3, seed);
        for [left, right, rank] in pairs {
            draft.insert(left, right, rank);
        }
        parts.push(("pair_seed", le_bytes(&seed.parts(), u64::to_le_bytes)));
        parts.push(("pairs", le_bytes(&draft.finish().slots, u64::to_le_bytes)));
    }

    /// Takes a table that was written down, for ids below `n_ids`; its ranks must be below `n_ranks`. What is stored of a
    /// pair is not looked at: nobody asks for one that is none.
    pub fn unpack(packed: &Packed, n_ids: usize, n_ranks: usize) -> Result<Self> {
        let (slots, seed) = (packed.table::<u64>("pairs")?, packed.seed("pair_seed")?);
        packed::check_slots("pairs", &slots, |slot| *slot == EMPTY)?;
        let numbers = Numbers::new(n_ids, slots.len(), seed);
        if numbers.n_slots() != slots.len() {
            return Err(packed::fault("pairs", "has a number of slots that does not fit the vocabulary"));
        }
        // An empty slot counts as rank 0; all slots alike are looked through faster.
        let rank = |slot: &u64| if *slot == EMPTY { 0 } else { rank_of(*slot) };
        let highest = slots.iter().map(rank).max().unwrap_or(0);
        if highest as usize >= n_ranks && slots.iter().any(|slot| *slot != EMPTY) {
            return Err(packed::fault("pairs", "has a rank that is none of this tokenizer"));
        }
        Ok(Self { slots, numbers })
    }
}

/// The factor that undoes an odd one: each step of Newton's doubles the bits that are right.
fn inverse(factor: u64) -> u64 {
    (0..5).fold(factor, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse))))
}

/// A map that is being filled.
#[derive(Debug)]
pub struct PairMapDraft {
    slots: Vec<u64>,
    numbers: Numbers,
}

impl PairMapDraft {
    /// No pairs of ids below `n_ids`, and room for so many.
    pub fn with_capacity(n_ids: usize, capacity: usize) -> Self {
        Self::new(n_ids, capacity + capacity / 3 + 1, Seed::random())
    }

    fn new(n_ids: usize, n_slots: usize, seed: Seed) -> Self {
        let numbers = Numbers::new(n_ids, n_slots, seed);
        let mut slots = with_large_pages(numbers.n_slots());
        slots.resize(numbers.n_slots(), EMPTY);
        Self { slots, numbers }
    }

    /// Asks for the slot of a pair, see `prefetch`.
    #[inline]
    pub fn prefetch(&self, left: u32, right: u32) {
        prefetch(&self.slots[self.numbers.place(self.numbers.of(left, right))]);
    }

    /// Sets the rank of a pair; returns the one that it has already, if it has one.
    #[inline]
    pub fn insert(&mut self, left: u32, right: u32, rank: u32) -> Option<u32> {
        self.insert_number(self.numbers.of(left, right), rank)
    }

    fn insert_number(&mut self, number: PairNumber, rank: u32) -> Option<u32> {
        let (mut at, mark) = (self.numbers.place(number), self.numbers.mark(number));
        for way in 0..=MOST_WAY {
            let slot = self.slots[at];
            if slot == EMPTY || slot >> RANK_BITS == mark + way {
                self.slots[at] = (mark + way) << RANK_BITS | u64::from(rank);
                return (slot != EMPTY).then(|| rank_of(slot));
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.spread();
        self.insert_number(number, rank)
    }

    /// Twice as many slots, for a pair that would lie too far from its place, or be looked for too far from it.
    #[cold]
    fn spread(&mut self) {
        let numbers = self.numbers;
        self.numbers = numbers.sized(numbers.place_bits + 1);
        let slots = std::mem::replace(&mut self.slots, vec![EMPTY; self.numbers.n_slots()]);
        for (at, slot) in slots.into_iter().enumerate().filter(|(_, slot)| *slot != EMPTY) {
            self.insert_number(numbers.in_slot(slot, at), rank_of(slot));
        }
    }

    /// The map. No search in it goes further than the longest way, or it could take one pair for another. Pairs in regular
    /// steps, as all pairs of bytes, lie in such rows with one factor in a thousand.
    pub fn finish(mut self) -> PairMap {
        // Where all numbers have their own slots, nothing is looked for anywhere else.
        while self.numbers.rest > 0 && longest_run(&self.slots) > MOST_WAY as usize {
            self.spread();
        }
        PairMap { slots: self.slots.into(), numbers: self.numbers }
    }
}

/// The longest row of slots without an empty one; it may go on from the last slot to the first.
fn longest_run(slots: &[u64]) -> usize {
    let mut runs = slots.split(|slot| *slot == EMPTY).map(<[u64]>::len);
    let first = runs.next().unwrap_or(0);
    let (longest, last) = runs.fold((first, 0), |(longest, _), run| (longest.max(run), run));
    longest.max(first + last)
}

/// The rank in a slot.
#[inline(always)]
fn rank_of(slot: u64) -> u32 {
    slot as u32 & (u32::MAX >> (u32::BITS - RANK_BITS))
}

/// Pairs on their way into a map, none of them twice.
///
/// They are kept by the part of the table that they belong to, and one part is filled after the other. In any other order
/// each pair waits for memory that is far away.
#[derive(Debug)]
pub struct DistinctPairs {
    parts: Vec<Vec<(PairNumber, u32)>>,
    n_ids: usize,
    seed: Seed,
    numbers: Numbers,
}

impl DistinctPairs {
    /// No pairs of ids below `n_ids` yet, and room for about so many.
    pub fn with_capacity(n_ids: usize, capacity: usize) -> Self {
        let (part, seed) = (|| Vec::with_capacity(capacity >> PART_BITS), Seed::random());
        Self {
            parts: (0..1 << PART_BITS).map(|_| part()).collect(),
            n_ids,
            seed,
            numbers: Numbers::new(n_ids, 1, seed),
        }
    }

    /// Takes a pair and its rank.
    #[inline]
    pub fn push(&mut self, left: u32, right: u32, rank: u32) {
        let number = self.numbers.of(left, right);
        let part = number.0 >> (2 * self.numbers.id_bits - PART_BITS);
        self.parts[part as usize].push((number, rank));
    }

    /// The map of all pairs, at most five eighths full.
    pub fn into_map(self, tick: Tick<'_>) -> Result<PairMap> {
        let n_pairs: usize = self.parts.iter().map(Vec::len).sum();
        let numbers = Numbers::new(self.n_ids, n_pairs / 5 * 8 + 1, self.seed);
        let slots = with_large_pages(numbers.n_slots());
        let mut map = PairMapDraft { slots, numbers };
        let mut left_over = Vec::new();
        for part in self.parts {
            tick(0)?;
            map.slots.resize(map.slots.len() + (numbers.n_slots() >> PART_BITS), EMPTY);
            for (number, rank) in part {
                let (at, mark) = (numbers.place(number), numbers.mark(number));
                let ways = map.slots[at..].iter_mut().zip(mark..=mark + MOST_WAY);
                match ways.into_iter().find(|(slot, _)| **slot == EMPTY) {
                    Some((slot, mark)) => *slot = mark << RANK_BITS | u64::from(rank),
                    None => left_over.push((number, rank)),
                }
            }
        }
        // What found its part full goes where it would have gone in the whole table.
        for (number, rank) in left_over {
            map.insert_number(number, rank);
        }
        Ok(map.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTY, MOST_WAY, PairMapDraft, PairNumber, Seed, inverse, longest_run};

    #[test]
    fn pairs_stay_themselves_in_a_table_that_had_to_spread() {
        for (n_ids, n_pairs) in [(1_u32, 1_u32), (9, 60), (300, 5000), (1 << 24, 3000)] {
            let mut draft = PairMapDraft::new(n_ids as usize, 1, Seed::random());
            let id = |number: u32| number.wrapping_mul(0x9E37_79B1) % n_ids;
            let mut known = std::collections::HashMap::new();
            for rank in 0..n_pairs {
                let pair = (id(rank), id(rank / 7));
                assert_eq!(draft.insert(pair.0, pair.1, rank), known.insert(pair, rank));
                if rank % 1000 == 7 && draft.numbers.place_bits < 2 * draft.numbers.id_bits {
                    draft.spread();
                }
            }
            let map = draft.finish();
            for left in (0..n_ids.min(400)).chain([n_ids - 1]).chain(known.keys().map(|pair| pair.0)) {
                for right in (0..n_ids.min(400)).chain([n_ids - 1]) {
                    assert_eq!(map.get(left, right), known.get(&(left, right)).copied(), "{left} {right} of {n_ids}");
                }
            }
            assert!(known.iter().all(|((left, right), rank)| map.get(*left, *right) == Some(*rank)));
        }
    }

    #[test]
    fn pairs_in_a_long_row_are_not_taken_for_others() {
        // Each pair belongs nine tenths of a slot behind the one before it.
        let factor = 7357;
        let mut draft = PairMapDraft::new(2048, 2000, Seed::of_parts([factor, 0]));
        let numbers = draft.numbers;
        assert_eq!((numbers.id_bits, numbers.place_bits), (12, 11));
        for right in 0..1500 {
            assert_eq!(draft.insert(0, right, right), None);
        }
        let map = draft.finish();
        for right in 0..1500 {
            assert_eq!(map.get(0, right), Some(right));
            // The pair that a slot would hold as it holds this one, were a way longer by one than the longest.
            let before = (numbers.rest + 1) * (MOST_WAY + 1) + 1;
            let pair = numbers.of(0, right).0.wrapping_sub(before).wrapping_mul(inverse(factor)) & numbers.all;
            let other = ((pair >> 12) as u32, pair as u32 & 0xFFF);
            assert!((1..2048).contains(&other.0) && other.1 < 2048);
            assert_eq!(map.get(other.0, other.1), None, "{other:?}");
        }
    }

    #[test]
    fn pairs_that_belong_to_one_place_stay_apart() {
        let mut draft = PairMapDraft::new(2048, 2000, Seed::random());
        let numbers = || (0..1100).map(|number| PairNumber(number * 7)).zip(0..);
        assert!(numbers().all(|(number, rank)| draft.insert_number(number, rank).is_none()));
        let map = draft.finish();
        assert!(numbers().all(|(number, rank)| map.rank(number) == Some(rank)));
    }

    #[test]
    fn a_row_of_slots_may_go_on_at_the_first() {
        for (slots, longest) in
            [([1, 1, EMPTY, 1], 3), ([EMPTY, 1, 1, EMPTY], 2), ([EMPTY; 4], 0), ([1, EMPTY, 1, 1], 3)]
        {
            assert_eq!(longest_run(&slots), longest);
        }
        assert_eq!(longest_run(&[EMPTY, 1, 1, EMPTY, 1, EMPTY]), 2);
    }

    #[test]
    fn a_factor_is_undone() {
        for factor in [1, 3, u64::MAX, 0x9E37_79B9_7F4A_7C15, !2] {
            assert_eq!(inverse(factor).wrapping_mul(factor), 1);
        }
    }
}
