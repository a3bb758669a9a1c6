//! The way of a text through all layers: added tokens in the text as it came, the normalizer on each stretch between
//! them, added tokens in the normalized stretch, and pieces of what is left.
//!
//! A text that arrives in parts is cut where cutting changes nothing, and each part takes this way as if it were a text by
//! itself. A place is safe, whatever stands before it and follows, if
//!
//! 1. the character there begins anew (see [`normalize`](crate::normalize)), so that normal forms concatenate;
//! 2. no added token lies in a window around it, whether by policy it counts or only hides others. Matches follow one
//!    another, so where none lies over the place, those of the whole are those of the halves; one that ends or starts there
//!    could look over it for a word character;
//! 3. no blanks that a token could take reach over it: the character before it is no blank, where some token takes any;
//! 4. the same holds in the normalized window, of which both edges are places where normal forms concatenate, and the
//!    scanner calls the place safe there. The window has text enough for the longest token on both sides.
//!
//! 5. where a step strips blanks at the edges of a stretch, there is none before the place.
//!
//! A chain of pretokenizers has the safe places of its first step: the others work on the pieces of that one. Where nothing
//! cuts, a place is safe that no token of the model can span. A stretch begins at the start of a text and behind each
//! token; a part that begins elsewhere goes on with a stretch, which normalizers that do something at its start must know.
//! So no place is safe with a regular expression, with steps that replace more than one character or what an expression
//! matches, and for models that tell nothing of their tokens' borders. SentencePiece's rules know safe places of their own.

use std::borrow::Cow;
use std::ops::Range;

use crate::Tick;
use crate::bert::Table;
use crate::chain::{Chain, ChainInput};
use crate::driver::{Cuts, Sink};
use crate::encoder::Encoder;
use crate::error::Result;
use crate::growth;
use crate::normalize::{Edge, Normalizer};
use crate::offsets::Place;
use crate::scan::classes::{self, Class};
use crate::scan::{SAFE_CUT_REACH_BYTES, Scanner};
use crate::search::{Hit, Search, Stretch};
use crate::specials::Policy;

/// How much farther an edge of a window is looked for.
const MOST_WINDOW_BYTES: usize = 1 << 10;

/// What is done to a text beside cutting it.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    /// Changes each stretch.
    pub normalizer: &'a Normalizer,
    /// Cuts what is left, in the place of the scanner.
    pub chain: Option<&'a Chain>,
    /// Does both in one pass.
    pub bert: Option<&'a Table>,
    /// Makes ids of what nothing cuts; None where text is only counted.
    pub model: Option<&'a Encoder>,
    /// Texts are not cut, since ids may depend on all pieces together.
    pub is_whole: bool,
    /// A text is cut only where the part behind needs not know that it goes on.
    pub keeps_starts: bool,
}

