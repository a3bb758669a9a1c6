//! Byte-pair encoding over characters, as `tokenizers` does it: from one piece to ids.
//!
//! A piece begins as one symbol a character, with a prefix before all but the first and a suffix behind the last, which may
//! be a symbol of its own. A
//! character without a token becomes the tokens of its bytes if all have one, else the unknown token, else nothing. Then
//! the lowest rank is merged first, and of equal ranks the leftmost. Three things of the library are kept, because ids
//! depend on them:
//!
//! * An unknown token waits for the next character that has a token, or is unknown too and not fused with it. Byte tokens
//!   do not release it, so those that follow an unknown character come out before it.
//! * The suffix and the prefix of a character without a token become byte tokens too.
//! * A waiting merge is dropped when its pair has changed, unless the new pair makes the same token. Without a prefix no
//!   other pair at the same place can, so short pieces may look for the lowest rank in an array.
//!
//! A byte outside valid UTF-8 counts as a character without a token that takes no affixes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::character_table::CharacterTable;
use super::cuts::SafeCuts;
use super::encode::{Chain, TICK_ENTRIES};
use super::merges::{Merges, NO_RANK};
use super::together::SHORT;
use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{Packed, Parts};
use crate::scan::SAFE_CUT_REACH_BYTES;
use crate::spec::CharacterRules;
use crate::vocab::Vocabulary;

/// A byte-pair encoder over characters.
#[derive(Debug)]
pub struct CharacterBpe {
    /// Ids of characters: alone, with the prefix, with the suffix, with both.
    tables: [CharacterTable; 4],
    prefix: Vec<u8>,
    /// What the last character takes.
    suffix: Vec<u8>,
    /// The symbol behind the last character.
    end_id: Option<u32>,
    byte_ids: Box<[Option<u32>; 256]>,
    unk_id: Option<u32>,
    fuse_unk: bool,
    merges: Merges,
    /// None where no border is known to be safe.
    cuts: Option<SafeCuts>,
    takes_whole: bool,
}

/// Bytes of a piece that are looked at between two ticks.
const TICK_BYTES: usize = 1 << 20;

/// Symbols before anything is merged.
struct Symbols {
    ids: Vec<u32>,
    /// The stretch of the piece that each stands for, if that is asked for.
    spans: Option<Vec<Range<usize>>>,
    /// The stretch of an unknown token that waits to be written.
    pending: Option<Range<usize>>,
}

impl Symbols {
    fn push(&mut self, id: u32, span: Range<usize>) {
        self.ids.push(id);
        if let Some(spans) = &mut self.spans {
            spans.push(span);
        }
    }
}

impl CharacterBpe {
    /// Builds the encoder; see `Bpe::new`.
    pub fn new(
        vocabulary: &Vocabulary,
        merges: &[(u32, u32)],
        rules: CharacterRules<'_>,
        ignore_merges: bool,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let table = Merges::listed(vocabulary, merges, rules.prefix.len(), tick)?;
        let parts = merges.iter().flat_map(|(left, right)| [*left, *right]);
        Self::of_tables(vocabulary, table, parts, rules, ignore_merges)
    }

    /// Takes the tables that `pack` has written down. `merges` as in `new`.
    pub fn unpack(
        packed: &Packed,
        vocabulary: &Vocabulary,
        merges: &[[u32; 2]],
        rules: CharacterRules<'_>,
        ignore_merges: bool,
    ) -> Result<Self> {
        let table = Merges::unpack(packed, vocabulary.size(), Some(merges.len()))?;
        Self::of_tables(vocabulary, table, merges.iter().flatten().copied(), rules, ignore_merges)
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, parts: &mut Parts) {
        self.merges.pack(parts);
    }

