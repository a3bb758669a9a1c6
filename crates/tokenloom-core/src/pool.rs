//! What threads lend to calls one after the other, such as caches.

use std::sync::Mutex;

use crate::parallel;

/// Things that no call uses at the moment. A call never waits for one: where it finds none it makes its own.
///
/// Each place has a lock of its own. A lock that another thread held when the process was forked stays locked in the
/// child for ever, and then costs the child one place, not the pool.
#[derive(Debug)]
pub struct Pool<T> {
    places: Vec<Mutex<Option<T>>>,
}

impl<T> Pool<T> {
    /// A pool with more places than threads can run: more things would only hold memory.
    pub fn new() -> Self {
        Self { places: (0..parallel::available() + 2).map(|_| Mutex::new(None)).collect() }
    }

    /// How many things it can hold.
    pub fn n_places(&self) -> usize {
        self.places.len()
    }

    /// A thing for one call, if one is free.
    pub fn take(&self) -> Option<T> {
        self.places.iter().find_map(|place| place.try_lock().ok()?.take())
    }

    /// Keeps a thing for the next call, if there is a place.
    pub fn give_back(&self, thing: T) {
        let mut empty = self.places.iter().filter_map(|place| place.try_lock().ok()).filter(|place| place.is_none());
        if let Some(mut place) = empty.next() {
            *place = Some(thing);
        }
    }

    /// Forgets all things that no call uses.
    pub fn clear(&self) {
        for place in &self.places {
            if let Ok(mut place) = place.try_lock() {
                *place = None;
            }
        }
    }
}
