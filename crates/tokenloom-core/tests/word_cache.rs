//! What a word cache gives back is what it was given, whatever it had to forget.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::HashMap;
use std::sync::Arc;

use tokenloom_core::bpe::cache::{ID_BITS, WordCache, n_ids};
use tokenloom_core::bpe::cache_pool::Budget;
use tokenloom_core::bpe::key::Key;

/// Numbers below `limit`, another at each call.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

fn key(piece: &[u8]) -> Key {
    Key::new(piece, 0, piece.len()).unwrap()
}

fn recalled(cache: &WordCache, key: Key) -> Option<Vec<u32>> {
    let set = cache.set_of(key);
    let short = key.short().and_then(|short| cache.find_short(set, short));
    let value = short.or_else(|| cache.find_displaced(set, key))?;
    let ids = if n_ids(value) == 1 { &[value & ((1 << ID_BITS) - 1)] } else { cache.many(value) };
    Some(ids.to_vec())
}

#[test]
fn a_cache_of_any_size_gives_the_ids_that_it_was_given() {
    for most_bytes in [0, 1, 63, 64, 128, 1000, 1 << 16, 1 << 20, 1 << 24] {
        let (mut next, mut known, mut n_recalled) = (numbers(most_bytes as u64), HashMap::new(), 0);
        let mut cache = WordCache::new(&Arc::new(Budget::new(most_bytes)));
        for _ in 0..30_000 {
            let piece: Vec<u8> = (0..next(15) + 1).map(|_| [0, b'a', 0xE4, 0xFF][next(4)]).collect();
            let key = key(&piece);
            if let Some(ids) = recalled(&cache, key) {
                assert_eq!(known.get(&piece), Some(&ids), "{piece:?} with {most_bytes} bytes");
                n_recalled += 1;
                continue;
            }
            let ids: Vec<u32> = (0..next(piece.len()) + 1).map(|_| (1 << 24) - 1 - next(3) as u32).collect();
            cache.remember(key, &ids);
            known.insert(piece, ids);
        }
        assert!(n_recalled > 3000 || most_bytes < 1 << 16, "{n_recalled} with {most_bytes} bytes");
    }
}

#[test]
fn a_piece_with_more_ids_than_can_be_counted_is_not_kept() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 20)));
    let ids: Vec<u32> = (0..600).collect();
    for (n, piece) in [(255, b"a"), (256, b"b"), (300, b"c"), (512, b"d")] {
        cache.remember(key(piece), &ids[..n]);
        assert_eq!(recalled(&cache, key(piece)), (n < 256).then(|| ids[..n].to_vec()));
    }
}

#[test]
fn pieces_with_several_ids_push_no_others_out_where_there_is_no_memory_for_them() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 12)));
    cache.remember(key(b"one"), &[1]);
    cache.remember(key(b"two"), &[1, 2]);
    assert_eq!(recalled(&cache, key(b"two")), None);
    assert_eq!(recalled(&cache, key(b"one")), Some(vec![1]));
}

#[test]
fn pieces_that_are_not_kept_take_no_memory() {
    let budget = Arc::new(Budget::new(1 << 24));
    let mut cache = WordCache::new(&budget);
    for _ in 0..100 {
        cache.remember_long(&[b'a'; 300], &[1]);
    }
    assert!(budget.take(7 << 20));
}

#[test]
fn long_pieces_are_themselves_after_all_were_forgotten() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 24)));
    let mut n_recalled = 0;
    for number in 0..40_000_u32 {
        let piece = |number: u32| format!("{number:0>100}").into_bytes();
        cache.remember_long(&piece(number), &[number; 7]);
        assert_eq!(cache.recall_long(&piece(number)), Some([number; 7].as_slice()));
        let before = number / 2 + number / 3;
        if let Some(ids) = cache.recall_long(&piece(before)) {
            assert_eq!(ids, [before; 7]);
            n_recalled += 1;
        }
    }
    assert!(n_recalled > 1000);
}

#[test]
fn caches_keep_to_their_limit_together_and_give_all_back() {
    let budget = Arc::new(Budget::new(1 << 22));
    let mut caches: Vec<_> = (0..3).map(|_| WordCache::new(&budget)).collect();
    for (number, cache) in (0..60_000_u32).flat_map(|number| [number; 3]).zip((0..3).cycle()) {
        caches[cache].remember(key(&number.to_le_bytes()), &[number; 6]);
    }
    assert!(!budget.take(1 << 20), "what the tables have was not taken from the limit");
    // More caches than the limit holds have their first memory all the same.
    caches.extend((0..16).map(|_| WordCache::new(&budget)));
    assert!(!budget.take(1));
    caches.clear();
    assert!(budget.take(1 << 21));
}