    /// The encoder with tables that were made for this vocabulary; `parts` are the two parts of all merges.
    fn of_tables(
        vocabulary: &Vocabulary,
        merges: Merges,
        mut parts: impl Iterator<Item = u32>,
        rules: CharacterRules<'_>,
        ignore_merges: bool,
    ) -> Result<Self> {
        let byte_id = |byte: usize| vocabulary.model_id_of(format!("<0x{byte:02X}>").as_bytes());
        let unk_id = rules.unk_token.map(|token| {
            let missing = || Error::MissingUnknown { token: token.to_owned() };
            vocabulary.model_id_of(token.as_bytes()).ok_or_else(missing)
        });
        let (suffix, end) = if rules.suffix_is_symbol { ("", Some(rules.suffix)) } else { (rules.suffix, None) };
        let problem = "have no token for end_of_word_suffix, which is a symbol";
        let missing_end = || Error::SpecArrays { array: "token_bytes", problem };
        let end_id = end.map(|end| vocabulary.model_id_of(end.as_bytes()).ok_or_else(missing_end));
        let mut bpe = Self {
            tables: CharacterTable::of_affixes(vocabulary, rules.prefix, suffix),
            prefix: rules.prefix.into(),
            suffix: suffix.into(),
            end_id: end_id.transpose()?,
            byte_ids: Box::new(std::array::from_fn(|byte| if rules.byte_fallback { byte_id(byte) } else { None })),
            unk_id: unk_id.transpose()?,
            fuse_unk: rules.fuse_unk,
            merges,
            cuts: None,
            takes_whole: ignore_merges,
        };
        // Symbols of missing characters have other bytes than the text. Where they never merge they are walls.
        let mut is_wall = vec![false; vocabulary.size()];
        for id in bpe.byte_ids.iter().flatten().chain(&bpe.unk_id) {
            is_wall[*id as usize] = true;
        }
        let are_walls = !parts.any(|id| is_wall.get(id as usize) == Some(&true));
        if bpe.prefix.is_empty() && bpe.suffix.is_empty() && bpe.end_id.is_none() && are_walls {
            bpe.cuts = Some(SafeCuts::new(vocabulary));
        }
        Ok(bpe)
    }

    /// The ids of a piece, each with the stretch of the piece that it stands for. Affixes stand for none, a byte token for
    /// its byte, an unknown token for all characters that it hides.
    pub fn spans(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        mut take: impl FnMut(u32, Range<usize>),
        tick: Tick<'_>,
    ) -> Result<()> {
        if let Some(id) = self.whole_piece(vocabulary, piece) {
            take(id, 0..piece.len());
            return Ok(());
        }
        let symbols = self.symbols(piece, true, tick)?;
        let spans = symbols.spans.unwrap_or_default();
        let chain = self.merged(&symbols.ids, tick)?;
        let mut merged = chain.places().peekable();
        while let Some((place, id)) = merged.next() {
            let last = merged.peek().map_or(spans.len(), |(next, _)| *next as usize) - 1;
            let span = spans[place as usize].start..spans[last].end;
            take(id, span.start..span.end.max(span.start));
        }
        Ok(())
    }

    /// The ids that a piece begins as, before anything is merged.
    pub(super) fn start_ids(&self, piece: &[u8], tick: Tick<'_>) -> Result<Vec<u32>> {
        self.symbols(piece, false, tick).map(|symbols| symbols.ids)
    }

    /// The merges.
    pub(super) fn merges(&self) -> &Merges {
        &self.merges
    }

    /// The symbols of a piece before anything is merged.
    fn symbols(&self, piece: &[u8], has_spans: bool, tick: Tick<'_>) -> Result<Symbols> {
        let spans = has_spans.then(Vec::new);
        let mut symbols = Symbols { ids: Vec::with_capacity(piece.len()), spans, pending: None };
        let (mut at, mut tick_at) = (0, TICK_BYTES);
        let mut look = |at: usize| {
            if at < tick_at {
                return Ok(());
            }
            tick_at = at + TICK_BYTES;
            tick(0)
        };
        for chunk in piece.utf8_chunks() {
            for character in chunk.valid().chars() {
                let end = at + character.len_utf8();
                let has_prefix = at > 0 && !self.prefix.is_empty();
                let has_suffix = end == piece.len() && !self.suffix.is_empty();
                match self.tables[usize::from(has_prefix) | usize::from(has_suffix) << 1].get(character) {
                    Some(id) => self.known(id, at..end, &mut symbols),
                    None => {
                        let prefix = if has_prefix { self.prefix.as_slice() } else { &[] };
                        let suffix = if has_suffix { self.suffix.as_slice() } else { &[] };
                        self.missing([prefix, &piece[at..end], suffix], at, &mut symbols);
                    }
                }
                at = end;
                look(at)?;
            }
            for byte in chunk.invalid() {
                self.missing([&[], &[*byte], &[]], at, &mut symbols);
                at += 1;
            }
            look(at)?;
        }
        self.release(&mut symbols);
        if let Some(id) = self.end_id {
            symbols.push(id, at..at);
        }
        Ok(symbols)
    }

