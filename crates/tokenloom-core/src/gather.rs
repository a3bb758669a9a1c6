//! Ids of many parts of text, encoded at the same time, in one array.
//!
//! A thread encodes a unit into memory that it uses again and again. When all units before it are in their places, the
//! unit's place is known, and the ids are copied there, at most once; several threads copy at the same time, each into a
//! stretch that it alone was given. So the ids are in memory once, and no thread alone touches all of it.

use std::collections::BTreeMap;
use std::mem::{self, MaybeUninit};
use std::sync::{Mutex, PoisonError};

/// Where units of ids meet.
pub(crate) struct Gathering<'a>(Mutex<State<'a>>);

struct State<'a> {
    /// The unit of which the place is the next to be known.
    next: usize,
    /// Room that no unit has.
    room: &'a mut [MaybeUninit<u32>],
    n_placed: usize,
    /// Units that wait for others before them.
    waiting: BTreeMap<usize, Vec<u32>>,
    /// Units for which there was no room, in order: all since the first such one.
    late: Vec<Vec<u32>>,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(room: &'a mut [MaybeUninit<u32>]) -> Self {
        let (waiting, late) = (BTreeMap::new(), Vec::new());
        Self(Mutex::new(State { next: 0, room, n_placed: 0, waiting, late }))
    }

    /// Takes the ids of a unit, and leaves an empty vector. Each unit, counted from 0, must come once.
    pub(crate) fn put(&self, unit: usize, ids: &mut Vec<u32>) {
        let mut placed = Vec::new();
        {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.waiting.insert(unit, mem::take(ids));
            while let Some(ids) = state.take_next() {
                state.next += 1;
                if !state.late.is_empty() || ids.len() > state.room.len() {
                    state.late.push(ids);
                    continue;
                }
                let (place, room) = mem::take(&mut state.room).split_at_mut(ids.len());
                state.room = room;
                state.n_placed += ids.len();
                placed.push((place, ids));
            }
        }
        for (place, unit_ids) in placed {
            for (slot, id) in place.iter_mut().zip(&unit_ids) {
                slot.write(*id);
            }
            if ids.capacity() < unit_ids.capacity() {
                *ids = unit_ids;
                ids.clear();
            }
        }
    }

    /// The number of ids that are in their places, which follow one another from the start of the room, and the units
    /// that found no room and come behind.
    pub(crate) fn finish(self) -> (usize, Vec<Vec<u32>>) {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.n_placed, state.late)
    }
}

impl State<'_> {
    fn take_next(&mut self) -> Option<Vec<u32>> {
        self.waiting.remove(&self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::Gathering;

    /// What units of these ids, put in an order, become in a room of some places: those in it, and those behind.
    fn gathered(room: usize, units: &[&[u32]], order: &[usize]) -> (Vec<u32>, Vec<Vec<u32>>) {
        let mut ids = Vec::with_capacity(room);
        let gathering = Gathering::new(&mut ids.spare_capacity_mut()[..room]);
        for unit in order {
            let mut own = units[*unit].to_vec();
            gathering.put(*unit, &mut own);
            assert!(own.is_empty(), "a vector to use again");
        }
        let (n_placed, late) = gathering.finish();
        // SAFETY: the gathering filled so many places from the start on.
        unsafe { ids.set_len(n_placed) };
        (ids, late)
    }

    const ORDERS: [[usize; 4]; 5] = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1], [3, 0, 1, 2]];

    #[test]
    fn units_stand_in_their_order_whatever_order_they_came_in() {
        for order in ORDERS {
            let (ids, late) = gathered(9, &[&[1, 2], &[], &[3, 4, 5], &[6]], &order);
            assert_eq!((ids.as_slice(), late.len()), ([1, 2, 3, 4, 5, 6].as_slice(), 0), "{order:?}");
        }
    }

    #[test]
    fn behind_a_unit_without_room_none_is_in_the_room() {
        for order in ORDERS {
            let (ids, late) = gathered(4, &[&[1, 2], &[3, 4, 5], &[6], &[7]], &order);
            assert_eq!((ids, late), (vec![1, 2], vec![vec![3, 4, 5], vec![6], vec![7]]), "{order:?}");
        }
    }
}
