//! What is looked up at once: pieces, and of pieces without blanks the parts between safe cuts.
//!
//! A clause of Chinese hardly ever comes twice, and in scripts that a vocabulary hardly knows nearly all borders are safe. So
//! pieces that begin outside ASCII, perhaps behind a blank, are cut at once and never looked up as a whole where they fall
//! into parts. Other pieces are cut only if they are not known.

use super::cache::WordCache;
use super::cuts::SafeCuts;
use super::group::{GROUP, Group, PART};
use super::key::ShortKey;

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

    /// Fills a group with the next units, finds those in the first level, and asks for what the others need of the cache.
    #[inline(always)]
    pub fn next_group(&mut self, cache: &WordCache, group: &mut Group, found: &mut [u64; GROUP]) {
        group.clear(self.at);
        self.whole_pieces(cache, group, found);
        while group.n_units < GROUP && (self.at < self.piece.1 || !self.ends.is_empty()) {
            self.odd_piece(cache, group);
            self.whole_pieces(cache, group, found);
        }
        group.prefetch(self.text, cache);
    }

    /// Takes pieces up to one that is to be cut.
    #[inline(always)]
    fn whole_pieces(&mut self, cache: &WordCache, group: &mut Group, found: &mut [u64; GROUP]) {
        if self.at < self.piece.1 {
            return;
        }
        let taken = group.push_pieces(self.text, self.at, self.ends, cache, found);
        let (taken, rest) = self.ends.split_at(taken);
        self.at = taken.last().copied().unwrap_or(self.at);
        (self.piece, self.ends) = ((self.at, self.at), rest);
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
            let mark = if (at, end) == (first, last) { 0 } else { PART };
            self.push(at, end, mark, cache, group);
            at = end;
        }
        self.at = at;
    }

    #[inline(always)]
    fn push(&self, start: usize, end: usize, mark: u8, cache: &WordCache, group: &mut Group) {
        if mark > 0
            && let Some(number) = character_number(&self.text[start..end])
        {
            return group.push_character(number, end, cache);
        }
        let (key, _) = ShortKey::of_text(self.text, start, end);
        group.push_unit(if mark > 0 { key.of_part() } else { key }, end, mark, cache);
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
