//! The pieces of a text, and why it is cut where it is: which alternative of a pattern took each piece, or which step of a chain cut it last.
//!
//! A pattern is a list of alternatives, of which the first one wins that matches at a place. Each is tried by itself where
//! a piece begins, with the text before and behind it, so what it looks at is there. Scanners are written by hand; that
//! the winner's match is the piece is what the tests hold.

use crate::Tick;
use crate::driver::Sink;
use crate::error::{Error, Result};
use crate::layers::Part;
use crate::offsets::Place;
use crate::pipeline::Pipeline;
use crate::scan::{AtPlace, Readable};
use crate::search::Hit;
use crate::specials::Policy;

/// Pieces between two ticks.
const TICK_PIECES: usize = 256;

/// What made a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// It is an added token.
    AddedToken,
    /// The alternative, or the step of a chain, with this number, from 0.
    Number(usize),
    /// It lies between two matches, or no step cut it.
    None,
}

/// The alternatives of a pattern in their order.
#[derive(Debug)]
pub struct Alternatives {
    regexes: Vec<AtPlace>,
}

impl Alternatives {
    /// Reads each alternative as a pattern of its own.
    pub fn new<P: AsRef<str>>(patterns: &[P]) -> Result<Self> {
        let read = |pattern: &P| {
            let fault = || {
                let detail = "it cannot be tried by itself".to_owned();
                Error::Pattern { part: "pretokenizer", pattern: pattern.as_ref().to_owned(), detail }
            };
            AtPlace::new(pattern.as_ref()).ok_or_else(fault)
        };
        Ok(Self { regexes: patterns.iter().map(read).collect::<Result<_>>()? })
    }

    /// The maker of each piece of a stretch of text, of which the ends are given.
    pub fn makers(&self, text: &[u8], ends: &[usize], tick: Tick<'_>) -> Result<Vec<Maker>> {
        let readable = Readable::new(text);
        let (text, places) = (readable.text(), readable.places(ends));
        let (mut makers, mut start) = (Vec::with_capacity(ends.len()), 0);
        for (place, (&end, &byte_offset)) in places.iter().zip(std::iter::once(&0).chain(ends)).enumerate() {
            let limit = || Error::PatternLimit { byte_offset: byte_offset as u64 };
            let mut maker = Maker::None;
            for (number, regex) in self.regexes.iter().enumerate() {
                if let Some(found) = regex.end(text, start).ok_or_else(limit)? {
                    maker = if found == end { Maker::Number(number) } else { Maker::None };
                    break;
                }
            }
            makers.push(maker);
            start = end;
            if place.is_multiple_of(TICK_PIECES) {
                tick(0)?;
            }
        }
        Ok(makers)
    }
}

impl Pipeline {
    /// The pieces that a text is cut into, joined, and where each ends; an added token is a piece, with the blanks that it
    /// takes. With a normalizer they are those of the normalized text.
    pub fn pieces(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<(Vec<u8>, Vec<usize>)> {
        let mut sink = PieceSink { bytes: Vec::with_capacity(text.len()), ends: Vec::new() };
        self.described_cuts(policy).run(text, 0, true, &mut sink, tick)?;
        Ok((sink.bytes, sink.ends))
    }

    /// The pieces of a text as by `Pipeline::pieces`, and the maker of each. A chain knows its own makers and takes no
    /// alternatives.
    pub fn explain(
        &self,
        text: &[u8],
        policy: &Policy,
        alternatives: &Alternatives,
        tick: Tick<'_>,
    ) -> Result<Vec<(Vec<u8>, Maker)>> {
        let mut explained = Vec::new();
        let take = |part: Part<'_>, _: &Place<'_>, tick: Tick<'_>| {
            let input = match part {
                Part::Token(text, hit) => {
                    explained.push((text[hit.start..hit.end].to_vec(), Maker::AddedToken));
                    return Ok(());
                }
                Part::Text(input) => input,
            };
            if let Some(chain) = &self.chain {
                let output = chain.run(input, false, tick)?;
                let makers = output.steps.iter().map(|step| step.map_or(Maker::None, Maker::Number));
                push(&mut explained, &output.text, &output.ends, makers);
                return Ok(());
            }
            let (mut ends, mut at) = (Vec::new(), 0);
            while at < input.text.len() {
                at = self.scanner.scan(input.text, at, input.text.len(), true, &mut ends)?;
            }
            let makers = alternatives.makers(input.text, &ends, tick)?;
            push(&mut explained, input.text, &ends, makers);
            Ok(())
        };
        self.all_layers().parts(policy, text, 0, false, take, tick)?;
        Ok(explained)
    }
}

fn push(explained: &mut Vec<(Vec<u8>, Maker)>, text: &[u8], ends: &[usize], makers: impl IntoIterator<Item = Maker>) {
    let starts = std::iter::once(&0).chain(ends);
    explained.extend(starts.zip(ends).zip(makers).map(|((start, end), maker)| (text[*start..*end].to_vec(), maker)));
}

/// Keeps pieces.
struct PieceSink {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Sink for PieceSink {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], _tick: Tick<'_>) -> Result<()> {
        let before = self.bytes.len();
        self.ends.extend(ends.iter().map(|end| before + end - start));
        self.bytes.extend_from_slice(&text[start..ends.last().copied().unwrap_or(start)]);
        Ok(())
    }

    fn added(&mut self, text: &[u8], hit: Hit) {
        self.bytes.extend_from_slice(&text[hit.start..hit.end]);
        self.ends.push(self.bytes.len());
    }
}
