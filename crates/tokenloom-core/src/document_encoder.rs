//! Ids of documents that arrive in blocks, ready for a file.
//!
//! All parts of a block are encoded at the same time. Of a document that has not ended, what more text could change stays
//! behind. It begins at the start of a piece and inside no special token, so that encoding can begin there anew, even in
//! another process, and neither ids nor the counts of special tokens differ.

use std::ops::Range;

use crate::documents::{Documents, Part, UNIT_BYTES};
use crate::driver::{Cuts, Sink};
use crate::error::Result;
use crate::id_sink::IdSink;
use crate::layers::Layers;
use crate::pipeline::Pipeline;
use crate::search::Hit;
use crate::specials::{Policy, SpecialText};
use crate::{Tick, parallel};

/// Special tokens in plain text are searched for in windows of this size. A tick comes after each.
const WINDOW_BYTES: usize = 1 << 20;

/// How ids are written.
#[derive(Clone, Copy, Debug)]
pub struct IdFormat {
    /// Four bytes an id instead of two. The caller makes sure that two are enough.
    pub is_wide: bool,
    /// The id before each document.
    pub begin: Option<u32>,
    /// The id behind each document.
    pub end: Option<u32>,
}

/// Ids of neighbouring parts.
#[derive(Debug, Default)]
pub struct Encoded {
    /// Little-endian ids.
    pub packed: Vec<u8>,
    /// Where documents begin, in bytes of `packed`.
    pub starts: Vec<usize>,
}

/// Encodes documents as their blocks come. After an error it must not be used again.
#[derive(Debug)]
pub struct DocumentEncoder {
    format: IdFormat,
    policy: Policy,
    /// Special tokens are read as plain text, and counted by a search of its own.
    is_plain: bool,
    /// Finds all special tokens, for cutting and counting.
    all_specials: Policy,
    documents: Documents,
    /// Documents that have ended and were encoded.
    n_ended: usize,
    /// How much of the open document was encoded.
    encoded_bytes: u64,
    n_specials: Vec<u64>,
}

/// What a unit of work gives back.
#[derive(Default)]
struct Unit {
    encoded: Encoded,
    n_specials: Vec<u64>,
    /// How far the last part came, in its own bytes.
    reached: usize,
}

impl DocumentEncoder {
    /// An encoder for one pipeline. With `is_continued` the first text goes on with a document that was begun elsewhere.
    pub fn new(pipeline: &Pipeline, format: IdFormat, special_text: SpecialText, is_continued: bool) -> Self {
        let specials = pipeline.specials();
        let mut documents = Documents::new(0);
        if is_continued {
            documents.push(&[]);
        }
        Self {
            format,
            policy: specials.alike(special_text),
            is_plain: special_text == SpecialText::Plain,
            all_specials: specials.alike(SpecialText::Parse),
            documents,
            n_ended: 0,
            encoded_bytes: 0,
            n_specials: vec![0; specials.tokens().len()],
        }
    }

    /// The number of documents that have ended.
    pub fn n_ended(&self) -> usize {
        self.n_ended
    }

    /// Bytes of the open document of which the ids have not come out.
    pub fn held_bytes(&self) -> usize {
        self.documents.text().len()
    }

    /// How often each special token was met in the text that was encoded, in the order of `Specials::tokens`.
    pub fn n_specials(&self) -> &[u64] {
        &self.n_specials
    }

    /// Takes texts: the first goes on with the open document, if there is one, each other one is the next document, and
    /// with `is_open` the last one goes on in the next call. Without any text the open document only ends, or goes on.
    pub fn feed(
        &mut self,
        pipeline: &Pipeline,
        texts: &[&[u8]],
        is_open: bool,
        n_threads: usize,
        tick: Tick<'_>,
    ) -> Result<Vec<Encoded>> {
        let continues = self.documents.is_open();
        for (place, text) in texts.iter().enumerate() {
            if place > 0 {
                self.documents.end();
            }
            self.documents.push(text);
        }
        if !is_open {
            self.documents.end();
        } else if continues && self.documents.n_ended() == 0 && self.documents.missing_bytes() > 0 {
            return Ok(Vec::new());
        }
        self.encode_held(pipeline, continues, n_threads, tick)
    }