    fn known(&self, id: u32, span: Range<usize>, symbols: &mut Symbols) {
        self.release(symbols);
        symbols.push(id, span);
    }

    /// A character without a token, that begins at a place, between its prefix and its suffix.
    fn missing(&self, [prefix, character, suffix]: [&[u8]; 3], at: usize, symbols: &mut Symbols) {
        let id_of = |byte: &u8| self.byte_ids[usize::from(*byte)];
        let end = at + character.len();
        if [prefix, character, suffix].iter().copied().flatten().all(|byte| id_of(byte).is_some()) {
            prefix.iter().filter_map(id_of).for_each(|id| symbols.push(id, at..at));
            (at..).zip(character.iter().filter_map(id_of)).for_each(|(at, id)| symbols.push(id, at..at + 1));
            suffix.iter().filter_map(id_of).for_each(|id| symbols.push(id, end..end));
            return;
        }
        if !self.fuse_unk {
            self.release(symbols);
        }
        if self.unk_id.is_some() {
            let start = symbols.pending.as_ref().map_or(at, |span| span.start);
            symbols.pending = Some(start..end);
        }
    }

    fn release(&self, symbols: &mut Symbols) {
        if let (Some(span), Some(id)) = (symbols.pending.take(), self.unk_id) {
            symbols.push(id, span);
        }
    }

    /// Whether some character of a piece becomes nothing.
    fn drops(&self, piece: &[u8]) -> bool {
        let is_byte = |byte: &u8| self.byte_ids[usize::from(*byte)].is_some();
        let is_kept = |character: char| {
            let is_fallback = || character.encode_utf8(&mut [0; 4]).as_bytes().iter().all(is_byte);
            self.tables[0].get(character).is_some() || is_fallback()
        };
        !piece.utf8_chunks().all(|chunk| chunk.valid().chars().all(is_kept) && chunk.invalid().iter().all(is_byte))
    }

    /// Whether the character that ends at a place has a token.
    fn is_known_before(&self, piece: &[u8], end: usize) -> bool {
        let last = piece[end.saturating_sub(4)..end].utf8_chunks().last();
        let character =
            last.filter(|chunk| chunk.invalid().is_empty()).and_then(|chunk| chunk.valid().chars().next_back());
        character.is_some_and(|character| self.tables[0].get(character).is_some())
    }

    /// The rank of a pair; `NO_RANK` if it is never merged.
    fn rank(&self, left: u32, right: u32) -> u32 {
        self.merges.rank(left, right).unwrap_or(NO_RANK)
    }

    fn merge_short(&self, mut symbols: Vec<u32>, ids: &mut Vec<u32>) {
        let mut ranks = [NO_RANK; SHORT];
        for (rank, pair) in ranks.iter_mut().zip(symbols.windows(2)) {
            *rank = self.rank(pair[0], pair[1]);
        }
        // The first of equal ones is the leftmost.
        while let Some((at, &lowest)) = ranks[..symbols.len()].iter().enumerate().min_by_key(|(_, rank)| **rank) {
            if lowest == NO_RANK {
                break;
            }
            symbols[at] = self.merges.result(lowest);
            symbols.remove(at + 1);
            ranks.copy_within(at + 1.., at);
            ranks[at] = symbols.get(at + 1).map_or(NO_RANK, |right| self.rank(symbols[at], *right));
            if at > 0 {
                ranks[at - 1] = self.rank(symbols[at - 1], symbols[at]);
            }
        }
        ids.extend(symbols);
    }

