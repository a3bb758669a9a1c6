//! The word caches of a tokenizer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::bpe::cache::WordCache;
use crate::parallel;

/// A new cache has so much memory whatever others have taken, where the limit is not smaller.
const FIRST_BYTES: usize = 1 << 18;

/// The memory that the caches of a tokenizer may have together.
#[derive(Debug)]
pub struct Budget {
    most_bytes: usize,
    left_bytes: AtomicUsize,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, left_bytes: AtomicUsize::new(most_bytes) }
    }

    /// What a new cache may have without asking.
    pub fn first_bytes(&self) -> usize {
        FIRST_BYTES.min(self.most_bytes)
    }

    /// Takes memory, and says whether it did: never more than half of what is left, so that later caches find some too.
    pub fn take(&self, bytes: usize) -> bool {
        let rest = |left: usize| (bytes <= left / 2).then(|| left - bytes);
        self.left_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).is_ok()
    }

    /// Gives memory back that was taken.
    pub fn give_back(&self, bytes: usize) {
        self.left_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Word caches that no call uses at the moment. A call never waits for one: where it finds none it makes its own.
///
/// Each place has a lock of its own. A lock that another thread held when the process was forked stays locked in the
/// child for ever, and then costs the child one place, not the pool.
#[derive(Debug)]
pub struct CachePool {
    places: Vec<Mutex<Option<WordCache>>>,
    budget: Arc<Budget>,
}

impl CachePool {
    /// A pool with more places than threads can run: more caches would only hold memory.
    pub fn new(cache_bytes: usize) -> Self {
        let n_places = parallel::available() + 2;
        let places = (0..n_places).map(|_| Mutex::new(None)).collect();
        Self { places, budget: Arc::new(Budget::new(cache_bytes)) }
    }

    /// A cache for one call.
    pub fn take(&self) -> WordCache {
        let mut free = self.places.iter().filter_map(|place| place.try_lock().ok()?.take());
        free.next().unwrap_or_else(|| WordCache::new(&self.budget))
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
