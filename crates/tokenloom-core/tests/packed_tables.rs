//! Tables of a file that was made to do harm.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use tokenloom_core::bpe::pair_map::PairMap;
use tokenloom_core::error::Error;
use tokenloom_core::packed::{Packed, Shared, checksum};

/// What is made of these slots, for 32 ids and ranks below 5.
fn unpacked(slots: &[u64]) -> Result<PairMap, Error> {
    let words = [slots, &[1, 2]].concat();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = slots.len() * 8;
    let sums = [checksum(&bytes[..end]), checksum(&bytes[end..])];
    let memory: Shared = Arc::new(bytes);
    let sections = vec![("pairs".into(), 0, end, sums[0]), ("pair_seed".into(), end, 16, sums[1])];
    PairMap::unpack(&Packed::new(memory, sections)?, 32, 5)
}

#[test]
fn a_table_of_pairs_with_too_few_or_too_many_slots_is_refused() {
    for n_slots in [1, 2, 32, 1 << 13] {
        assert!(unpacked(&vec![u64::MAX; n_slots]).is_err(), "{n_slots}");
    }
    assert!(unpacked(&[u64::MAX; 64]).is_ok());
}

#[test]
fn a_table_of_pairs_with_a_rank_that_is_none_is_refused() {
    for (rank, is_taken) in [(0, true), (4, true), (5, false), ((1 << 24) - 1, false)] {
        let mut slots = [u64::MAX; 64];
        slots[7] = rank;
        assert_eq!(unpacked(&slots).is_ok(), is_taken, "{rank}");
    }
}

#[test]
fn a_search_in_a_table_made_to_do_harm_ends() {
    // All slots but one look alike: whatever is looked for, the way to the empty one is long.
    for seen in [0, 0x7FFF_FFFF, 1 << 39] {
        let mut slots = [seen << 24; 1 << 12];
        slots[99] = u64::MAX;
        let map = unpacked(&slots).unwrap();
        for (left, right) in (0..32).flat_map(|left| (0..32).map(move |right| (left, right))) {
            assert!(map.get(left, right).is_none_or(|rank| rank == 0));
        }
    }
}