    /// Symbols after everything is merged.
    fn merged(&self, symbols: &[u32], tick: Tick<'_>) -> Result<Chain> {
        let n_symbols = u32::try_from(symbols.len()).ok().filter(|length| *length <= u32::MAX >> 1);
        let n_symbols = n_symbols.ok_or(Error::PieceTooLong { length_bytes: symbols.len() })?;
        let mut chain = Chain::new(symbols.iter().copied(), n_symbols);
        let mut entries = Vec::new();
        for at in 0..n_symbols {
            entries.extend(self.entry(&chain, at));
            if at % (TICK_BYTES as u32) == TICK_BYTES as u32 - 1 {
                tick(0)?;
            }
        }
        let mut heap = BinaryHeap::from(entries);
        let mut since_tick = 0;
        while let Some(Reverse((rank, at))) = heap.pop() {
            since_tick += 1;
            if since_tick == TICK_ENTRIES {
                since_tick = 0;
                tick(0)?;
            }
            // Out of date, unless the pair that is there now makes the same token.
            let result = self.merges.result(rank);
            if self.rank_at(&chain, at).map(|now| self.merges.result(now)) != Some(result) {
                continue;
            }
            chain.merge(at, result);
            heap.extend(self.entry(&chain, at));
            heap.extend(chain.left_of(at).and_then(|left| self.entry(&chain, left)));
        }
        Ok(chain)
    }

    /// The rank of the pair that begins at `at`, if it is ever merged.
    fn rank_at(&self, chain: &Chain, at: u32) -> Option<u32> {
        chain.right_of(at).and_then(|right| self.merges.rank(chain.symbol(at), chain.symbol(right)))
    }

    /// Rank and place of the pair that begins at `at`, if it can be merged.
    fn entry(&self, chain: &Chain, at: u32) -> Option<Reverse<(u32, u32)>> {
        self.rank_at(chain, at).map(|rank| Reverse((rank, at)))
    }
}

impl Encode for CharacterBpe {
    /// The id of a piece that is a token as a whole, where that is asked for before anything is merged.
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        if self.takes_whole { vocabulary.model_id_of(piece) } else { None }
    }

    /// Appends the ends of the parts of a piece that may be merged each by itself; the last is the end of the piece.
    ///
    /// A cut would release a waiting unknown token, and the neighbours of a dropped character meet, so a character that is
    /// neither known nor written in bytes must not stand before a cut, and a dropped one nowhere.
    fn safe_cuts(&self, piece: &[u8], ends: &mut Vec<usize>) {
        let is_complete = self.byte_ids.iter().all(Option::is_some);
        match &self.cuts {
            Some(cuts) if is_complete || (self.unk_id.is_none() && !self.drops(piece)) => cuts.split(piece, ends),
            Some(cuts) if self.unk_id.is_some() => {
                cuts.split(piece, ends);
                ends.retain(|end| *end == piece.len() || self.is_known_before(piece, *end));
            }
            _ => ends.push(piece.len()),
        }
    }

    /// What decides stands beside the place: the test of borders looks at three bytes, and characters that are dropped or
    /// unknown matter where they stand as near.
    fn is_safe_border(&self, text: &[u8], at: usize) -> bool {
        if self.takes_whole || !self.cuts.as_ref().is_some_and(|cuts| cuts.is_safe(text, at)) {
            return false;
        }
        let begins = |at: &usize| *at == 0 || *at == text.len() || (text[*at] as i8) >= -0x40;
        let start = (at.saturating_sub(SAFE_CUT_REACH_BYTES)..at).find(begins).unwrap_or(at);
        let end = (at..=text.len().min(at + SAFE_CUT_REACH_BYTES)).rev().find(begins).unwrap_or(at);
        let mut ends = Vec::new();
        self.safe_cuts(&text[start..end], &mut ends);
        start < at && at < end && ends.contains(&(at - start))
    }

    /// Appends the ids of a piece, or of what lies between two safe cuts.
    fn merge_piece(&self, _vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let symbols = self.symbols(piece, false, tick)?.ids;
        if symbols.len() <= SHORT && self.prefix.is_empty() {
            self.merge_short(symbols, ids);
            return Ok(());
        }
        ids.extend(self.merged(&symbols, tick)?.symbols());
        Ok(())
    }
}
