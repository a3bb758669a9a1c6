//! The best way to cut a stretch of text into tokens, place by place.
//!
//! At each place where a character begins, every token that begins there offers a sum to the place where it ends, and the
//! highest one stays; of equal ones that which was offered first, by the token that begins first. A character that is no
//! token by itself is offered as unknown. Where a sum is too far from zero, `sentencepiece` counts anew from there.

use super::scores::Scores;
use super::trie::{ROOT, Trie};
use crate::Tick;
use crate::error::Result;

/// Characters between two ticks.
const TICK_CHARACTERS: usize = 1 << 16;

/// The best way to a place.
#[derive(Clone, Copy, Debug)]
struct Step {
    sum: f64,
    /// Where its last token begins; `NOWHERE` if no token ends here.
    start: usize,
    /// None for an unknown character.
    id: Option<u32>,
    /// The second highest sum that was offered.
    second: f64,
}

const NOWHERE: usize = usize::MAX;
const UNREACHED: Step = Step { sum: f64::NEG_INFINITY, start: NOWHERE, id: None, second: f64::NEG_INFINITY };

/// The best cut of a stretch.
#[derive(Debug, Default)]
pub struct Viterbi {
    steps: Vec<Step>,
    /// The tokens, last to first.
    path: Vec<Option<u32>>,
    n_characters: usize,
    /// No place behind this one is reached.
    reached: usize,
}

impl Viterbi {
    /// Finds the tokens of a stretch with sums that are not rounded and begin at zero. Returns by how much each choice on
    /// the way was made, at least.
    pub fn cut_exactly(&mut self, scores: &Scores, trie: &Trie, text: &[u8], tick: Tick<'_>) -> Result<f64> {
        self.run::<true>(scores, trie, text, 0.0, tick)?;
        let (mut at, mut margin) = (text.len(), f64::INFINITY);
        while at > 0 {
            let step = &self.steps[at];
            margin = margin.min(step.sum - step.second);
            at = step.start;
        }
        Ok(margin)
    }

    /// Finds the tokens of a stretch with the sums of the library, before which the sum is `before`.
    pub fn cut(&mut self, scores: &Scores, trie: &Trie, text: &[u8], before: f64, tick: Tick<'_>) -> Result<()> {
        self.run::<false>(scores, trie, text, before, tick)
    }

    /// The tokens that were found, first to last.
    pub fn tokens(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.path.iter().rev().copied()
    }

    /// The sum behind the stretch.
    pub fn sum(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.sum)
    }

    /// The characters of the stretch.
    pub fn n_characters(&self) -> usize {
        self.n_characters
    }

    fn run<const EXACT: bool>(
        &mut self,
        scores: &Scores,
        trie: &Trie,
        text: &[u8],
        before: f64,
        tick: Tick<'_>,
    ) -> Result<()> {
        self.steps.clear();
        self.steps.resize(text.len() + 1, UNREACHED);
        self.steps[0] = Step { sum: before, ..UNREACHED };
        (self.n_characters, self.reached) = (0, 0);
        let mut start = 0;
        while start < text.len() {
            if !EXACT && scores.is_counted_anew(self.steps[start].sum) {
                self.count_anew(scores, start);
            }
            let (till_here, end) = (self.steps[start].sum, start + character_length(text, start));
            let (mut node, mut at, mut has_character) = (ROOT, start, false);
            while let Some(child) = text.get(at).and_then(|byte| trie.child(node, *byte)) {
                (node, at) = (child, at + 1);
                if let Some(id) = trie.id(node) {
                    has_character |= at == end;
                    self.offer::<EXACT>(scores, till_here, start, at, Some(id));
                }
            }
            if !has_character {
                self.offer::<EXACT>(scores, till_here, start, end, None);
            }
            start = end;
            self.n_characters += 1;
            if self.n_characters.is_multiple_of(TICK_CHARACTERS) {
                tick(0)?;
            }
        }
        self.path.clear();
        let mut at = text.len();
        while at > 0 {
            let step = &self.steps[at];
            self.path.push(step.id);
            at = step.start;
        }
        if self.path.len() >= TICK_CHARACTERS {
            tick(0)?;
        }
        Ok(())
    }

    /// Makes the sum at a place zero, and those behind it what they are beside it.
    #[cold]
    fn count_anew(&mut self, scores: &Scores, start: usize) {
        let sum = self.steps[start].sum;
        for step in &mut self.steps[start..=self.reached] {
            step.sum = scores.rounded(step.sum - sum);
        }
    }

    #[inline(always)]
    fn offer<const EXACT: bool>(&mut self, scores: &Scores, sum: f64, start: usize, end: usize, id: Option<u32>) {
        self.reached = self.reached.max(end);
        let step = &mut self.steps[end];
        let offered = if EXACT { sum + scores.score(id) } else { scores.plus(sum, id) };
        if step.start == NOWHERE || offered > step.sum {
            let second = if step.start == NOWHERE { f64::NEG_INFINITY } else { step.sum };
            *step = Step { sum: offered, start, id, second };
        } else if EXACT && offered > step.second {
            step.second = offered;
        }
    }
}

/// The bytes of the character that begins at a place; a byte outside valid UTF-8 is one.
#[inline]
pub fn character_length(text: &[u8], at: usize) -> usize {
    let length = match text[at] {
        ..0xC2 => return 1,
        0xC2..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    match text.get(at..at + length) {
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => length,
        _ => 1,
    }
}
