//! Byte-pair encoding by scores, as SentencePiece does it: from one piece of text to ids.
//!
//! A text begins as one symbol a character, and as one for each user-defined symbol in it, of which the longest is taken
//! where several begin. Of all pairs of neighbours whose joined text is a token, the one whose token has the highest score is
//! joined, of equal ones the leftmost, until there is none. User-defined symbols are joined with nothing. At the end a token that is
//! unused is cut into the two symbols that it was joined of, or would have been if that pair had been the last one to be
//! looked at, and these again. What is no token is unknown: it becomes the tokens of its bytes, or the unknown
//! token; neighbouring ones become one, which is done behind, where all ids of a text lie side by side.
//!
//! # Why texts may be cut
//!
//! A symbol is a character, a user-defined symbol or a token. If no token holds the bytes on both sides of a place side by
//! side, no symbol ever reaches over it ([`Borders`], [`SafeCuts`]). Then what is joined left of it and right of it are two
//! sets of pairs that never share a symbol, a pair is looked for in its own half alone, and the order between equal scores
//! is that of places, which is the same in a half and in the whole. So the symbols of the whole are those of the halves,
//! one after the other. User-defined symbols are tokens too, and the longest one from a place on is in one half; a search
//! that begins at the cut finds what one from the start finds, as none that it takes reaches over the cut. What an unknown
//! character becomes depends on itself, but for neighbours that become one, which is done behind. Only unused tokens need the whole
//! text: into what one is cut may be decided by another place of it. So models that have some are not cut.
//!
//! Pairs are looked up by their text in a table of all tokens that may be joined, which needs no list of merges: each token
//! may be joined in as many ways as it has characters. Most pairs have no token and are known by the two bytes that meet.
//!
//! Source: `src/bpe_model.cc` of google/sentencepiece.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, StartKind};

use super::borders::Borders;
use super::cuts::SafeCuts;
use super::encode::TICK_ENTRIES;
use super::scored_chain::{Chain, NEVER, Parts, Symbol, Unused, cut_again};
use super::scored_tables::{not_in_texts, order, pieces, write};
use super::together::SHORT;
use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{self, Packed, Parts as PackedParts, Table, le_bytes};
use crate::sentencepiece::{MARK, finder};
use crate::spec::ScoreRules;
use crate::vocab::{Names, Vocabulary};

/// The tables of the tokens in texts, where they are written down.
const PIECES: Names =
    Names { arena: "piece_arena", offsets: "piece_offsets", seed: "piece_seed", slots: "piece_slots" };

/// Characters that are looked at between two ticks.
const TICK_CHARACTERS: usize = 1 << 20;

/// A pair that may be joined: its place in the order of scores and in the text, where it ends, and the token that it makes.
type Entry = Reverse<(u32, u32, u32, u32)>;

/// An encoder that joins by scores. See the module.
#[derive(Debug)]
pub struct ScoredBpe {
    /// The tokens that may be in a text, as they are in what the model is given; ids of others have none.
    pieces: Vocabulary,
    /// The place of each id in the order of scores, the highest first; equal ones have the same.
    order: Table<u32>,
    /// The most bytes of a token.
    longest: usize,
    unk_id: u32,
    byte_ids: Option<Box<[u32; 256]>>,
    user_defined: Option<AhoCorasick>,
    unused: Option<Unused>,
    borders: Arc<Borders>,
    cuts: SafeCuts,
    /// A space stands for the mark of blanks.
    marks_are_spaces: bool,
    /// The mark is no token, so it is unknown.
    lacks_mark: bool,
}

