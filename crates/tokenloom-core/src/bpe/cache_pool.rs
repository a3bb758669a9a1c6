//! The word caches of a tokenizer.

use std::sync::Mutex;

use crate::bpe::cache::WordCache;
use crate::parallel;

/// Word caches that no call uses at the moment. A call never waits for one: where it finds none it makes its own.
///
/// Each place has a lock of its own. A lock that another thread held when the process was forked stays locked in the
/// child for ever, and then costs the child one place, not the pool.
#[derive(Debug)]
pub struct CachePool {
    places: Vec<Mutex<Option<WordCache>>>,
    cache_bytes: usize,
}

impl CachePool {
    /// A pool with more places than threads can run: more caches would only hold memory.
    pub fn new(cache_bytes: usize) -> Self {
        let n_places = parallel::available() + 2;
        Self { places: (0..n_places).map(|_| Mutex::new(None)).collect(), cache_bytes }
    }

    /// A cache for one call.
    pub fn take(&self) -> WordCache {
        let mut free = self.places.iter().filter_map(|place| place.try_lock().ok()?.take());
        free.next().unwrap_or_else(|| WordCache::new(self.cache_bytes))
    }

    /// Keeps a cache for the next call, if there is a place.
    pub fn give_back(&self, cache: WordCache) {
        let mut empty = self.places.iter().filter_map(|place| place.try_lock().ok()).filter(|place| place.is_none());
        if let Some(mut place) = empty.next() {
            *place = Some(cache);
        }
    }

    /// Forgets all caches that no call uses.
    pub fn clear(&self) {
        for place in &self.places {
            if let Ok(mut place) = place.try_lock() {
                *place = None;
            }
        }
    }
}
