//! Encodes long pieces in time that grows with their length, by the search of van Antwerpen and Neubeck ("So many tokens, so
//! little time", GitHub 2024).
//!
//! Tokens t1 ... tn are the encoding of their joined bytes if and only if each two neighbours are the encoding of theirs:
//! the first merge across a border between two tokens would come in the encoding of these two alone as well, for what is
//! merged on both sides up to then is the same. So the search goes from left to right, takes the longest token that
//! gets on with the one before it, and goes back where none does. The encoding of the bytes up to a place is unique; a place
//! that the search had to leave is never entered again, which makes its steps linear.
//!
//! Whether two tokens are neighbours is found by merging their bytes, and noted. Where the text shows new pairs all the time,
//! as random letters do, it is cheaper to merge the next stretch as a whole: the tokens inside it are neighbours, and those
//! at its end are left to the search.
//!
//! With many long tokens that hardly ever get on, as no training makes them, each place asks for the merging of hundreds of
//! bytes again and again. A search that has merged many times what it has passed gives up: the piece is merged as a whole.

use super::encode::Bpe;
use super::together::SHORT;
use crate::Tick;
use crate::error::Result;
use crate::hash::Seed;
use crate::vocab::Vocabulary;

/// Bytes by which tokens are grouped.
const PREFIX: usize = 3;

/// Steps between two ticks.
const TICK_STEPS: usize = 1 << 16;

/// The search owes so many bytes for a pair that it has to merge, and pays with those that it passes. With a debt above the
/// limit stretches are merged, which pay so many times less.
const PAIR_COSTS: usize = 16;
const MOST_DEBT: usize = 256;

/// Tokens at the end of a stretch that more text could change; a guess, as the search can take more of them back.
const OPEN_TOKENS: usize = 2;

/// Most pairs that are noted for a piece.
const MOST_NOTES: usize = 1 << 14;

/// The search gives up when it has merged so many times the bytes that it has reached, and so many more.
const MOST_WORK: usize = 16;
const FREE_WORK: usize = 1 << 12;

/// The lengths of tokens.
#[derive(Debug)]
pub struct Lengths {
    /// By the first `PREFIX` bytes: one bit for each length below 63, and bit 63 for all others. Slots of an open table, at
    /// most half full; no lengths mark an empty one.
    slots: Vec<(u32, u64)>,
    /// The lengths from 63 on, ascending.
    long: Vec<usize>,
    seed: Seed,
}

impl Lengths {
    /// Notes the lengths of the model's tokens.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let mut lengths = Self { slots: vec![(0, 0); 1 << 10], long: Vec::new(), seed: Seed::random() };
        let mut n_slots = 0;
        for (_, token) in vocabulary.model_tokens() {
            let Some(prefix) = prefix_of(token) else { continue };
            if token.len() >= 63 {
                lengths.long.push(token.len());
            }
            let at = lengths.slot(prefix);
            n_slots += usize::from(lengths.slots[at].1 == 0);
            lengths.slots[at] = (prefix, lengths.slots[at].1 | 1 << token.len().min(63));
            if n_slots * 2 > lengths.slots.len() {
                lengths.grow();
            }
        }
        lengths.long.sort_unstable();
        lengths.long.dedup();
        lengths
    }

    fn slot(&self, prefix: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.seed.of_u64(u64::from(prefix)) as usize & mask;
        while self.slots[at].1 > 0 && self.slots[at].0 != prefix {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let slots = vec![(0, 0); self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, slots).into_iter().filter(|slot| slot.1 > 0) {
            let at = self.slot(slot.0);
            self.slots[at] = slot;
        }
    }

    /// The longest token of at most `most` bytes that a text begins with, and its length.
    fn longest(&self, vocabulary: &Vocabulary, text: &[u8], most: usize) -> Option<(u32, usize)> {
        let text = &text[..most.min(text.len())];
        let token = |length: &usize| Some((vocabulary.model_id_of(text.get(..*length)?)?, *length));
        let mut lengths = prefix_of(text).map_or(0, |prefix| self.slots[self.slot(prefix)].1);
        if lengths >> 63 > 0 {
            let fitting = self.long.partition_point(|length| *length <= text.len());
            if let Some(found) = self.long[..fitting].iter().rev().find_map(token) {
                return Some(found);
            }
        }
        lengths &= u64::MAX >> 1;
        if text.len() < 63 {
            lengths &= (1 << (text.len() + 1)) - 1;
        }
        while lengths > 0 {
            let length = lengths.ilog2() as usize;
            if let Some(found) = token(&length) {
                return Some(found);
            }
            lengths ^= 1 << length;
        }
        [2, 1].iter().find_map(token)
    }
}

fn prefix_of(bytes: &[u8]) -> Option<u32> {
    let first: &[u8; PREFIX] = bytes.first_chunk()?;
    Some(first.iter().fold(0, |prefix, byte| prefix << 8 | u32::from(*byte)))
}

