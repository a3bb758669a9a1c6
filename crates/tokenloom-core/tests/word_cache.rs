//! What a word cache gives back is what it was given, whatever it had to forget.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::HashMap;
use std::sync::Arc;

use tokenloom_core::bpe::cache::{ID_BITS, WordCache, n_ids, unpacked};
use tokenloom_core::bpe::cache_pool::{Budget, CachePool};
use tokenloom_core::bpe::key::{Key, ShortKey};

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
    let value = match key.short() {
        Some(short) => cache.find_short(set, short).or_else(|| cache.find_displaced(set, short)),
        None => cache.find_long(set, key),
    }?;
    Some(ids(cache, value))
}

fn ids(cache: &WordCache, value: u32) -> Vec<u32> {
    if n_ids(value) == 1 { vec![value & ((1 << ID_BITS) - 1)] } else { cache.many(value).to_vec() }
}

/// The ids of a piece in the first level.
fn in_first_level(cache: &WordCache, key: Key) -> Option<Vec<u32>> {
    let short = key.short()?;
    let (value, is_found) = cache.first_level().find(short, cache.hash_of(short));
    is_found.then(|| ids(cache, value))
}

#[test]
fn a_cache_of_any_size_gives_the_ids_that_it_was_given() {
    for most_bytes in [0, 1, 63, 64, 128, 1000, 1 << 16, 1 << 20, 1 << 24] {
        let (mut next, mut known, mut n_recalled, mut n_in_first) = (numbers(most_bytes as u64), HashMap::new(), 0, 0);
        let mut cache = WordCache::new(&Arc::new(Budget::new(most_bytes)));
        let mut piece = vec![b'a'];
        for _ in 0..30_000 {
            let byte = |next: &mut dyn FnMut(usize) -> usize| [0, b'a', 0xE4, 0xFF][next(4)];
            // Many pieces differ from another one in their last byte, or in being a part.
            match next(3) {
                0 => piece = (0..next(15) + 1).map(|_| byte(&mut next)).collect(),
                1 => *piece.last_mut().unwrap() = byte(&mut next),
                _ => {}
            }
            let whole = key(&piece);
            let key = if next(2) == 0 { whole } else { whole.of_part() };
            n_in_first += usize::from(in_first_level(&cache, key).is_some_and(|ids| {
                assert_eq!(known.get(&key.bits()), Some(&ids), "{piece:?} in the first level, with {most_bytes} bytes");
                true
            }));
            if let Some(ids) = recalled(&cache, key) {
                assert_eq!(known.get(&key.bits()), Some(&ids), "{piece:?} with {most_bytes} bytes");
                n_recalled += 1;
                continue;
            }
            let ids: Vec<u32> = (0..next(piece.len()) + 1).map(|_| (1 << 24) - 1 - next(3) as u32).collect();
            cache.remember(key, &ids);
            known.insert(key.bits(), ids);
        }
        assert!(n_recalled > 3000 || most_bytes < 1 << 16, "{n_recalled} with {most_bytes} bytes");
        assert_eq!(n_in_first > 1000, most_bytes >= 1 << 20, "{n_in_first} with {most_bytes} bytes");
    }
}

#[test]
fn a_piece_that_advances_is_promoted_and_parts_never_do() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 20)));
    let pieces: Vec<_> = (0..20_000_u32).map(|piece| key(&piece.to_le_bytes())).collect();
    pieces.iter().for_each(|key| cache.remember(*key, &[7]));
    let late = *pieces.iter().find(|key| in_first_level(&cache, **key).is_none()).unwrap();
    for (key, advances) in [(late.of_part(), false), (late, true)] {
        let short = key.short().unwrap();
        cache.remember(key, &[7]);
        cache.promote(short, cache.hash_of(short), 1 << ID_BITS | 7);
        assert_eq!(in_first_level(&cache, key), advances.then(|| vec![7]));
    }
}

