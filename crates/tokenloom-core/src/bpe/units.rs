//! What is looked up at once: pieces, and of pieces without blanks the parts between safe cuts.
//!
//! A clause of Chinese hardly ever comes twice, and in scripts that a vocabulary hardly knows nearly all borders are safe. So
//! pieces that begin outside ASCII, perhaps behind a blank, are cut at once and never looked up as a whole where they fall
//! into parts. Other pieces are cut only if they are not known.

use super::cache::WordCache;
use super::cuts::SafeCuts;
use super::key::Key;

/// So many are looked up together.
pub const GROUP: usize = 128;

/// Most units that are found before the ids of the first are given out.
pub const MOST_FOUND: usize = 8 * GROUP;

/// Most ids of a unit that come into the row.
pub const ROW_IDS: usize = 4;

/// Pieces of one or two characters come often enough.
const FEW_BYTES: usize = 6;

/// A unit without a key: a single character of three bytes between safe cuts, or a long unit.
const KEYLESS: u8 = 1;

/// A part of a piece: it is no token just because its bytes are one.
const PART: u8 = 2;

/// The number of a long unit; none that a character has.
const LONG: usize = 1 << 16;

/// The number of a character that is looked up as such, from what stands for its key.
pub fn character(key: Key) -> Option<usize> {
    key.number().filter(|number| *number != LONG)
}

/// What is special about a unit.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// It is looked up by its key.
    pub has_key: bool,
    /// It is a part of a piece, and no token just because its bytes are one.
    pub is_part: bool,
}

/// The units that are looked up together. They follow each other: each begins where the one before it ends.
#[derive(Debug)]
pub struct Group {
    /// Their number.
    pub n_units: usize,
    /// Where the first begins.
    start: usize,
    /// Where each ends.
    pub ends: [usize; GROUP],
    /// The key of each, or what stands for it.
    pub keys: [Key; GROUP],
    /// The set of each key.
    pub places: [usize; GROUP],
    /// What is special about each, see `KEYLESS` and `PART`.
    traits: [u8; GROUP],
}

impl Group {
    /// No units.
    pub fn new() -> Self {
        Self {
            n_units: 0,
            start: 0,
            ends: [0; GROUP],
            keys: [Key::NONE; GROUP],
            places: [0; GROUP],
            traits: [0; GROUP],
        }
    }

    /// Where a unit begins.
    pub fn start(&self, unit: usize) -> usize {
        unit.checked_sub(1).map_or(self.start, |before| self.ends[before])
    }

    /// What is special about a unit.
    #[inline]
    pub fn traits(&self, unit: usize) -> Traits {
        Traits { has_key: self.traits[unit] & KEYLESS == 0, is_part: self.traits[unit] & PART > 0 }
    }

    /// Adds a unit with a key, and asks for its set.
    #[inline(always)]
    fn push_keyed(&mut self, key: Key, end: usize, traits: u8, cache: &WordCache) {
        let place = cache.set_of(key);
        cache.prefetch(place);
        self.push(key, place, end, traits);
    }

    #[inline(always)]
    fn push(&mut self, key: Key, place: usize, end: usize, traits: u8) {
        let unit = self.n_units % GROUP;
        (self.keys[unit], self.places[unit], self.ends[unit]) = (key, place, end);
        self.traits[unit] = traits;
        self.n_units += 1;
    }
}

/// Room to look up a group. To clear it for each call would cost more than a short text.
#[derive(Debug)]
pub struct Desk {
    /// The units.
    pub group: Group,
    /// What was found for each.
    pub found: [u64; MOST_FOUND],
    /// Their number.
    pub n_found: usize,
    /// Ids of several units in a row.
    pub row: [u32; (GROUP + 1) * ROW_IDS],
}

impl Default for Desk {
    fn default() -> Self {
        Self { group: Group::new(), found: [0; MOST_FOUND], n_found: 0, row: [0; (GROUP + 1) * ROW_IDS] }
    }
}

