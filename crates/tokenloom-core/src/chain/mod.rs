//! A chain of pretokenizers, each of which works on the pieces of the one before it, as `tokenizers` has them.
//!
//! Steps cut, leave pieces out, and change text: ByteLevel writes bytes as GPT-2's characters, and what comes behind it
//! sees these. So a chain is no scanner: it takes the way through [`layers`](crate::layers). The first step hands its
//! pieces on in batches, and each other step works on a batch at a time: memory does not follow the text.
//!
//! With a byte-level model the characters become bytes again in the end. Where ByteLevel is the last step, both are left
//! out: nothing looks at the characters.

mod fold;
mod rewrite;
mod step;

use std::borrow::Cow;
use std::ops::Range;

pub use fold::Behavior;
pub use step::ChainStep;

use crate::Tick;
use crate::alignment::Alignment;
use crate::byte_characters;
use crate::error::{Error, Result};
use crate::growth::{self, At};
use crate::scan::Scanner;
use crate::spec::PrependScheme;
use step::{Change, Step};

/// Pieces that are worked on at a time.
const BATCH_PIECES: usize = 16 << 10;

/// Pieces that a step works on between two ticks.
const TICK_PIECES: usize = 256;

/// Steps that cut a text into pieces, one after the other.
#[derive(Debug)]
pub struct Chain {
    steps: Vec<Step>,
    /// Characters that stand for bytes become bytes in the end.
    unmaps: bool,
    /// Some step asks whether a piece came from the first character of the whole text.
    asks_first: bool,
    /// It does so behind one that changes text.
    tracks: bool,
}

/// What a chain makes of a stretch of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainOutput {
    /// The pieces, joined.
    pub text: Vec<u8>,
    /// Where each ends.
    pub ends: Vec<usize>,
    /// Which step cut each of them last, from 0; None for a piece that no step cut.
    pub steps: Vec<Option<usize>>,
    /// Where the text came from in the stretch, if that was asked for.
    pub alignment: Option<Alignment>,
}

/// A stretch that a chain works on.
#[derive(Clone, Copy, Debug)]
pub struct ChainInput<'t> {
    /// Text without added tokens.
    pub text: &'t [u8],
    /// So many bytes at its start came from the first character of the whole text: none of a stretch behind that.
    pub n_first_bytes: usize,
}

/// A piece of a batch.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: usize,
    end: usize,
    /// The step that cut it last; `UNCUT` if none did.
    step: u32,
}

const UNCUT: u32 = u32::MAX;

/// Pieces on their way through the steps.
#[derive(Debug)]
struct Batch<'t> {
    text: Cow<'t, [u8]>,
    pieces: Vec<Piece>,
    /// Where the text came from, since it was changed and if that is kept.
    alignment: Option<Alignment>,
}

/// Pieces behind the last step.
struct Done<'b, 't> {
    batch: &'b Batch<'t>,
    /// The pieces joined are the text from here to the end of the last one.
    start: usize,
}

/// What is the same for all batches of a stretch.
#[derive(Clone, Copy)]
struct Course<'c> {
    chain: &'c Chain,
    n_first_bytes: usize,
    tracks: bool,
    /// What no step may make of the batch.
    most_bytes: usize,
}

impl Course<'_> {
    /// The same for a batch of so many bytes.
    fn of_bytes(self, n_bytes: usize) -> Self {
        Self { most_bytes: growth::most_chain_bytes(n_bytes), ..self }
    }

    /// A step that makes too much of a batch.
    fn fault(self, step: usize) -> Error {
        let steps = &self.chain.steps;
        let kind = steps.get(step).map_or("sequence", Step::kind);
        At { part: "pretokenizer", step, n_steps: steps.len(), kind }.fault(self.most_bytes)
    }
}

