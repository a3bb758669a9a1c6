//! What becomes of matches and of what lies between them: `SplitDelimiterBehavior` of `tokenizers`.
//!
//! Matches and the stretches between them come one after the other, empty matches too, and tile the text. Each behavior
//! says which of them are joined to the one before; what is empty at the end is no piece.

use std::ops::Range;

use serde::Deserialize;

use crate::Tick;
use crate::error::Result;

/// What is done with the matches of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    /// They are gone.
    Removed,
    /// Each is a piece.
    Isolated,
    /// Each is joined to the stretch before it; of several in a row, the first.
    MergedWithPrevious,
    /// Each is joined to the stretch behind it; of several in a row, the last.
    MergedWithNext,
    /// Those in a row are one piece.
    Contiguous,
}

impl Behavior {
    /// Whether there is a cut between two characters, of which each is a match by itself or is not.
    pub fn separates(self, is_match_before: bool, is_match_behind: bool) -> bool {
        match self {
            Self::Removed | Self::Isolated => is_match_before || is_match_behind,
            Self::MergedWithPrevious => is_match_before,
            Self::MergedWithNext => is_match_behind,
            Self::Contiguous => is_match_before != is_match_behind,
        }
    }
}

/// Makes pieces of matches and of what lies between them.
pub struct Fold<P> {
    behavior: Behavior,
    push: P,
    /// What later ones may be joined to.
    pending: Option<Range<usize>>,
    /// Whether the last one was a match.
    was_match: bool,
}

impl<P: FnMut(Range<usize>, Tick<'_>) -> Result<()>> Fold<P> {
    /// Gives pieces to `push`.
    pub fn new(behavior: Behavior, push: P) -> Self {
        Self { behavior, push, pending: None, was_match: false }
    }

    /// Takes the next match, or the stretch before it.
    #[inline]
    pub fn take(&mut self, range: Range<usize>, is_match: bool, tick: Tick<'_>) -> Result<()> {
        let was_match = std::mem::replace(&mut self.was_match, is_match);
        let is_joined = match self.behavior {
            Behavior::Removed if is_match => return Ok(()),
            Behavior::Removed | Behavior::Isolated => return self.give(range, tick),
            Behavior::MergedWithPrevious => is_match && !was_match,
            Behavior::MergedWithNext => !is_match && was_match,
            Behavior::Contiguous => is_match == was_match,
        };
        match &mut self.pending {
            Some(pending) if is_joined => pending.end = range.end,
            pending => {
                if let Some(done) = pending.replace(range) {
                    self.give(done, tick)?;
                }
            }
        }
        Ok(())
    }

    /// Gives the last piece.
    pub fn finish(mut self, tick: Tick<'_>) -> Result<()> {
        self.pending.take().map_or(Ok(()), |last| self.give(last, tick))
    }

    fn give(&mut self, range: Range<usize>, tick: Tick<'_>) -> Result<()> {
        if range.is_empty() { Ok(()) } else { (self.push)(range, tick) }
    }
}