/// Cuts pieces into units.
#[derive(Debug)]
pub struct Units<'a> {
    text: &'a [u8],
    /// The ends of the pieces that are to come.
    ends: &'a [usize],
    cuts: Option<&'a SafeCuts>,
    /// Where the next unit begins.
    at: usize,
    /// The piece that is being cut; it ends at `at` if none is.
    piece: (usize, usize),
}

impl<'a> Units<'a> {
    /// The units of pieces, the first of which begins at `start`. Without cuts they are the pieces.
    pub fn new(text: &'a [u8], start: usize, ends: &'a [usize], cuts: Option<&'a SafeCuts>) -> Self {
        Self { text, ends, cuts, at: start, piece: (start, start) }
    }

    /// Fills a group with the next units, and asks for what they need in the cache.
    #[inline(always)]
    pub fn next_group(&mut self, cache: &WordCache, group: &mut Group) {
        (group.n_units, group.start) = (0, self.at);
        self.whole_pieces(cache, group);
        while group.n_units < GROUP && (self.at < self.piece.1 || !self.ends.is_empty()) {
            self.odd_piece(cache, group);
            self.whole_pieces(cache, group);
        }
    }

    /// Takes pieces up to one that is to be cut, or has no key.
    #[inline(always)]
    fn whole_pieces(&mut self, cache: &WordCache, group: &mut Group) {
        if self.at < self.piece.1 {
            return;
        }
        let (mut at, before) = (self.at, group.n_units);
        let places = group.places[before..].iter_mut().zip(&mut group.ends[before..]);
        let units = group.keys[before..].iter_mut().zip(places).zip(&mut group.traits[before..]);
        for (&end, ((unit_key, (place, unit_end)), traits)) in self.ends.iter().zip(units) {
            let Some(key) = Key::new(self.text, at, end) else { break };
            if key.begins_outside_ascii() && end - at > FEW_BYTES {
                break;
            }
            (*unit_key, *unit_end, *traits) = (key, end, 0);
            *place = cache.set_of(key);
            cache.prefetch(*place);
            group.n_units += 1;
            at = end;
        }
        self.at = at;
        self.piece = (at, at);
        self.ends = &self.ends[group.n_units - before..];
    }

    /// Takes a long piece, or the next parts of one that is cut.
    #[inline(never)]
    fn odd_piece(&mut self, cache: &WordCache, group: &mut Group) {
        if self.at == self.piece.1
            && let Some((&end, rest)) = self.ends.split_first()
        {
            (self.piece, self.ends) = ((self.at, end), rest);
        }
        let (first, last) = self.piece;
        let cuts = self.cuts.filter(|_| self.text[first..last].iter().take(2).any(|byte| !byte.is_ascii()));
        let mut at = self.at;
        while at < last && group.n_units < GROUP {
            let end = cuts.map_or(last, |cuts| cuts.next(self.text, at, last));
            let traits = if (at, end) == (first, last) { 0 } else { PART };
            self.push(at, end, traits, cache, group);
            at = end;
        }
        self.at = at;
    }

    #[inline(always)]
    fn push(&self, start: usize, end: usize, traits: u8, cache: &WordCache, group: &mut Group) {
        if traits > 0
            && let Some(number) = character_number(&self.text[start..end])
        {
            cache.prefetch_character(number);
            return group.push(Key::keyless(number), 0, end, KEYLESS | PART);
        }
        let Some(key) = Key::new(self.text, start, end) else {
            return group.push(Key::keyless(LONG), 0, end, KEYLESS | traits);
        };
        group.push_keyed(if traits > 0 { key.of_part() } else { key }, end, traits, cache);
    }
}

/// The sixteen bits that a character of three bytes carries, if a unit is one.
#[inline(always)]
fn character_number(unit: &[u8]) -> Option<usize> {
    match *unit {
        [lead @ 0xE0..=0xEF, second @ 0x80..=0xBF, third @ 0x80..=0xBF] => {
            Some(usize::from(lead & 0x0F) << 12 | usize::from(second & 0x3F) << 6 | usize::from(third & 0x3F))
        }
        _ => None,
    }
}
