//! The symbols beside the places of one merge, each once.
//!
//! Most places of a frequent pair have the same few neighbours. So a merge notes what it meets, and each pair that it
//! changes is looked up once, not once for each place; and as the count of a new pair is known before it is entered, one
//! that occurs too rarely never is.

/// No entry.
const NONE: u32 = u32::MAX;

/// A symbol that is a neighbour.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour {
    /// Its id.
    pub symbol: u32,
    /// At how many places.
    pub n_places: u32,
    /// The weight of these together.
    pub weight: u64,
    /// Where the next place of the new pair is written to; None if that is not known.
    pub room: Option<usize>,
}

/// The neighbours on one side.
#[derive(Debug, Default)]
pub struct Neighbours {
    all: Vec<Neighbour>,
    /// Which of `all` a symbol is.
    number_of: Vec<u32>,
}

impl Neighbours {
    /// Makes ready for symbols below `n_ids`.
    pub fn reserve(&mut self, n_ids: u32) {
        self.number_of.resize(n_ids as usize, NONE);
    }

    /// Notes a neighbour at one more place.
    #[inline]
    pub fn note(&mut self, symbol: u32, weight: u64) {
        let number = &mut self.number_of[symbol as usize];
        if *number == NONE {
            *number = self.all.len() as u32;
            self.all.push(Neighbour { symbol, n_places: 0, weight: 0, room: None });
        }
        let neighbour = &mut self.all[*number as usize];
        neighbour.n_places += 1;
        neighbour.weight += weight;
    }

    /// One of them.
    pub fn find(&self, symbol: u32) -> Option<&Neighbour> {
        self.all.get(self.number_of[symbol as usize] as usize)
    }

    /// All of them, in the order in which they were met.
    pub fn iter(&self) -> impl Iterator<Item = &Neighbour> {
        self.all.iter()
    }

    /// All of them, to give them room.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Neighbour> {
        self.all.iter_mut()
    }

    /// Where the next place of the new pair with a neighbour is written to.
    #[inline]
    pub fn next_room(&mut self, symbol: u32) -> Option<usize> {
        let room = self.all[self.number_of[symbol as usize] as usize].room.as_mut()?;
        *room += 1;
        Some(*room - 1)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        for neighbour in self.all.drain(..) {
            self.number_of[neighbour.symbol as usize] = NONE;
        }
    }
}