impl ScoredBpe {
    /// Builds the encoder; `scores` are those of all ids.
    pub fn new(vocabulary: &Vocabulary, scores: &[f64], rules: ScoreRules<'_>, tick: Tick<'_>) -> Result<Self> {
        if scores.len() != vocabulary.size() {
            return Err(Error::SpecArrays { array: "scores", problem: "are more or less than ids" });
        }
        let (unk_id, byte_ids) = not_in_texts(vocabulary, rules)?;
        tick(0)?;
        let mut is_in_text = vec![true; vocabulary.size()];
        for id in byte_ids.iter().flat_map(|ids| ids.iter()).chain([&unk_id]) {
            is_in_text[*id as usize] = false;
        }
        let pieces = pieces(vocabulary, |id| is_in_text[id as usize], rules.marks_are_spaces)?;
        let pairs = Borders::pairs(pieces.model_tokens().map(|(_, token)| token));
        Self::of_tables(vocabulary, pieces, order(scores).into(), pairs.into(), rules)
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, rules: ScoreRules<'_>) -> Result<Self> {
        let (pieces, order) = (Vocabulary::unpack_parts(packed, &PIECES)?, packed.table("piece_order")?);
        if pieces.size() != vocabulary.size() || order.len() != vocabulary.size() {
            return Err(packed::fault("piece_order", "has more or less ids than there are tokens"));
        }
        Self::of_tables(vocabulary, pieces, order, packed.table("piece_pairs")?, rules)
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, parts: &mut PackedParts) -> Result<()> {
        self.pieces.pack_parts(&PIECES, parts)?;
        parts.push(("piece_order", le_bytes(&self.order, u32::to_le_bytes)));
        parts.push(("piece_pairs", le_bytes(self.borders.words(), u64::to_le_bytes)));
        Ok(())
    }

    fn of_tables(
        vocabulary: &Vocabulary,
        pieces: Vocabulary,
        order: Table<u32>,
        pairs: Table<u64>,
        rules: ScoreRules<'_>,
    ) -> Result<Self> {
        let (unk_id, byte_ids) = not_in_texts(vocabulary, rules)?;
        let tokens = || pieces.model_tokens().map(|(_, token)| token);
        let written = |text: &String| {
            let mut bytes = Vec::new();
            write(text.as_bytes(), rules.marks_are_spaces, &mut bytes).then_some(bytes)
        };
        let user_defined: Vec<_> = rules.user_defined.iter().filter_map(written).collect();
        let lacks_mark = pieces.id_of(if rules.marks_are_spaces { b" " } else { MARK }).is_none();
        let borders = Borders::new(pairs, byte_ids.is_some() || !lacks_mark);
        let borders = borders.ok_or_else(|| packed::fault("piece_pairs", "is no table of pairs"))?;
        let unused_ids = rules.unused.iter().filter_map(|text| pieces.id_of(&written(text)?));
        Ok(Self {
            order,
            longest: tokens().map(<[u8]>::len).max().unwrap_or(0),
            unk_id,
            byte_ids,
            user_defined: if user_defined.is_empty() {
                None
            } else {
                Some(finder(&user_defined, StartKind::Unanchored)?)
            },
            unused: Unused::new(unused_ids, vocabulary.size()),
            borders: Arc::new(borders),
            cuts: SafeCuts::of_tokens(tokens()),
            marks_are_spaces: rules.marks_are_spaces,
            lacks_mark,
            pieces,
        })
    }

    /// Where texts may be cut; None where they may not.
    pub fn borders(&self) -> Option<&Arc<Borders>> {
        Some(&self.borders).filter(|_| self.unused.is_none())
    }

    /// Where pieces without blanks may be cut; None where they may not.
    pub fn cuts(&self) -> Option<&SafeCuts> {
        Some(&self.cuts).filter(|_| self.unused.is_none())
    }

    /// The unknown token, of which neighbouring ones become one; None where bytes stand for what is unknown.
    pub fn fused_unknown(&self) -> Option<u32> {
        if self.byte_ids.is_none() { Some(self.unk_id) } else { None }
    }

    /// Whether an unknown token may reach from one word into the next.
    pub fn joins_words(&self) -> bool {
        self.unused.is_some() || (self.byte_ids.is_none() && self.lacks_mark)
    }