/// What is known of a piece that is searched.
struct Search<'a> {
    bpe: &'a Bpe,
    vocabulary: &'a Vocabulary,
    /// Pairs of tokens, and whether they are neighbours; each place holds the last pair that belongs there.
    notes: Vec<(u32, u32, bool)>,
    /// One bit for each place that cannot be in the encoding.
    dead: Vec<u64>,
    room: Vec<u8>,
    debt: usize,
    /// Steps, and bytes that were merged.
    work: usize,
}

/// Appends the ids of a piece that is longer than one merges at once.
pub fn encode(
    bpe: &Bpe,
    lengths: &Lengths,
    vocabulary: &Vocabulary,
    piece: &[u8],
    ids: &mut Vec<u32>,
    tick: Tick<'_>,
) -> Result<()> {
    let n_notes = (piece.len() / 4).next_power_of_two().clamp(64, MOST_NOTES);
    let notes = vec![(u32::MAX, u32::MAX, false); n_notes];
    let (dead, room) = (vec![0; piece.len() / 64 + 1], Vec::new());
    let mut search = Search { bpe, vocabulary, notes, dead, room, debt: 0, work: 0 };
    let first = ids.len();
    let (mut at, mut most, mut reached) = (0, piece.len(), 0);
    for step in 1_usize.. {
        if step % TICK_STEPS == 0 {
            tick(0)?;
        }
        search.work += 1;
        reached = reached.max(at);
        if search.work > FREE_WORK + MOST_WORK * reached {
            ids.truncate(first);
            return bpe.merge_by_rank(piece, ids, tick);
        }
        let last = ids[first..].last().copied();
        if search.debt > MOST_DEBT {
            let passed = last.map_or(Ok(0), |last| search.pass_stretch(piece, at, last, ids, tick))?;
            at += passed;
            search.debt = if passed == 0 { 0 } else { search.debt.saturating_sub(passed / PAIR_COSTS) };
            if passed > 0 {
                most = piece.len() - at;
                continue;
            }
        }
        match lengths.longest(vocabulary, &piece[at..], most) {
            Some((id, length)) if search.fits(last, id, at + length, tick)? => {
                ids.push(id);
                at += length;
                search.debt = search.debt.saturating_sub(length);
                most = piece.len() - at;
                if at == piece.len() {
                    break;
                }
            }
            Some((_, length)) if length > 1 => most = length - 1,
            _ => {
                // No token leads on from here, so the last one was wrong. There is one: the encoding begins somehow.
                search.dead[at / 64] |= 1 << (at % 64);
                let Some(wrong) = ids[first..].last().copied() else {
                    // Not with the tables of a file that was made to do harm: merging ends with any.
                    return bpe.merge_by_rank(piece, ids, tick);
                };
                ids.pop();
                at -= vocabulary.span(wrong).len();
                most = piece.len() - at;
            }
        }
    }
    Ok(())
}

