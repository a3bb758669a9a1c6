//! Unigram: of all ways to cut a piece into tokens the one with the highest sum of scores.
//!
//! The sums are rounded as in the library that a model is exact to, and a choice may depend on how. So what is found for a
//! stretch of text depends on the sum before it, and a word cannot simply be looked up. It can where no choice in it is so
//! narrow that rounding decides:
//!
//! * Where no token spans a border, every way leads over it, and the best way to the end is the best way to the border and
//!   from there on. So a piece is cut at such borders into units ([`SafeCuts`], [`Borders`]), and the sum is carried over.
//! * For each unit the best way is found once with sums that are not rounded, and with it the least margin by which a
//!   choice on it was made. From that follows how far from zero the sum before the unit may be so that all rounding
//!   together is less ([`Scores::most_before`]).
//!   The library counts sums anew where they are too far from zero, and a unit may not come near that.
//! * Within that, the tokens are looked up; beyond, or with a tie, they are found anew with the library's own sums.
//!
//! The sum before a unit is that of the library to the last bit, as the scores of all tokens are added one by one.

pub mod lattice;
pub mod n_best;
mod scores;
mod trie;
mod units;
mod viterbi;

pub mod training;

use std::ops::Range;
use std::sync::OnceLock;

use self::scores::Scores;
use self::trie::Trie;
use self::units::{MOST_UNIT_BYTES, UnitCache};
use self::viterbi::{Viterbi, character_length};
use crate::Tick;
use crate::bpe::borders::Borders;
use crate::bpe::cuts::{self, SafeCuts};
use crate::byte_tokens::byte_ids;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::Packed;
use crate::pool::Pool;
use crate::spec::{UnigramModel, UnigramSemantics};
use crate::vocab::Vocabulary;

/// Stands for a character that is in no token.
const UNKNOWN: u32 = u32::MAX;

/// Units between two ticks.
const TICK_UNITS: usize = 1 << 14;

/// A unigram encoder.
#[derive(Debug)]
pub struct Unigram {
    scores: Scores,
    trie: OnceLock<Trie>,
    cuts: SafeCuts,
    /// The same for borders between ASCII characters.
    borders: Borders,
    semantics: UnigramSemantics,
    unk_id: Option<u32>,
    byte_ids: Option<Box<[u32; 256]>>,
    /// What threads use one after the other.
    works: Pool<Work>,
    /// Of each of them.
    most_cache_bytes: usize,
}

/// What one thread needs.
#[derive(Debug)]
struct Work {
    known: UnitCache,
    viterbi: Viterbi,
    found: Vec<u32>,
}

/// The tokens of a unit.
enum Found<'a> {
    /// They were looked up.
    Known(&'a [u32]),
    /// They are in `Work::found`, and hold however sums are rounded.
    Checked,
    /// They are in `Work::found`, and the sum behind them is that of the search.
    Counted,
}

impl Unigram {
    /// Builds the encoder; `cache_bytes` is the memory of all that is kept of texts.
    pub fn new(vocabulary: &Vocabulary, scores: &[f64], model: &UnigramModel, cache_bytes: usize) -> Result<Self> {
        if scores.len() != vocabulary.size() {
            return Err(Error::SpecArrays { array: "scores", problem: "are not as many as ids" });
        }
        let unk_id = model.unk_token.as_ref().map(|token| {
            let missing = || Error::MissingUnknown { token: token.clone() };
            vocabulary.id_of(token.as_bytes()).ok_or_else(missing)
        });
        let works = Pool::new();
        Ok(Self {
            scores: Scores::new(vocabulary, scores, model),
            trie: OnceLock::new(),
            cuts: SafeCuts::new(vocabulary),
            borders: Borders::of_tokens(vocabulary.model_tokens().map(|(_, token)| token)),
            semantics: model.semantics,
            unk_id: unk_id.transpose()?,
            byte_ids: if model.byte_fallback { byte_ids(vocabulary) } else { None },
            most_cache_bytes: cache_bytes / works.n_places(),
            works,
        })
    }

