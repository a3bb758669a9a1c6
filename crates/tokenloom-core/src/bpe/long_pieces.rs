//! A bounded memory of pieces that are too long for a key: rows of blanks or signs, long names.
//!
//! Their bytes and ids lie one after the other in two arenas. When one is full, all is forgotten.

use crate::hash::Seed;

/// Places; a piece has one, which the last one with the same takes.
const PLACES: usize = 1 << 14;

/// Longest piece that is kept.
const MOST_BYTES: usize = 256;

const ARENA_BYTES: usize = 1 << 19;
const ARENA_IDS: usize = 1 << 16;

/// Where a piece lies. An empty place has no bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    tag: u32,
    first_byte: u32,
    first_id: u32,
    n_bytes: u16,
    n_ids: u16,
}

/// See the module. Before the first piece it needs no memory.
#[derive(Debug)]
pub struct LongPieces {
    places: Vec<Place>,
    bytes: Vec<u8>,
    ids: Vec<u32>,
    seed: Seed,
}

impl Default for LongPieces {
    fn default() -> Self {
        Self { places: Vec::new(), bytes: Vec::new(), ids: Vec::new(), seed: Seed::random() }
    }
}

impl LongPieces {
    /// Most memory that is ever used.
    pub const BYTES: usize = PLACES * size_of::<Place>() + ARENA_BYTES + ARENA_IDS * size_of::<u32>();

    /// Whether nothing was remembered yet.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The ids of a piece, if they are known.
    pub fn recall(&self, piece: &[u8]) -> Option<&[u32]> {
        if self.is_empty() || piece.len() > MOST_BYTES {
            return None;
        }
        let hash = self.seed.of_bytes(piece);
        let place = self.places[hash as usize % PLACES];
        let (first_byte, first_id) = (place.first_byte as usize, place.first_id as usize);
        let is_it = place.tag == tag(hash) && self.bytes[first_byte..].get(..usize::from(place.n_bytes)) == Some(piece);
        is_it.then(|| &self.ids[first_id..first_id + usize::from(place.n_ids)])
    }

    /// Whether a piece with these ids is one that is kept.
    pub fn takes(piece: &[u8], ids: &[u32]) -> bool {
        (1..=MOST_BYTES).contains(&piece.len()) && ids.len() <= piece.len()
    }

    /// Remembers the ids of a piece that is one of those.
    pub fn remember(&mut self, piece: &[u8], ids: &[u32]) {
        if self.is_empty() || self.bytes.len() + piece.len() > ARENA_BYTES || self.ids.len() + ids.len() > ARENA_IDS {
            self.places.clear();
            self.places.resize(PLACES, Place::default());
            self.bytes.clear();
            self.bytes.reserve_exact(ARENA_BYTES);
            self.ids.clear();
            self.ids.reserve_exact(ARENA_IDS);
        }
        let hash = self.seed.of_bytes(piece);
        self.places[hash as usize % PLACES] = Place {
            tag: tag(hash),
            first_byte: self.bytes.len() as u32,
            first_id: self.ids.len() as u32,
            n_bytes: piece.len() as u16,
            n_ids: ids.len() as u16,
        };
        self.bytes.extend_from_slice(piece);
        self.ids.extend_from_slice(ids);
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}
