//! The one loop that carries text to a sink: special tokens cut it into segments, the scanner cuts segments into pieces.
//!
//! Texts at hand and texts that arrive in parts take the same way; [`Feed`] keeps back what more text could change.

use crate::Tick;
use crate::error::Result;
use crate::scan::Scanner;
use crate::specials::Policy;

/// The scanner writes the piece ends of about this many bytes before the sink eats them: both stay in the first cache.
const BLOCK_BYTES: usize = 32 << 10;

/// A tick is due after this many bytes.
const TICK_BYTES: u64 = 1 << 20;

/// What is done with the pieces of a text.
pub trait Sink {
    /// Takes pieces in order: the first from `start` to `ends[0]`, and so on. `tick` is for pieces that take long.
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()>;
    /// Takes a special token.
    fn special(&mut self, id: u32);
}

/// How a text is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cuts<'a> {
    /// Cuts segments into pieces.
    pub scanner: Scanner,
    /// Cuts the text into segments.
    pub policy: &'a Policy,
}

impl Cuts<'_> {
    /// The first place of `text` where a special token could begin that is not there to its end.
    pub fn sure_end(&self, text: &[u8], at_end: bool) -> usize {
        if at_end { text.len() } else { text.len().saturating_sub(self.policy.longest().saturating_sub(1)) }
    }

    /// Gives all pieces of `text` to the sink; without `at_end` those that more text cannot change. Returns how far it
    /// came. `offset` is the place of `text[0]` in the caller's text.
    pub fn run(&self, text: &[u8], offset: u64, at_end: bool, sink: &mut impl Sink, tick: Tick<'_>) -> Result<usize> {
        let sure = self.sure_end(text, at_end);
        let (mut at, mut ends, mut since_tick) = (0, Vec::with_capacity(text.len().min(BLOCK_BYTES) / 4 + 1), 0);
        loop {
            let hit = self.policy.find(text, at, sure, offset)?;
            let stop = hit.map_or(sure, |hit| hit.start);
            let closed = at_end || hit.is_some();
            while at < stop {
                ends.clear();
                let block_end = stop.min(at + BLOCK_BYTES);
                let next = self.scanner.scan(&text[..stop], at, block_end, closed, &mut ends);
                if next == at {
                    return Ok(at);
                }
                sink.pieces(text, at, &ends, tick)?;
                since_tick += (next - at) as u64;
                at = next;
                if since_tick >= TICK_BYTES {
                    tick(std::mem::take(&mut since_tick))?;
                }
            }
            let Some(hit) = hit else { return Ok(at) };
            sink.special(hit.id);
            at = hit.end;
        }
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
    /// Gives the sink what is sure after `data`.
    pub fn push(&mut self, cuts: Cuts<'_>, data: &[u8], sink: &mut impl Sink, tick: Tick<'_>) -> Result<()> {
        if self.held.is_empty() {
            let consumed = cuts.run(data, self.offset, false, sink, tick)?;
            self.hold(&data[consumed..], consumed);
            return Ok(());
        }
        self.held.extend_from_slice(data);
        if self.held.len() < self.attempt_at {
            return Ok(());
        }
        let text = std::mem::take(&mut self.held);
        let consumed = cuts.run(&text, self.offset, false, sink, tick)?;
        if consumed == 0 {
            self.attempt_at = text.len() * 2;
            self.held = text;
        } else {
            self.hold(&text[consumed..], consumed);
        }
        Ok(())
    }

    /// Gives the sink the rest; the feed is then ready for another text.
    pub fn finish(&mut self, cuts: Cuts<'_>, sink: &mut impl Sink, tick: Tick<'_>) -> Result<()> {
        let Self { held, offset, .. } = std::mem::take(self);
        cuts.run(&held, offset, true, sink, tick).map(|_| ())
    }

    fn hold(&mut self, rest: &[u8], consumed: usize) {
        self.held = rest.to_vec();
        self.offset += consumed as u64;
        self.attempt_at = rest.len() * 2;
    }
}
