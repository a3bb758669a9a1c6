//! The word caches of a tokenizer.

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use crate::bpe::cache::WordCache;
use crate::pool::Pool;

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

/// Word caches that no call uses at the moment, and the memory that all of them share.
#[derive(Debug)]
pub struct CachePool {
    caches: Pool<WordCache>,
    budget: Arc<Budget>,
}

impl CachePool {
    /// A pool of caches that take so much memory together.
    pub fn new(cache_bytes: usize) -> Self {
        Self { caches: Pool::new(), budget: Arc::new(Budget::new(cache_bytes)) }
    }

    /// A cache for one call.
    pub fn take(&self) -> WordCache {
        self.caches.take().unwrap_or_else(|| WordCache::new(&self.budget))
    }

    /// Keeps a cache for the next call, if there is a place.
    pub fn give_back(&self, cache: WordCache) {
        self.caches.give_back(cache);
    }

    /// Forgets all caches that no call uses.
    pub fn clear(&self) {
        self.caches.clear();
    }
}