impl Search<'_> {
    /// Whether a token that ends at `end` may follow the last one.
    fn fits(&mut self, last: Option<u32>, id: u32, end: usize, tick: Tick<'_>) -> Result<bool> {
        if self.is_dead(end) {
            return Ok(false);
        }
        match last {
            Some(last) => self.are_neighbours(last, id, tick),
            // There are tokens that merging never makes.
            None => self.are_encoding(&[id], tick),
        }
    }

    /// Merges a stretch that begins with the last token, which ends at `at`, and takes its inner tokens. Returns how many
    /// bytes they have.
    ///
    /// Where the stretch was too short to tell, its tokens lead to a place that the search has left: those are not taken, or
    /// the search and the stretches could go to and fro for ever.
    fn pass_stretch(
        &mut self,
        piece: &[u8],
        at: usize,
        last: u32,
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<usize> {
        let start = at - self.vocabulary.span(last).len();
        let mut tokens = Vec::with_capacity(SHORT);
        let stretch = &piece[start..piece.len().min((start + SHORT).max(at))];
        self.work += stretch.len();
        self.bpe.merge_by_rank(stretch, &mut tokens, tick)?;
        if tokens.first() != Some(&last) || tokens.len() <= 1 + OPEN_TOKENS {
            return Ok(0);
        }
        let mut end = at;
        for token in &tokens[1..tokens.len() - OPEN_TOKENS] {
            let next = end + self.vocabulary.span(*token).len();
            if next >= piece.len() || self.is_dead(next) {
                break;
            }
            ids.push(*token);
            end = next;
        }
        Ok(end - at)
    }

    /// Whether the search has left a place for good.
    fn is_dead(&self, place: usize) -> bool {
        self.dead[place / 64] >> (place % 64) & 1 == 1
    }

    fn are_neighbours(&mut self, left: u32, right: u32, tick: Tick<'_>) -> Result<bool> {
        let place = (left.wrapping_mul(0x9E37_79B1) ^ right.wrapping_mul(0x85EB_CA77)) as usize >> 4;
        let place = place & (self.notes.len() - 1);
        let (known_left, known_right, known) = self.notes[place];
        if (known_left, known_right) == (left, right) {
            return Ok(known);
        }
        self.debt += PAIR_COSTS;
        let found = self.are_encoding(&[left, right], tick)?;
        self.notes[place] = (left, right, found);
        Ok(found)
    }

    /// Whether tokens are the encoding of their bytes.
    fn are_encoding(&mut self, tokens: &[u32], tick: Tick<'_>) -> Result<bool> {
        self.room.clear();
        for token in tokens {
            self.room.extend_from_slice(&self.vocabulary.arena()[self.vocabulary.span(*token)]);
        }
        self.work += self.room.len();
        let mut ids = Vec::new();
        self.bpe.merge_by_rank(&self.room, &mut ids, tick)?;
        Ok(ids == tokens)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::{Lengths, encode};
    use crate::bpe::encode::Bpe;
    use crate::hash::Seed;
    use crate::spec::Semantics;
    use crate::vocab::Vocabulary;

    /// Numbers below `limit`, another at each call.
    fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |limit| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        }
    }

    /// All bytes, and tokens that are joined of two at random; the merges in an order of their own.
    fn random_vocabulary(next: &mut impl FnMut(usize) -> usize) -> (Vocabulary, Vec<(u32, u32)>) {
        let mut tokens: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let mut merges = Vec::new();
        for _ in 0..next(40) + 2 {
            let mut part = || match next(tokens.len() - 253) {
                few @ 0..3 => usize::from(b"abc"[few]),
                more => more + 253,
            };
            let (left, right) = (part(), part());
            let token = [tokens[left].as_slice(), &tokens[right]].concat();
            if token.len() < 100 && !tokens.contains(&token) {
                tokens.push(token);
                merges.push((left as u32, right as u32));
            }
        }
        if next(3) == 0 && merges.len() > 1 {
            let (first, second) = (next(merges.len()), next(merges.len()));
            merges.swap(first, second);
        }
        (vocabulary_of(&tokens), merges)
    }

    fn vocabulary_of(tokens: &[Vec<u8>]) -> Vocabulary {
        let mut offsets = vec![0];
        offsets.extend(tokens.iter().scan(0, |end, token| {
            *end += token.len() as u32;
            Some(*end)
        }));
        Vocabulary::new(&tokens.concat(), &offsets, &[]).unwrap()
    }

    #[test]
    fn stretches_that_end_within_long_tokens_do_not_hold_up_the_search() {
        let tick: crate::Tick<'_> = &mut |_| Ok(());
        // With the first three the search once went to and fro for ever.
        for seed in [426, 1109, 1177].into_iter().chain(0..40) {
            let mut next = numbers(seed * 7919 + 13);
            let (letters, n_tokens, longest) = (next(3) + 1, next(100) + 20, next(150) + 20);
            let mut tokens: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
            for _ in 0..n_tokens {
                let (start, length) = (next(letters), next(longest) + 2);
                let token = (start..start + length).map(|at| b"abc"[at % letters]).collect();
                if !tokens.contains(&token) {
                    tokens.push(token);
                }
            }
            let vocabulary = vocabulary_of(&tokens);
            let bpe = Bpe::new(&vocabulary, &[], Semantics::Ranks, false, tick).unwrap();
            for _ in 0..4 {
                let mut piece: Vec<u8> = (0..next(150)).map(|_| b"abcdefgh"[next(8)]).collect();
                let length = next(1500) + 60;
                while piece.len() < length {
                    match next(2) {
                        0 => piece.extend_from_slice(&tokens[256 + next(tokens.len() - 256)]),
                        _ => piece.push(b"abc"[next(letters)]),
                    }
                }
                let (mut found, mut merged) = (Vec::new(), Vec::new());
                encode(&bpe, &Lengths::new(&vocabulary), &vocabulary, &piece, &mut found, tick).unwrap();
                bpe.merge_by_rank(&piece, &mut merged, tick).unwrap();
                assert_eq!(found, merged, "seed {seed}");
            }
        }
    }

    #[test]
    fn the_search_finds_what_merging_by_rank_gives() {
        let tick: crate::Tick<'_> = &mut |_| Ok(());
        let mut n_searched = 0;
        for seed in 0..3000 {
            let mut next = numbers(Seed::random().of_u64(seed));
            let (vocabulary, merges) = random_vocabulary(&mut next);
            let (semantics, merges) =
                if next(2) == 0 { (Semantics::Ranks, vec![]) } else { (Semantics::Merges, merges) };
            let bpe = Bpe::new(&vocabulary, &merges, semantics, false, tick).unwrap();
            let lengths = Lengths::new(&vocabulary);
            for _ in 0..4 {
                let (length, letters) = (next(200) + 1, next(3) + 1);
                let piece: Vec<u8> = (0..length).map(|_| b"abc"[next(letters)]).collect();
                let (mut found, mut merged) = (Vec::new(), Vec::new());
                encode(&bpe, &lengths, &vocabulary, &piece, &mut found, tick).unwrap();
                bpe.merge_by_rank(&piece, &mut merged, tick).unwrap();
                assert_eq!(found, merged, "{merges:?} {}", String::from_utf8_lossy(&piece));
                n_searched += usize::from(merged.len() > 1);
            }
        }
        assert!(n_searched > 6000);
    }
}
