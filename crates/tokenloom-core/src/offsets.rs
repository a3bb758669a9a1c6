//! Offsets: which stretch of the text that was given each id stands for.
//!
//! A sink beside that for ids notes the stretch of each id in the text that it was made from. Where that is a part of a
//! changed text, the layers then say where the part stands ([`Place`]), and what was noted is carried back. Bytes become
//! characters at the end, in one pass over the text ([`Characters`]).

use std::cell::Cell;
use std::ops::Range;

use crate::Tick;
use crate::alignment::Alignment;
use crate::driver::Sink;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::id_sink::IdSink;
use crate::search::Hit;

/// Spans that are carried back between two ticks.
const TICK_SPANS: usize = 1 << 16;

/// First byte and one past the last, or the same of characters.
pub type Span = [u64; 2];

/// Where a text stands in the text that was given: changed or not, as a part of it or of one that was changed before.
#[derive(Debug)]
pub struct Place<'a> {
    /// The place of the first byte in the text around it.
    at: usize,
    changed: Option<Change<'a>>,
}

/// The text around is a changed one.
#[derive(Debug)]
struct Change<'a> {
    alignment: &'a Alignment,
    /// Where the text stands from which it was made.
    before: &'a Place<'a>,
    /// The run of the alignment that was used last.
    run: Cell<usize>,
}

impl<'a> Place<'a> {
    /// From a byte of the given text on.
    pub fn given(at: usize) -> Self {
        Self { at, changed: None }
    }

    /// From a byte on of a text that was made from another one.
    pub fn changed(at: usize, alignment: &'a Alignment, before: &'a Self) -> Self {
        Self { at, changed: Some(Change { alignment, before, run: Cell::new(0) }) }
    }

    /// What a stretch of the text came from in the given text.
    pub fn origin(&self, range: Range<usize>) -> Range<usize> {
        let range = self.at + range.start..self.at + range.end;
        let Some(change) = &self.changed else { return range };
        let mut run = change.run.get();
        let origin = change.alignment.origin_near(range, &mut run);
        change.run.set(run);
        change.before.origin(origin)
    }
}

/// Takes ids and the stretches that they stand for.
pub(crate) struct OffsetSink<'a> {
    ids: IdSink<'a>,
    spans: Vec<Span>,
    /// So many spans are of the given text; the others are of the part that comes through the layers.
    n_carried: usize,
    /// The number of the piece of each id, if that is asked for.
    words: Option<Vec<u32>>,
    n_pieces: usize,
}

impl<'a> OffsetSink<'a> {
    pub(crate) fn new(ids: IdSink<'a>) -> Self {
        Self { ids, spans: Vec::new(), n_carried: 0, words: None, n_pieces: 0 }
    }

    /// A sink that also numbers the pieces.
    pub(crate) fn with_words(self) -> Self {
        Self { words: Some(Vec::new()), ..self }
    }

    /// The stretches of the given text, and the number of the piece, one of each id.
    pub(crate) fn into_spans_and_words(self) -> (Vec<Span>, Vec<u32>) {
        (self.spans, self.words.unwrap_or_default())
    }

    /// Numbers the pieces of the ids whose spans in a text came last.
    fn number(&mut self, n_before: usize, ends: &[usize]) {
        if let Some(words) = &mut self.words {
            let mut piece = 0;
            for span in &self.spans[n_before..] {
                while ends.get(piece).is_some_and(|end| *end as u64 <= span[0]) {
                    piece += 1;
                }
                words.push((self.n_pieces + piece) as u32);
            }
        }
        self.n_pieces += ends.len();
    }

    /// The stretches of the given text, one of each id.
    pub(crate) fn into_spans(self) -> Vec<Span> {
        self.spans
    }
}

