//! The one loop that carries text to a sink: special tokens cut it into segments, the scanner cuts segments into pieces.
//!
//! Texts at hand and texts that arrive in parts take the same way; [`Feed`] keeps back what more text could change.
//! Tokenizers with a normalizer, or with added tokens that have flags, go through [`layers`](crate::layers) instead.

use std::ops::Range;

use crate::Tick;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::layers::Layers;
use crate::offsets::Place;
use crate::scan::{SAFE_CUT_REACH_BYTES, Scanner};
use crate::search::Hit;
use crate::specials::Policy;

/// The scanner writes the piece ends of about this many bytes before the sink eats them: both stay in the first cache.
pub const BLOCK_BYTES: usize = 32 << 10;

/// Special tokens are searched for in windows of this size. A tick comes after each.
const WINDOW_BYTES: usize = 1 << 20;

/// Where a window ends within its first piece, the next is so many times larger: what it looks at anew is a small part.
const WINDOW_GROWTH: usize = 16;

/// What is done with the pieces of a text.
pub trait Sink {
    /// Takes pieces in order: the first from `start` to `ends[0]`, and so on. `tick` is for pieces that take long.
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()>;
    /// Takes an added token, with the text that it was found in.
    fn added(&mut self, text: &[u8], hit: Hit);
    /// Whether it finds pieces in a way of its own, which is then sure of some before the end, whatever the scanner.
    fn has_own_scan(&self) -> bool {
        false
    }
    /// As `Scanner::scan`, with `range` from the start to the place where it may stop.
    fn scan(
        &mut self,
        scanner: &Scanner,
        text: &[u8],
        range: Range<usize>,
        at_end: bool,
        ends: &mut Vec<usize>,
        _tick: Tick<'_>,
    ) -> Result<usize> {
        scanner.scan(text, range.start, range.end, at_end, ends)
    }
    /// Whether it asks where the parts of a text stand that comes through the layers.
    fn asks_places(&self) -> bool {
        false
    }
    /// Says where the text stands of which the pieces, or the token, were taken since the last call.
    fn placed(&mut self, _place: &Place<'_>, _tick: Tick<'_>) -> Result<()> {
        Ok(())
    }
}

/// How a text is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cuts<'a> {
    /// Cuts segments into pieces.
    pub scanner: &'a Scanner,
    /// Cuts the text into segments.
    pub policy: &'a Policy,
    /// What else is done to the text; None if these two are all.
    pub layers: Option<Layers<'a>>,
    /// Makes ids of what nothing cuts; None where pieces are not encoded.
    pub model: Option<&'a Encoder>,
}