    /// The ids of a piece, each with the stretch of it that it stands for; of bytes, each for its own.
    pub fn spans(&self, piece: &[u8], mut take: impl FnMut(u32, Range<usize>), tick: Tick<'_>) -> Result<()> {
        let mut unknown: Option<Range<usize>> = None;
        self.encode(piece, tick, |id, span| match (&mut unknown, id == self.unk_id && self.byte_ids.is_none()) {
            (Some(before), true) => before.end = span.end,
            (before, true) => *before = Some(span),
            (before, false) => {
                if let Some(before) = before.take() {
                    take(self.unk_id, before);
                }
                take(id, span);
            }
        })?;
        if let Some(before) = unknown {
            take(self.unk_id, before);
        }
        Ok(())
    }

    /// The ids of a piece before unknown ones become one.
    fn encode(&self, piece: &[u8], tick: Tick<'_>, mut take: impl FnMut(u32, Range<usize>)) -> Result<()> {
        if self.unused.is_none() && self.user_defined.is_none() && self.encode_short(piece, &mut take) {
            return Ok(());
        }
        let length_bytes = piece.len();
        u32::try_from(length_bytes).ok().filter(|n| *n < NEVER).ok_or(Error::PieceTooLong { length_bytes })?;
        let (mut chain, mut parts) = (Chain::new(self.symbols(piece, tick)?), Parts::new());
        let mut entries = Vec::new();
        for left in 0..chain.len().saturating_sub(1) {
            entries.extend(self.entry(piece, &chain, left, &mut parts));
            if (left as usize).is_multiple_of(TICK_CHARACTERS) {
                tick(0)?;
            }
        }
        let (mut heap, mut since_tick) = (BinaryHeap::from(entries), 0);
        while let Some(Reverse((_, left, end, id))) = heap.pop() {
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
            if chain.join(left, end, id) {
                heap.extend(chain.before(left).and_then(|before| self.entry(piece, &chain, before, &mut parts)));
                heap.extend(self.entry(piece, &chain, left, &mut parts));
            }
        }
        for symbol in chain.left() {
            let id_of = |range: Range<usize>| self.pieces.id_of(&piece[range]);
            match self.unused {
                None => self.finish(piece, symbol, &mut take),
                Some(_) => cut_again(symbol, &parts, id_of, |symbol| self.finish(piece, symbol, &mut take)),
            }
        }
        Ok(())
    }

    /// The symbols that a piece begins as.
    fn symbols(&self, piece: &[u8], tick: Tick<'_>) -> Result<Vec<Symbol>> {
        let mut symbols = Vec::with_capacity(piece.len());
        let mut at = 0;
        for found in self.user_defined.iter().flat_map(|finder| finder.find_iter(piece)) {
            push_characters(piece, at..found.start(), &mut symbols);
            symbols.push(Symbol::new(found.range(), true));
            at = found.end();
            if symbols.len().is_multiple_of(TICK_CHARACTERS) {
                tick(0)?;
            }
        }
        push_characters(piece, at..piece.len(), &mut symbols);
        Ok(symbols)
    }

    /// The entry of the pair that begins at a symbol, if it may be joined.
    fn entry(&self, piece: &[u8], chain: &Chain, left: u32, parts: &mut Parts) -> Option<Entry> {
        let (first, second) = chain.pair(left).filter(|(first, second)| !first.is_frozen && !second.is_frozen)?;
        let id = self.joined(piece, first.start as usize, second.start as usize, second.end as usize)?;
        if self.unused.as_ref().is_some_and(|unused| unused.has(id)) {
            parts.insert(id, first.end - first.start);
        }
        Some(Reverse((self.order[id as usize], left, second.end, id)))
    }

    /// The token of two neighbours that meet at a place.
    #[inline(always)]
    fn joined(&self, piece: &[u8], start: usize, middle: usize, end: usize) -> Option<u32> {
        if !self.borders.may_span(piece[middle - 1], piece[middle]) || end - start > self.longest {
            return None;
        }
        self.pieces.id_of(&piece[start..end])
    }