#[test]
fn the_key_of_a_text_is_that_of_its_bytes() {
    let text = "aé漢字，and so on and on".as_bytes();
    for (start, end) in (0..text.len()).flat_map(|start| (start + 1..=text.len()).map(move |end| (start, end))) {
        let (short, is_odd) = ShortKey::of_text(text, start, end);
        let whole = Key::new(text, start, end).and_then(Key::short);
        assert_eq!(whole, (!short.is_long()).then_some(short), "{:?}", &text[start..end]);
        assert_eq!(short.is_long(), end - start > 11);
        assert_eq!(is_odd, end - start > 6 && text[start..end].iter().take(2).any(|byte| !byte.is_ascii()));
        assert_eq!(whole.map(|key| (key.is_part(), key.of_part().is_part())), whole.map(|_| (false, true)));
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
fn what_a_pool_has_cleared_is_not_recalled() {
    let pool = CachePool::new(1 << 20);
    for clears in [false, true] {
        let mut cache = pool.take();
        cache.remember(key(b"word"), &[1]);
        pool.give_back(cache);
        if clears {
            pool.clear();
        }
        assert_eq!(recalled(&pool.take(), key(b"word")).is_none(), clears);
    }
}

#[test]
fn a_growing_table_leaves_half_to_others_and_last_memory_takes_all() {
    let budget = Budget::new(1000);
    assert!(!budget.take(501) && budget.take(500));
    assert!(!budget.take_last(501) && budget.take_last(500));
    budget.give_back(1000);
    assert_eq!(budget.take_first(), 500);
    assert!(!budget.take(251) && budget.take(250));
}

#[test]
fn a_table_that_grew_has_most_of_what_it_had() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 24)));
    let pieces = 0..100_000_u32;
    let word = |piece: u32| key(format!("{piece}{}", "+".repeat(piece as usize % 6)).as_bytes());
    pieces.clone().for_each(|piece| cache.remember(word(piece), &[piece]));
    let n_recalled = pieces.filter(|piece| recalled(&cache, word(*piece)) == Some(vec![*piece])).count();
    assert!(n_recalled > 90_000, "{n_recalled}");
}

#[test]
fn short_pieces_fill_all_places_of_two_sets() {
    for _ in 0..20 {
        let mut cache = WordCache::new(&Arc::new(Budget::new(256)));
        let pieces = 1..=8_u32;
        pieces.clone().for_each(|piece| cache.remember(key(&piece.to_le_bytes()), &[piece]));
        assert!(pieces.clone().all(|piece| recalled(&cache, key(&piece.to_le_bytes())) == Some(vec![piece])));
    }
}

#[test]
fn more_ids_than_a_value_can_point_at_are_forgotten_before() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 30)));
    for number in 0..(1 << ID_BITS) / 255 + 100_u32 {
        cache.remember(key(&number.to_le_bytes()), &[number; 255]);
        for known in [number, number / 2] {
            let ids = recalled(&cache, key(&known.to_le_bytes()));
            assert!(ids == Some(vec![known; 255]) || ids.is_none() && known < number, "{known} of {number}");
            assert!(in_first_level(&cache, key(&known.to_le_bytes())).is_none_or(|ids| ids == [known; 255]), "{known}");
        }
    }
}

#[test]
fn characters_have_up_to_three_ids_of_twenty_bits_in_order() {
    let mut cache = WordCache::new(&Arc::new(Budget::new(1 << 21)));
    const MOST: u32 = (1 << 20) - 1;
    for (number, ids) in [(1, [7].as_slice()), (2, &[MOST, 1]), (0xFFFF, &[1, MOST, 3])] {
        cache.remember_character(number, ids);
        let (found, n_found) = unpacked(cache.character(number));
        assert_eq!(&found[..n_found], ids);
    }
    for (number, ids) in [(3, [MOST + 1].as_slice()), (4, &[1, 2, 3, 4]), (5, &[])] {
        cache.remember_character(number, ids);
        assert_eq!(cache.character(number), 0);
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
