//! Tables of a file that was made to do harm.

use std::sync::Arc;

use tokenloom_core::bpe::pair_map::PairMap;
use tokenloom_core::packed::{Packed, Shared, checksum};

#[test]
fn a_table_of_pairs_with_a_single_slot_is_refused() {
    let words = [u64::MAX, 0, 1, 2];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (pairs, seed) = (checksum(&bytes[..16]), checksum(&bytes[16..]));
    let memory: Shared = Arc::new(bytes);
    let packed = Packed::new(memory, vec![("pairs".into(), 0, 16, pairs), ("pair_seed".into(), 16, 16, seed)]);
    assert!(packed.is_ok_and(|packed| PairMap::unpack(&packed, 1, 1).is_err()));
}