/// A part of a text behind the normalizer.
pub enum Part<'a> {
    /// Text without added tokens.
    Text(ChainInput<'a>),
    /// An added token, and the text that it was found in.
    Token(&'a [u8], Hit),
}

impl Layers<'_> {
    /// Gives all pieces of a text to the sink.
    pub fn run(&self, cuts: &Cuts<'_>, text: &[u8], offset: u64, sink: &mut impl Sink, tick: Tick<'_>) -> Result<()> {
        let nothing = Policy::nothing();
        let plain = Cuts { policy: &nothing, layers: None, ..*cuts };
        let is_aligned = sink.asks_places();
        if let Some(bert) = self.bert.filter(|_| !is_aligned && cuts.policy.normalized.longest() == 0) {
            let take = |stretch: Stretch, tick: Tick<'_>| match stretch {
                Stretch::Token(hit) => {
                    sink.added(text, hit);
                    Ok(())
                }
                Stretch::Text(range) => {
                    bert.pieces(&text[range], |text, ends, tick| sink.pieces(text, 0, ends, tick), tick)
                }
            };
            return cuts.policy.raw.stretches(text, |at| offset + at as u64, take, tick);
        }
        let take = |part: Part<'_>, place: &Place<'_>, tick: Tick<'_>| {
            match (part, self.chain) {
                (Part::Token(text, hit), _) => sink.added(text, hit),
                (Part::Text(input), None) => _ = plain.run(input.text, 0, true, sink, tick)?,
                (Part::Text(input), Some(chain)) if is_aligned => {
                    let output = chain.run(input, true, tick)?;
                    sink.pieces(&output.text, 0, &output.ends, tick)?;
                    let alignment = output.alignment.unwrap_or_default();
                    return sink.placed(&Place::changed(0, &alignment, place), tick);
                }
                (Part::Text(input), Some(chain)) => {
                    chain.pieces(input, |text, start, ends, tick| sink.pieces(text, start, ends, tick), tick)?;
                }
            }
            sink.placed(place, tick)
        };
        self.parts(cuts.policy, text, offset, is_aligned, take, tick)
    }

    /// Gives the parts of a text in their order, and the place of each in it, which counts where `is_aligned`.
    pub fn parts(
        &self,
        policy: &Policy,
        text: &[u8],
        offset: u64,
        is_aligned: bool,
        mut take: impl FnMut(Part<'_>, &Place<'_>, Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        // All stretches of a text together become no longer than this: a text may have as many as bytes.
        let mut most_bytes = growth::most_bytes(text.len());
        let raw = |stretch: Stretch, tick: Tick<'_>| match stretch {
            Stretch::Token(hit) => take(Part::Token(text, hit), &Place::given(0), tick),
            Stretch::Text(range) => {
                let (came, start) = (&text[range.clone()], offset + range.start as u64);
                let goes_on = range.start == 0 && offset > 0;
                let edge = if goes_on { Edge::Inside } else { Edge::Start };
                let normalized = self.normalizer.apply_within(came, is_aligned, edge, most_bytes, tick);
                let (normal, alignment) = normalized.map_err(|fault| fault.behind(start))?;
                let (is_same, before) = (matches!(normal, Cow::Borrowed(_)), Place::given(range.start));
                let origin = |at| start + if is_same { at as u64 } else { self.origin(came, at) as u64 };
                let place = |at| match is_same {
                    true => Place::given(range.start + at),
                    false => Place::changed(at, &alignment, &before),
                };
                let asks_first = start == 0 && self.chain.is_some_and(Chain::asks_first);
                let n_first_bytes =
                    if asks_first { self.normalizer.n_first_bytes(came, most_bytes, tick)? } else { 0 };
                most_bytes = most_bytes.saturating_sub(normal.len());
                let normalized = |stretch: Stretch, tick: Tick<'_>| match stretch {
                    Stretch::Token(hit) => take(Part::Token(&normal, hit), &place(0), tick),
                    Stretch::Text(range) => {
                        let n_first_bytes = n_first_bytes.saturating_sub(range.start);
                        let input = ChainInput { text: &normal[range.clone()], n_first_bytes };
                        let done = take(Part::Text(input), &place(range.start), tick);
                        done.map_err(|fault| fault.moved(|at| origin(range.start + at)))
                    }
                };
                policy.normalized.stretches(&normal, origin, normalized, tick)
            }
        };
        policy.raw.stretches(text, |at| offset + at as u64, raw, tick)
    }

    /// Gives the added tokens of a text. Where all are looked for in the text as it came, nothing is normalized.
    pub fn tokens(
        &self,
        policy: &Policy,
        text: &[u8],
        offset: u64,
        mut take: impl FnMut(Hit),
        tick: Tick<'_>,
    ) -> Result<()> {
        if policy.normalized.longest() == 0 {
            let raw = |stretch: Stretch, _: Tick<'_>| {
                if let Stretch::Token(hit) = stretch {
                    take(hit);
                }
                Ok(())
            };
            return policy.raw.stretches(text, |at| at as u64, raw, tick);
        }
        let part = |part: Part<'_>, _: &Place<'_>, _: Tick<'_>| {
            if let Part::Token(_, hit) = part {
                take(hit);
            }
            Ok(())
        };
        self.parts(policy, text, offset, false, part, tick)
    }

    /// The place of a stretch as it came where a place of the normalized one came from; for messages.
    fn origin(&self, came: &[u8], at: usize) -> usize {
        let aligned = self.normalizer.apply_aligned(came, &mut |_| Ok(()));
        aligned.map_or(0, |(_, alignment)| alignment.origin(at..at).start)
    }

    /// The last place where a text of which more may follow can be cut; 0 if there is none.
    pub fn last_safe_cut(&self, cuts: &Cuts<'_>, text: &[u8], tick: Tick<'_>) -> Result<usize> {
        if !self.may_cut() {
            return Ok(0);
        }
        for at in (1..text.len()).rev() {
            if at.is_multiple_of(1 << 16) {
                tick(0)?;
            }
            if self.is_safe_cut(cuts, text, at, false) {
                return Ok(at);
            }
        }
        Ok(0)
    }

    /// Whether a text may be cut in two at a place; without `at_end`, whatever may follow. `text` is a text from its start,
    /// or from such a place.
    pub fn is_safe_cut(&self, cuts: &Cuts<'_>, text: &[u8], at: usize, at_end: bool) -> bool {
        let Policy { raw, normalized } = cuts.policy;
        let begins_anew = |lead: u8| self.normalizer.begins_anew(lead);
        if at == 0 || at >= text.len() || !begins_anew(text[at]) || !self.may_cut() {
            return false;
        }
        // Where blanks stay blanks, most places are told by the text as it came.
        if !self.normalizer.changes_blanks() && !self.is_between_pieces(cuts, text, at) {
            return false;
        }
        if self.normalizer.strips() && classes::class_before(text, at).0 == Class::White {
            return false;
        }
        let around = self.normalizer.sentencepiece().map(|rules| rules.around_safe_cut(text, at));
        if around.as_ref().is_some_and(|around| around.is_none() || normalized.longest() > 0) {
            return false;
        }
        let Some(window) =
            window(text, at, begins_anew, SAFE_CUT_REACH_BYTES + raw.longest().max(normalized.longest()), at_end)
        else {
            return false;
        };
        if !is_free(raw, text, at, &window) {
            return false;
        }
        if let Some((mut joined, behind)) = around.flatten() {
            let middle = joined.len();
            joined.extend_from_slice(&behind);
            return self.is_between_pieces(cuts, &joined, middle);
        }
        let normal =
            |range: Range<usize>| self.normalizer.apply_inside(&text[range], &mut |_| Ok(())).map(Cow::into_owned);
        let (Ok(mut joined), Ok(behind)) = (normal(window.start..at), normal(at..window.end)) else { return false };
        let (middle, longest) = (joined.len(), normalized.longest());
        joined.extend_from_slice(&behind);
        let is_whole = (window.start == 0 || middle >= longest + SAFE_CUT_REACH_BYTES)
            && ((at_end && window.end == text.len()) || behind.len() >= longest + SAFE_CUT_REACH_BYTES);
        let near = middle.saturating_sub(SAFE_CUT_REACH_BYTES)..joined.len().min(middle + SAFE_CUT_REACH_BYTES);
        middle > 0
            && !behind.is_empty()
            && is_whole
            && is_free(normalized, &joined, middle, &near)
            && self.is_between_pieces(cuts, &joined, middle)
    }

    /// Whether there may be places for cuts.
    fn may_cut(&self) -> bool {
        let knows_start = self.normalizer.knows_start() || self.chain.is_some_and(Chain::asks_first);
        !self.is_whole && self.normalizer.concatenates() && !(knows_start && self.keeps_starts)
    }

    /// Whether normalized text is cut at a place into pieces that are encoded by themselves, whatever stands around.
    fn is_between_pieces(&self, cuts: &Cuts<'_>, text: &[u8], at: usize) -> bool {
        match (self.chain, cuts.scanner) {
            (Some(chain), _) => chain.is_safe_cut(text, at),
            (None, Scanner::None) => self.model.is_some_and(|model| model.is_safe_border(text, at)),
            (None, scanner) => scanner.is_safe_cut(text, at),
        }
    }
}