    fn encode_held(
        &mut self,
        pipeline: &Pipeline,
        continues: bool,
        n_threads: usize,
        tick: Tick<'_>,
    ) -> Result<Vec<Encoded>> {
        let parts = self.documents.parts(cuts_of(pipeline, &self.all_specials));
        let units = parallel::group(parts.iter().map(|part| part.end - part.start), UNIT_BYTES);
        let work =
            |unit: &Range<usize>, tick: Tick<'_>| self.encode_unit(pipeline, &parts[unit.clone()], continues, tick);
        let done = parallel::map(&units, n_threads, work, tick)?;
        let (Some(last), Some(reached)) = (parts.last(), done.last().map(|unit| unit.reached)) else {
            return Ok(Vec::new());
        };
        self.encoded_bytes = if last.closed { 0 } else { self.offset(last) + reached as u64 };
        self.n_ended += self.documents.n_ended();
        self.documents.take(last.start + reached);
        for unit in &done {
            self.n_specials.iter_mut().zip(&unit.n_specials).for_each(|(sum, n)| *sum += n);
        }
        Ok(done.into_iter().map(|unit| unit.encoded).collect())
    }

    fn encode_unit(&self, pipeline: &Pipeline, parts: &[Part], continues: bool, tick: Tick<'_>) -> Result<Unit> {
        let n_bytes: usize = parts.iter().map(|part| part.end - part.start).sum();
        let mut ids = Vec::with_capacity(n_bytes / 3 + 1);
        let mut unit = Unit { n_specials: vec![0; self.n_specials.len()], ..Unit::default() };
        let id_bytes = if self.format.is_wide { 4 } else { 2 };
        pipeline.with_cache(|cache| {
            for part in parts {
                if part.start == part.document_start && !(continues && part.document == 0) {
                    unit.encoded.starts.push(ids.len() * id_bytes);
                    ids.extend(self.format.begin);
                }
                let mut sink = pipeline.sink(cache, &mut ids);
                let reached = self.encode_part(pipeline, part, &mut sink, &mut unit.n_specials, tick);
                unit.reached = reached.map_err(|fault| fault.in_document(self.n_ended + part.document))?;
                if part.closed && part.is_last {
                    ids.extend(self.format.end);
                }
            }
            Ok(())
        })?;
        unit.encoded.packed =
            if self.format.is_wide { pack(&ids, u32::to_le_bytes) } else { pack(&ids, |id| (id as u16).to_le_bytes()) };
        Ok(unit)
    }

    /// Encodes a part, and returns how far it came.
    fn encode_part(
        &self,
        pipeline: &Pipeline,
        part: &Part,
        ids: &mut IdSink<'_>,
        n_specials: &mut [u64],
        tick: Tick<'_>,
    ) -> Result<usize> {
        let (text, cuts) = (&self.documents.text()[part.start..part.end], cuts_of(pipeline, &self.policy));
        if let Some(layers) = &cuts.layers {
            return self.encode_layered(layers, cuts, part, ids, n_specials, tick);
        }
        if self.policy.longest() > 0 {
            return cuts.run(text, self.offset(part), part.closed, &mut Counted { ids, n_specials }, tick);
        }
        let reached =
            if part.closed { cuts.run(text, 0, true, ids, tick)? } else { self.encode_open(cuts, text, ids, tick)? };
        self.count_specials(&text[..reached], n_specials, tick)?;
        Ok(reached)
    }

    /// Encodes a part through all layers, up to a place where neither what is found by policy nor what is counted is cut.
    fn encode_layered(
        &self,
        layers: &Layers<'_>,
        cuts: Cuts<'_>,
        part: &Part,
        ids: &mut IdSink<'_>,
        n_specials: &mut [u64],
        tick: Tick<'_>,
    ) -> Result<usize> {
        let (text, all) = (&self.documents.text()[part.start..part.end], Cuts { policy: &self.all_specials, ..cuts });
        // What is safe where all tokens count is safe where fewer do: there is no token near, and blanks are as they are.
        let reached = if part.closed { text.len() } else { layers.last_safe_cut(&all, text, tick)? };
        let (text, offset) = (&text[..reached], self.offset(part));
        if !self.is_plain {
            let mut sink = Counted { ids, n_specials };
            return layers.run(&cuts, text, offset, &mut sink, tick).map(|()| reached);
        }
        layers.run(&cuts, text, offset, ids, tick)?;
        layers.tokens(&self.all_specials, text, offset, |hit| n_specials[hit.place] += 1, tick)?;
        Ok(reached)
    }