impl Chain {
    /// Builds the steps. With `unmaps`, characters that stand for bytes become bytes in the end, if a step has made any.
    pub fn new(steps: &[ChainStep], unmaps: bool) -> Result<Self> {
        let last_mapping = steps.iter().rposition(|step| matches!(step, ChainStep::ByteLevel { .. }));
        for step in steps.iter().skip(last_mapping.map_or(steps.len(), |place| place + 1)).filter(|_| unmaps) {
            if let ChainStep::Metaspace { replacement, .. } = step
                && byte_characters::byte_of(*replacement).is_none()
            {
                let detail = format!(
                    "pretokenizer step \"metaspace\" behind \"byte_level\" puts {replacement:?} there, which stands for no byte"
                );
                return Err(Error::SpecJson { detail });
            }
        }
        let mut built = steps.iter().map(Step::new).collect::<Result<Vec<_>>>()?;
        let ends_mapped = last_mapping.is_some_and(|place| place + 1 == steps.len());
        if let Some(last) = built.last_mut().filter(|_| unmaps) {
            last.maps = false;
        }
        let changing = built.iter().position(|step| step.maps || !matches!(step.change, Change::Nothing));
        let asking = built.iter().rposition(|step| matches!(step.change, Change::Metaspace(_, PrependScheme::First)));
        let tracks = changing.zip(asking).is_some_and(|(changing, asking)| changing < asking);
        let unmaps = unmaps && last_mapping.is_some() && !ends_mapped;
        Ok(Self { steps: built, unmaps, asks_first: asking.is_some(), tracks })
    }

    /// Whether it is BERT's pretokenizer alone.
    pub(crate) fn is_bert(&self) -> bool {
        matches!(self.steps.as_slice(), [step] if step.scanner() == Some(&Scanner::Bert)) && !self.unmaps
    }

    /// Whether `n_first_bytes` of its input counts.
    pub fn asks_first(&self) -> bool {
        self.asks_first
    }

    /// Whether a stretch may be cut in two at a place where a character begins: the first step cuts it there, and the others
    /// work on its pieces.
    pub fn is_safe_cut(&self, text: &[u8], at: usize) -> bool {
        self.steps.first().is_some_and(|first| first.is_safe_cut(text, at))
    }

    /// The pieces of a stretch, with an alignment if that is asked for.
    pub fn run(&self, input: ChainInput<'_>, aligns: bool, tick: Tick<'_>) -> Result<ChainOutput> {
        let mut output = ChainOutput { alignment: aligns.then(Alignment::default), ..ChainOutput::default() };
        let lead = self.lead(input, aligns)?;
        let take = |done: Done<'_, '_>, _: Tick<'_>| {
            let shift = |end: usize| output.text.len() + end - done.start;
            output.ends.extend(done.batch.pieces.iter().map(|piece| shift(piece.end)));
            output
                .steps
                .extend(done.batch.pieces.iter().map(|piece| (piece.step != UNCUT).then_some(piece.step as usize)));
            output.text.extend_from_slice(&done.batch.text[done.start..done.end()]);
            if let Some(alignment) = &mut output.alignment {
                done.align(lead.alignment.as_ref(), alignment);
            }
            Ok(())
        };
        self.each_batch(&lead, input.n_first_bytes, aligns, take, tick)?;
        Ok(output)
    }

    /// Gives the pieces of a stretch group by group: a text, where the first piece begins in it, and where each ends.
    pub fn pieces(
        &self,
        input: ChainInput<'_>,
        mut take: impl FnMut(&[u8], usize, &[usize], Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let lead = self.lead(input, false)?;
        let mut ends = Vec::new();
        let take = |done: Done<'_, '_>, tick: Tick<'_>| {
            ends.clear();
            ends.extend(done.batch.pieces.iter().map(|piece| piece.end));
            take(&done.batch.text, done.start, &ends, tick)
        };
        self.each_batch(&lead, input.n_first_bytes, false, take, tick)
    }

    /// The whole stretch as one piece, changed by the first step.
    fn lead<'t>(&self, input: ChainInput<'t>, aligns: bool) -> Result<Batch<'t>> {
        let whole = Piece { start: 0, end: input.text.len(), step: UNCUT };
        let batch = Batch { text: Cow::Borrowed(input.text), pieces: vec![whole], alignment: None };
        let course = self.course(input.n_first_bytes, aligns).of_bytes(input.text.len());
        match self.steps.first() {
            Some(_) if !input.text.is_empty() => batch.changed(0, course, None),
            _ => Ok(batch),
        }
    }

    fn course(&self, n_first_bytes: usize, aligns: bool) -> Course<'_> {
        Course { chain: self, n_first_bytes, tracks: aligns || self.tracks, most_bytes: 0 }
    }

    /// Gives the pieces behind the last step, batch by batch.
    fn each_batch(
        &self,
        lead: &Batch<'_>,
        n_first_bytes: usize,
        aligns: bool,
        mut take: impl FnMut(Done<'_, '_>, Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let course = self.course(n_first_bytes, aligns);
        let (mut pieces, mut reached) = (Vec::new(), 0);
        if lead.text.is_empty() {
            return Ok(());
        }
        let mut flush = |pieces: &mut Vec<Piece>, tick: Tick<'_>| {
            let Some(end) = pieces.last().map(|last| last.end) else { return Ok(()) };
            let batch = Batch { text: Cow::Borrowed(&lead.text), pieces: std::mem::take(pieces), alignment: None };
            let course = course.of_bytes(batch.n_bytes());
            let place = if lead.alignment.is_none() { batch.pieces[0].start } else { 0 };
            let batch =
                batch.through(course, lead.alignment.as_ref(), tick).map_err(|fault| fault.behind(place as u64))?;
            let batch = batch.joined(course)?;
            if !batch.pieces.is_empty() {
                let start = batch.pieces[0].start;
                take(Done { batch: &batch, start }, tick)?;
            }
            let before = std::mem::replace(&mut reached, end);
            tick((end - before) as u64)
        };
        let Some(first) = self.steps.first() else {
            return flush(&mut lead.pieces.clone(), tick);
        };
        let push = |range: Range<usize>, tick: Tick<'_>| {
            let is_whole = range.len() == lead.text.len();
            pieces.push(Piece { start: range.start, end: range.end, step: if is_whole { UNCUT } else { 0 } });
            if pieces.len() == BATCH_PIECES { flush(&mut pieces, tick) } else { Ok(()) }
        };
        first.cut(&lead.text, push, tick)?;
        flush(&mut pieces, tick)
    }
}