/// Whether no token of a search lies in a range round a place, and none can take blanks over it.
fn is_free(search: &Search, text: &[u8], at: usize, range: &Range<usize>) -> bool {
    let may_take = search.takes_blanks() && classes::class_before(text, at).0 == Class::White;
    !may_take && !search.overlaps(text, range)
}

/// A range of so many bytes or more on each side of a place, between the edges of the text and places where normal forms
/// concatenate. Without `at_end` the end of the text is no edge.
fn window(
    text: &[u8],
    at: usize,
    begins_anew: impl Fn(u8) -> bool,
    n_bytes: usize,
    at_end: bool,
) -> Option<Range<usize>> {
    let start = match at.checked_sub(n_bytes) {
        None | Some(0) => 0,
        Some(start) => {
            let floor = start.saturating_sub(MOST_WINDOW_BYTES);
            let edge = (floor..=start).rev().find(|at| *at == 0 || begins_anew(text[*at]));
            edge?
        }
    };
    // Behind the window there is text for the longest token that begins in it.
    let last = if at_end { text.len() } else { text.len().checked_sub(n_bytes)? };
    let first = at + n_bytes;
    let edge = (first..last.min(first + MOST_WINDOW_BYTES)).find(|at| begins_anew(text[*at]));
    Some(start..edge.or((at_end && first + MOST_WINDOW_BYTES >= last).then_some(text.len()))?)
}