    /// Encodes a piece of a few characters, for which a search for the best pair is cheaper than a heap. False if it has
    /// more.
    #[inline]
    fn encode_short(&self, piece: &[u8], take: &mut impl FnMut(u32, Range<usize>)) -> bool {
        let mut ends = [0_usize; SHORT + 1];
        let (mut n, mut at) = (0, 0);
        while at < piece.len() {
            if n == SHORT {
                return false;
            }
            at = (at + character_bytes(piece[at])).min(piece.len());
            n += 1;
            ends[n] = at;
        }
        // The symbol `i` ends at `ends[i + 1]`, and the pair of it and the next one has the token `joined[i]`.
        let (mut ids, mut joined, mut orders) = ([NEVER; SHORT], [NEVER; SHORT], [NEVER; SHORT]);
        let look = |ends: &[usize; SHORT + 1], at: usize, joined: &mut [u32; SHORT], orders: &mut [u32; SHORT]| {
            let id = self.joined(piece, ends[at], ends[at + 1], ends[at + 2]);
            joined[at] = id.unwrap_or(NEVER);
            orders[at] = id.map_or(NEVER, |id| self.order[id as usize]);
        };
        for at in 0..n.saturating_sub(1) {
            look(&ends, at, &mut joined, &mut orders);
        }
        // The first of equal ones is the leftmost.
        while let Some((at, &best)) = orders[..n.saturating_sub(1)].iter().enumerate().min_by_key(|(_, order)| **order)
        {
            if best == NEVER {
                break;
            }
            ids[at] = joined[at];
            ends.copy_within(at + 2..=n, at + 1);
            ids.copy_within(at + 2..n, at + 1);
            joined.copy_within(at + 1..n, at);
            orders.copy_within(at + 1..n, at);
            n -= 1;
            if at + 1 < n {
                look(&ends, at, &mut joined, &mut orders);
            }
            if at > 0 {
                look(&ends, at - 1, &mut joined, &mut orders);
            }
        }
        for (at, id) in ids[..n].iter().enumerate() {
            self.finish(piece, Symbol { id: *id, ..Symbol::new(ends[at]..ends[at + 1], false) }, take);
        }
        true
    }

    /// Gives the id of a symbol, or those of its bytes.
    #[inline]
    fn finish(&self, piece: &[u8], symbol: Symbol, take: &mut impl FnMut(u32, Range<usize>)) {
        let span = symbol.range();
        let bytes = &piece[span.clone()];
        let known = if symbol.id == NEVER { self.pieces.id_of(bytes) } else { Some(symbol.id) };
        match (known, &self.byte_ids) {
            (Some(id), _) => take(id, span),
            (None, Some(byte_ids)) if bytes == b" " && self.marks_are_spaces => {
                for byte in MARK {
                    take(byte_ids[usize::from(*byte)], span.clone());
                }
            }
            (None, Some(byte_ids)) => {
                for (at, byte) in span.zip(bytes) {
                    take(byte_ids[usize::from(*byte)], at..at + 1);
                }
            }
            (None, None) => take(self.unk_id, span),
        }
    }
}

impl Encode for ScoredBpe {
    /// None: what a token is joined of is joined first, and it may be that it never is.
    fn whole_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8]) -> Option<u32> {
        None
    }

    fn safe_cuts(&self, piece: &[u8], ends: &mut Vec<usize>) {
        match self.cuts() {
            Some(cuts) => cuts.split(piece, ends),
            None => ends.push(piece.len()),
        }
    }

    fn merge_piece(&self, _vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        self.encode(piece, tick, |id, _| ids.push(id))
    }
}

/// The length of the character that begins with a byte, as SentencePiece knows it.
#[inline(always)]
fn character_bytes(lead: u8) -> usize {
    match lead {
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
        _ => 1,
    }
}

/// One symbol for each character of a stretch.
fn push_characters(piece: &[u8], range: Range<usize>, symbols: &mut Vec<Symbol>) {
    let mut at = range.start;
    while at < range.end {
        let end = (at + character_bytes(piece[at])).min(range.end);
        symbols.push(Symbol::new(at..end, false));
        at = end;
    }
}
