//! The word caches of a tokenizer.

use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::bpe::cache::WordCache;
use crate::parallel;

/// A new cache takes so much memory whatever others have taken, or half of a limit that is less than twice as much: a
/// thread without any would be ten times slower.
const FIRST_BYTES: usize = 1 << 18;

/// The memory that the caches of a tokenizer may have together. Only first memory of more caches than the limit holds
/// goes beyond it.
#[derive(Debug)]
pub struct Budget {
    first_bytes: usize,
    /// Below zero where first memory goes beyond the limit.
    left_bytes: AtomicIsize,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(most_bytes: usize) -> Self {
        let left_bytes = isize::try_from(most_bytes).unwrap_or(isize::MAX);
        Self { first_bytes: FIRST_BYTES.min(most_bytes / 2), left_bytes: AtomicIsize::new(left_bytes) }
    }

    /// Takes the memory of a new cache, and says how much.
    pub fn take_first(&self) -> usize {
        self.left_bytes.fetch_sub(self.first_bytes as isize, Ordering::Relaxed);
        self.first_bytes
    }

    /// Takes memory, and says whether it did: never more than half of what is left, so that later caches find some too,
    /// and a table fits beside the one of half its size that it replaces. One that grows by less, as a last step, goes
    /// beyond the limit, by less than the old one takes, while its pieces move.
    pub fn take(&self, bytes: usize) -> bool {
        self.take_of(bytes, 2)
    }

    /// Takes memory, and says whether it did: up to all that is left.
    pub fn take_last(&self, bytes: usize) -> bool {
        self.take_of(bytes, 1)
    }

    /// Takes at most this part of what is left.
    fn take_of(&self, bytes: usize, part: usize) -> bool {
        let rest = |left: isize| (bytes <= usize::try_from(left).ok()? / part).then(|| left - bytes as isize);
        self.left_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).is_ok()
    }

    /// Gives memory back that was taken.
    pub fn give_back(&self, bytes: usize) {
        self.left_bytes.fetch_add(bytes as isize, Ordering::Relaxed);
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