impl Cuts<'_> {
    /// Gives all pieces of `text` to the sink; without `at_end` those that more text cannot change. Returns how far it
    /// came. `offset` is the place of `text[0]` in the caller's text.
    pub fn run(&self, text: &[u8], offset: u64, at_end: bool, sink: &mut impl Sink, tick: Tick<'_>) -> Result<usize> {
        if let Some(layers) = &self.layers {
            let end = if at_end { text.len() } else { layers.last_safe_cut(self, text, tick)? };
            layers.run(self, &text[..end], offset, sink, tick)?;
            return Ok(end);
        }
        if !at_end && matches!(self.scanner, Scanner::None) && !sink.has_own_scan() {
            let end = self.last_border(text, tick)?;
            return if end == 0 { Ok(0) } else { self.run(&text[..end], offset, true, sink, tick) };
        }
        let sure = self.sure_end(text, at_end);
        let mut ends = Vec::with_capacity(text.len().min(BLOCK_BYTES) / 4 + 1);
        let (mut at, mut window) = (0, WINDOW_BYTES);
        while at < sure {
            let (start, mut told) = (at, at);
            let limit = sure.min(at.saturating_add(window));
            let hit = self.policy.find(text, at, limit, offset)?;
            let stop = hit.map_or(limit, |hit| hit.start);
            let closed = hit.is_some() || (at_end && limit == text.len());
            while at < stop {
                let next = match self.scanner {
                    // Only these take long for what they write, and write all at once.
                    Scanner::Custom(custom) if !sink.has_own_scan() => {
                        let take = |start, ends: &[usize], tick: Tick<'_>| sink.pieces(text, start, ends, tick);
                        custom.scan_by_parts(&text[..stop], at, closed, take, tick)
                    }
                    scanner => {
                        ends.clear();
                        let range = at..stop.min(at + BLOCK_BYTES);
                        let next = sink.scan(scanner, &text[..stop], range, closed, &mut ends, tick);
                        next.and_then(|next| sink.pieces(text, at, &ends, tick).map(|()| next))
                    }
                };
                let next = next.map_err(|fault| fault.behind(offset))?;
                if next == at {
                    break;
                }
                at = next;
                if at - told >= WINDOW_BYTES {
                    tick((at - told) as u64)?;
                    told = at;
                }
            }
            if let Some(hit) = hit {
                sink.added(text, hit);
                at = hit.end;
            } else if limit == sure {
                tick((at - told) as u64)?;
                break;
            }
            window = if at == start { window.saturating_mul(WINDOW_GROWTH) } else { WINDOW_BYTES };
            tick((at - told) as u64)?;
        }
        Ok(at)
    }

    /// The first place behind `from` where a text may be cut in two, so that the pieces of the halves are the pieces of
    /// the whole; without `at_end`, whatever may follow.
    pub fn next_safe_cut(&self, text: &[u8], from: usize, at_end: bool) -> Option<usize> {
        self.safe_cut_in(text, from..text.len(), at_end)
    }

    /// The first such place in a range.
    pub fn safe_cut_in(&self, text: &[u8], range: Range<usize>, at_end: bool) -> Option<usize> {
        if let Some(layers) = &self.layers {
            return (range.start..range.end.min(text.len())).find(|at| layers.is_safe_cut(self, text, *at, at_end));
        }
        let is_safe = |at: &usize| self.scanner.is_safe_cut(text, *at) && !self.policy.may_span(text, *at);
        (range.start..range.end.min(self.sure_end(text, at_end))).find(is_safe)
    }

    /// The last place where a text that nothing cuts can be cut, whatever follows, since no token spans it; 0 if there is
    /// none.
    fn last_border(&self, text: &[u8], tick: Tick<'_>) -> Result<usize> {
        let sure = self.sure_end(text, false).saturating_sub(SAFE_CUT_REACH_BYTES);
        let Some(model) = self.model else { return Ok(0) };
        for at in (1..sure).rev() {
            if at.is_multiple_of(WINDOW_BYTES) {
                tick(0)?;
            }
            if (text[at] as i8) >= -0x40 && model.is_safe_border(text, at) && !self.policy.may_span(text, at) {
                return Ok(at);
            }
        }
        Ok(0)
    }

    /// A special token that starts behind this place may not be there to its end.
    fn sure_end(&self, text: &[u8], at_end: bool) -> usize {
        if at_end { text.len() } else { text.len().saturating_sub(self.policy.longest().saturating_sub(1)) }
    }
}

/// Text that arrives in parts. What it holds back is no more than the last piece and the longest special token.
#[derive(Debug, Default)]
pub struct Feed {
    held: Vec<u8>,
    /// The place of `held[0]` in the whole text.
    offset: u64,
    /// Below this length `held` is not scanned again: a long piece is looked at each time it has doubled, not each time
    /// it has grown.
    attempt_at: usize,
}

impl Feed {
    /// Gives the sink what is sure after `data`. After an error the feed must not be used again.
    pub fn push(&mut self, cuts: Cuts<'_>, data: &[u8], sink: &mut impl Sink, tick: Tick<'_>) -> Result<()> {
        let consumed = if self.held.is_empty() {
            let consumed = cuts.run(data, self.offset, false, sink, tick)?;
            self.held.extend_from_slice(&data[consumed..]);
            consumed
        } else {
            self.held.extend_from_slice(data);
            if self.held.len() < self.attempt_at {
                return Ok(());
            }
            let consumed = cuts.run(&self.held, self.offset, false, sink, tick)?;
            self.held.drain(..consumed);
            consumed
        };
        self.offset += consumed as u64;
        self.attempt_at = self.held.len() * 2;
        Ok(())
    }

    /// Gives the sink the rest; the feed is then ready for another text.
    pub fn finish(&mut self, cuts: Cuts<'_>, sink: &mut impl Sink, tick: Tick<'_>) -> Result<()> {
        let Self { held, offset, .. } = std::mem::take(self);
        cuts.run(&held, offset, true, sink, tick).map(|_| ())
    }
}