    /// Encodes plain text up to a place where no special token is cut, whatever follows.
    fn encode_open(&self, cuts: Cuts<'_>, text: &[u8], ids: &mut IdSink<'_>, tick: Tick<'_>) -> Result<usize> {
        let sure = text.len().saturating_sub(self.all_specials.longest().saturating_sub(1));
        let n_ids = ids.ids.len();
        let mut sink = Undoing { ids, all_specials: &self.all_specials, sure, reached: 0, n_ids };
        cuts.run(text, 0, false, &mut sink, tick)?;
        let (reached, n_ids) = (sink.reached, sink.n_ids);
        ids.ids.truncate(n_ids);
        Ok(reached)
    }

    /// Counts the special tokens of a text that is read as plain.
    fn count_specials(&self, text: &[u8], n_specials: &mut [u64], tick: Tick<'_>) -> Result<()> {
        let mut at = 0;
        while at < text.len() {
            let limit = text.len().min(at + WINDOW_BYTES);
            match self.all_specials.find(text, at, limit, 0)? {
                Some(hit) => {
                    n_specials[hit.place] += 1;
                    at = hit.end;
                }
                None => {
                    at = limit;
                    tick(0)?;
                }
            }
        }
        Ok(())
    }

    /// The place of a part in its document.
    fn offset(&self, part: &Part) -> u64 {
        let encoded_bytes = if part.document == 0 { self.encoded_bytes } else { 0 };
        encoded_bytes + (part.start - part.document_start) as u64
    }
}

/// How a document is cut: work on it may be resumed by an encoder that is not told where in the document it begins.
fn cuts_of<'a>(pipeline: &'a Pipeline, policy: &'a Policy) -> Cuts<'a> {
    let cuts = pipeline.cuts(policy);
    Cuts { layers: cuts.layers.map(|layers| Layers { keeps_starts: true, ..layers }), ..cuts }
}

/// The ids of pieces, and the number of special tokens among them.
struct Counted<'s, 'a> {
    ids: &'s mut IdSink<'a>,
    n_specials: &'s mut [u64],
}

impl Sink for Counted<'_, '_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        self.ids.pieces(text, start, ends, tick)
    }

    fn added(&mut self, text: &[u8], hit: Hit) {
        self.n_specials[hit.place] += 1;
        self.ids.added(text, hit);
    }
}

/// The ids of pieces of plain text, and how far they are sure. What comes behind is dropped, and encoded again later.
struct Undoing<'s, 'a> {
    ids: &'s mut IdSink<'a>,
    all_specials: &'s Policy,
    /// A special token that starts behind this place may not be there to its end.
    sure: usize,
    /// The last end of a piece that is not behind `sure` and in no special token.
    reached: usize,
    /// The number of ids up to there.
    n_ids: usize,
}

impl Sink for Undoing<'_, '_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        let is_clean = |end: &usize| *end <= self.sure && !self.all_specials.may_span(text, *end);
        let (clean, rest) = ends.split_at(ends.iter().rposition(is_clean).map_or(0, |place| place + 1));
        let Some(&reached) = clean.last() else { return self.ids.pieces(text, start, ends, tick) };
        self.ids.pieces(text, start, clean, tick)?;
        (self.reached, self.n_ids) = (reached, self.ids.ids.len());
        self.ids.pieces(text, reached, rest, tick)
    }

    fn added(&mut self, _text: &[u8], _hit: Hit) {}
}

/// The bytes of numbers, one after the other.
fn pack<const N: usize>(ids: &[u32], bytes_of: impl Fn(u32) -> [u8; N]) -> Vec<u8> {
    let mut packed = vec![0; ids.len() * N];
    for (target, id) in packed.chunks_exact_mut(N).zip(ids) {
        target.copy_from_slice(&bytes_of(*id));
    }
    packed
}