    /// Takes what `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &UnigramModel, cache_bytes: usize) -> Result<Self> {
        Self::new(vocabulary, &packed.table::<f64>("scores")?, model, cache_bytes)
    }

    /// Whether what is found for a piece depends on all that stands before it: sums are rounded from the start of a text.
    pub fn joins_words(&self) -> bool {
        self.semantics == UnigramSemantics::Sentencepiece
    }

    /// Forgets what was found for texts.
    pub fn clear_caches(&self) {
        self.works.clear();
    }

    /// The ids of a piece, each with the stretch of the piece that it stands for.
    pub fn spans(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        take: impl FnMut(u32, Range<usize>),
        tick: Tick<'_>,
    ) -> Result<()> {
        let mut writer = Writer { unigram: self, vocabulary, piece, unknown: 0..0, take };
        self.tokens(vocabulary, piece, |token, range| writer.push(token, range), tick)?;
        writer.finish()
    }

    /// The trie, which is built when a text asks for it. Threads that do so at the same time may build it twice.
    fn trie(&self, vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<&Trie> {
        if let Some(trie) = self.trie.get() {
            return Ok(trie);
        }
        let built = Trie::new(vocabulary.model_tokens().filter(|(id, _)| self.scores.may_take(*id)), tick)?;
        Ok(self.trie.get_or_init(|| built))
    }

    /// The tokens of a piece and the stretches that they stand for; None is a character that is in none.
    fn tokens(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        take: impl FnMut(Option<u32>, Range<usize>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let trie = self.trie(vocabulary, tick)?;
        let mut work = self.take_work();
        let done = self.tokens_of_units(vocabulary, trie, piece, &mut work, take, tick);
        self.works.give_back(work);
        done
    }

    fn tokens_of_units(
        &self,
        vocabulary: &Vocabulary,
        trie: &Trie,
        piece: &[u8],
        work: &mut Work,
        mut take: impl FnMut(Option<u32>, Range<usize>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let (mut before, mut start) = (0.0, 0);
        for n_units in 1_usize.. {
            if start == piece.len() {
                break;
            }
            let end = self.unit_end(piece, start);
            let Work { known, viterbi, found } = &mut *work;
            if self.scores.is_counted_anew(before) {
                before = 0.0;
            }
            let found = self.find(trie, &piece[start..end], before, (known, viterbi, found), tick)?;
            let (found, behind): (&[u32], _) = match found {
                Found::Known(ids) => (ids, None),
                Found::Checked => (&work.found, None),
                Found::Counted => (&work.found, Some(work.viterbi.sum())),
            };
            for &id in found {
                let token = Some(id).filter(|id| *id != UNKNOWN);
                let n_bytes = token.map_or_else(|| character_length(piece, start), |id| vocabulary.span(id).len());
                take(token, start..start + n_bytes)?;
                before = self.scores.plus(before, token);
                start += n_bytes;
            }
            before = behind.unwrap_or(before);
            debug_assert_eq!(start, end);
            if n_units.is_multiple_of(TICK_UNITS) {
                tick(0)?;
            }
        }
        Ok(())
    }

    /// The first border behind a place, where a character begins, that no token spans; or the end of the piece.
    fn unit_end(&self, piece: &[u8], start: usize) -> usize {
        let mut at = start;
        loop {
            at += cuts::step(piece[at]);
            if at >= piece.len() {
                return piece.len();
            }
            let (before, behind) = (piece[at - 1], piece[at]);
            let is_safe = match before | behind {
                ..0x80 => !self.borders.may_span(before, behind),
                _ => self.cuts.is_safe(piece, at),
            };
            if is_safe {
                return at;
            }
        }
    }

    /// Finds the tokens of a unit.
    fn find<'w>(
        &self,
        trie: &Trie,
        unit: &[u8],
        before: f64,
        (known, viterbi, found): (&'w mut UnitCache, &mut Viterbi, &mut Vec<u32>),
        tick: Tick<'_>,
    ) -> Result<Found<'w>> {
        let is_in_reach = |most_before: f32| before.abs() <= f64::from(most_before);
        if unit.len() <= MOST_UNIT_BYTES {
            let hash = known.hash(unit);
            match known.get(unit, hash) {
                Some(place) if is_in_reach(place.most_before) => return Ok(Found::Known(known.ids(place))),
                Some(_) => {}
                None => {
                    let margin = viterbi.cut_exactly(&self.scores, trie, unit, tick)?;
                    found.clear();
                    found.extend(viterbi.tokens().map(|token| token.unwrap_or(UNKNOWN)));
                    let most_before = self.scores.most_before(viterbi.n_characters(), margin);
                    known.insert(unit, hash, found, most_before);
                    if is_in_reach(most_before) {
                        return Ok(Found::Checked);
                    }
                }
            }
        }
        viterbi.cut(&self.scores, trie, unit, before, tick)?;
        found.clear();
        found.extend(viterbi.tokens().map(|token| token.unwrap_or(UNKNOWN)));
        Ok(Found::Counted)
    }

    fn take_work(&self) -> Work {
        self.works.take().unwrap_or_else(|| Work {
            known: UnitCache::new(self.most_cache_bytes),
            viterbi: Viterbi::default(),
            found: Vec::new(),
        })
    }
}

impl Encode for Unigram {
    fn whole_piece(&self, _vocabulary: &Vocabulary, _piece: &[u8]) -> Option<u32> {
        None
    }

    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        self.spans(vocabulary, piece, |id, _| ids.push(id), tick)
    }
}