impl Sink for OffsetSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        let model = self.ids.model();
        if !matches!(model, Encoder::Bytes(_)) {
            let (vocabulary, mut start) = (self.ids.vocabulary(), start);
            let fused = model.fused_unknown();
            for (place, &end) in ends.iter().enumerate() {
                let mut take = |id, span: Range<usize>| {
                    // Spans that were carried are of a text before this one.
                    let is_same = Some(id) == fused && self.ids.ids.last() == Some(&id);
                    if is_same && let Some(last) = self.spans[self.n_carried..].last_mut() {
                        last[1] = (start + span.end) as u64;
                        return;
                    }
                    self.ids.ids.push(id);
                    self.spans.push([(start + span.start) as u64, (start + span.end) as u64]);
                    if let Some(words) = &mut self.words {
                        words.push((self.n_pieces + place) as u32);
                    }
                };
                model.spans(vocabulary, &text[start..end], &mut take, tick)?;
                start = end;
            }
            self.n_pieces += ends.len();
            return Ok(());
        }
        let (n_before, n_spans) = (self.ids.ids.len(), self.spans.len());
        self.ids.pieces(text, start, ends, tick)?;
        let end = ends.last().copied().unwrap_or(start);
        self.ids.spans_of(n_before, start..end, |span| self.spans.push([span.start as u64, span.end as u64]));
        self.number(n_spans, ends);
        Ok(())
    }

    fn added(&mut self, text: &[u8], hit: Hit) {
        self.ids.added(text, hit);
        self.spans.push([hit.start as u64, hit.end as u64]);
        if let Some(words) = &mut self.words {
            words.push(self.n_pieces as u32);
        }
        self.n_pieces += 1;
    }

    fn asks_places(&self) -> bool {
        true
    }

    fn placed(&mut self, place: &Place<'_>, tick: Tick<'_>) -> Result<()> {
        for spans in self.spans[self.n_carried..].chunks_mut(TICK_SPANS) {
            for span in spans {
                let origin = place.origin(span[0] as usize..span[1] as usize);
                *span = [origin.start as u64, origin.end as u64];
            }
            tick(0)?;
        }
        self.n_carried = self.spans.len();
        Ok(())
    }
}

impl IdSink<'_> {
    /// The stretches of a text for which the ids from `first` on stand, that a byte-level model made of pieces from
    /// `stretch`: its tokens have the bytes of the text, so their lengths tile it.
    fn spans_of(&self, first: usize, stretch: Range<usize>, mut take: impl FnMut(Range<usize>)) {
        let mut at = stretch.start;
        for id in &self.ids[first..] {
            let start = at;
            at += self.vocabulary().bytes_of(*id).map_or(0, <[u8]>::len);
            take(start..at);
        }
        debug_assert_eq!(at, stretch.end);
    }
}

/// The characters of a text, by number.
#[derive(Debug)]
pub struct Characters {
    /// One bit for each byte, set where a character begins, and how many begin before each word of bits.
    words: Vec<(u64, u64)>,
    /// The length of the text.
    n_bytes: usize,
    /// Their number.
    n_characters: u64,
}

impl Characters {
    /// Counts the characters of a text. A byte outside valid UTF-8 is one.
    pub fn new(text: &[u8], tick: Tick<'_>) -> Result<Self> {
        Self::of(text, |_| true, tick)
    }

    /// Counts the characters of a text in which each wrong sequence of bytes was replaced by U+FFFD.
    pub fn of_replaced(text: &[u8], tick: Tick<'_>) -> Result<Self> {
        Self::of(text, |place| place == 0, tick)
    }

    /// `counts` says which bytes of a wrong sequence count, by their place in it.
    fn of(text: &[u8], counts: impl Fn(usize) -> bool, tick: Tick<'_>) -> Result<Self> {
        let mut words = vec![(0, 0); text.len() / 64 + 1];
        for (at, (word, bytes)) in words.iter_mut().zip(text.chunks(64)).enumerate() {
            for (bit, byte) in bytes.iter().enumerate() {
                word.0 |= u64::from((*byte as i8) >= -0x40) << bit;
            }
            if at.is_multiple_of(TICK_SPANS) {
                tick(0)?;
            }
        }
        let mut at = 0;
        for chunk in text.utf8_chunks() {
            at += chunk.valid().len();
            for place in 0..chunk.invalid().len() {
                let bit = 1 << (at % 64);
                words[at / 64].0 = words[at / 64].0 & !bit | if counts(place) { bit } else { 0 };
                at += 1;
            }
        }
        let mut n_characters = 0;
        for word in &mut words {
            word.1 = n_characters;
            n_characters += u64::from(word.0.count_ones());
        }
        Ok(Self { words, n_bytes: text.len(), n_characters })
    }

    /// The number of the character that holds a byte; that of all characters at the end of the text.
    pub fn number_at(&self, byte: usize) -> u64 {
        if byte >= self.n_bytes {
            return self.n_characters;
        }
        let (bits, n_before) = self.words[byte / 64];
        n_before + u64::from((bits << (63 - byte % 64)).count_ones()) - 1
    }

    /// Whether each byte is a character.
    pub fn are_bytes(&self) -> bool {
        self.n_characters == self.n_bytes as u64
    }

    /// Makes spans of bytes those of the characters that they touch.
    pub fn convert(&self, spans: &mut [Span], tick: Tick<'_>) -> Result<()> {
        for spans in spans.chunks_mut(TICK_SPANS) {
            for [start, end] in spans {
                let is_empty = end <= start;
                let last = *end as usize;
                *start = self.number_at(*start as usize);
                *end = if is_empty { *start } else { self.number_at(last - 1) + 1 };
            }
            tick(0)?;
        }
        Ok(())
    }
}