impl<'t> Batch<'t> {
    /// The length of its pieces.
    fn n_bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.end - piece.start).sum()
    }

    /// The batch behind all steps but the first, of which it has seen what comes before mapping.
    fn through(mut self, course: Course<'_>, lead: Option<&Alignment>, tick: Tick<'_>) -> Result<Self> {
        for (number, step) in course.chain.steps.iter().enumerate() {
            if number > 0 {
                self = self.changed(number, course, lead)?.cut(step, number as u32, tick)?;
            }
            if step.maps {
                self = self.mapped(number, course)?;
            }
        }
        Ok(self)
    }

    fn cut(mut self, step: &Step, number: u32, tick: Tick<'_>) -> Result<Self> {
        let mut cut = Vec::with_capacity(self.pieces.len());
        let first = self.pieces.first().map_or(0, |piece| piece.start);
        for (place, piece) in self.pieces.iter().enumerate() {
            let push = |range: Range<usize>, _: Tick<'_>| {
                let is_whole = range.len() == piece.end - piece.start;
                let step = if is_whole { piece.step } else { number };
                cut.push(Piece { start: piece.start + range.start, end: piece.start + range.end, step });
                Ok(())
            };
            let done = step.cut(&self.text[piece.start..piece.end], push, tick);
            done.map_err(|fault| fault.behind((piece.start - first) as u64))?;
            if (place + 1).is_multiple_of(TICK_PIECES) {
                tick(0)?;
            }
        }
        self.pieces = cut;
        Ok(self)
    }
}

impl Done<'_, '_> {
    fn end(&self) -> usize {
        self.batch.pieces.last().map_or(self.start, |last| last.end)
    }

    /// Appends where the pieces came from.
    fn align(&self, lead: Option<&Alignment>, alignment: &mut Alignment) {
        let mut own = Alignment::default();
        own.copy(self.start..self.end());
        let own = self.batch.alignment.as_ref().map_or_else(|| own.clone(), |before| before.then(&own));
        alignment.append(&lead.map_or_else(|| own.clone(), |before| before.then(&own)));
    }
}