/// Makes ids of tokens and of characters that are in none.
///
/// Of these, neighbours become one unknown token, or each byte its own. For `tokenizers` the unknown token itself, where
/// the text spells it, is such a neighbour too, and what they are together is looked up before it is unknown.
struct Writer<'a, T> {
    unigram: &'a Unigram,
    vocabulary: &'a Vocabulary,
    piece: &'a [u8],
    /// Unknown characters that are not written yet.
    unknown: Range<usize>,
    take: T,
}

impl<T: FnMut(u32, Range<usize>)> Writer<'_, T> {
    fn push(&mut self, token: Option<u32>, range: Range<usize>) -> Result<()> {
        let unigram = self.unigram;
        let token =
            token.filter(|id| unigram.semantics == UnigramSemantics::Sentencepiece || Some(*id) != unigram.unk_id);
        match token {
            Some(id) => {
                if !self.unknown.is_empty() {
                    self.release()?;
                }
                (self.take)(id, range);
            }
            None if self.unknown.is_empty() => self.unknown = range,
            None => self.unknown.end = range.end,
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if self.unknown.is_empty() { Ok(()) } else { self.release() }
    }

    #[cold]
    fn release(&mut self) -> Result<()> {
        let range = std::mem::take(&mut self.unknown);
        let text = &self.piece[range.clone()];
        let is_narrow = self.unigram.semantics == UnigramSemantics::Sentencepiece;
        if !is_narrow && let Some(id) = self.vocabulary.model_id_of(text) {
            (self.take)(id, range);
            return Ok(());
        }
        if let Some(byte_ids) = &self.unigram.byte_ids {
            for (byte, at) in text.iter().zip(range.start..) {
                let stretch = if is_narrow { at..at + 1 } else { range.clone() };
                (self.take)(byte_ids[usize::from(*byte)], stretch);
            }
            return Ok(());
        }
        let missing = || Error::MissingCharacter { character: text[..character_length(text, 0)].to_vec() };
        (self.take)(self.unigram.unk_id.ok_or_else(missing)?, range);
        Ok(())
    }
}
