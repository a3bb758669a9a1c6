//! What a normalizer changes in the text that is counted: how many characters, and which of them most.
//!
//! The alignment of a changed text says which stretches took the place of which. All characters of a replaced stretch are
//! changed, and it is named after the last of them: the mark of a letter that is composed with it, the ligature that falls
//! apart. So there are never more names than characters in Unicode, whatever the text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::Tick;
use crate::alignment::Alignment;
use crate::error::Result;
use crate::normalize::{Normalizer, begins_anew};
use crate::scan::classes::{character_at, class_at, class_before};
use crate::search::Stretch;
use crate::specials::Policy;

/// Text is looked at in stretches of about this many bytes, so that alignments stay small.
const WINDOW_BYTES: usize = 1 << 16;

/// An example is no longer than this.
const MOST_EXAMPLE_BYTES: usize = 32;

/// What was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Characters that were changed.
    pub n_chars: u64,
    /// Stretches that were changed, by their last character.
    pub by_character: BTreeMap<char, Changed>,
}

/// What became of one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// How often.
    pub count: u64,
    /// The least stretch that ends with it, and what took its place. Long ones are cut.
    pub example: (Vec<u8>, Vec<u8>),
}

impl Changes {
    /// Notes what a normalizer changes in a text between special tokens. Returns whether it changes anything.
    pub fn note(&mut self, normalizer: &Normalizer, policy: &Policy, text: &[u8], tick: Tick<'_>) -> Result<bool> {
        let mut is_changed = false;
        let take = |stretch: Stretch, tick: Tick<'_>| {
            let Stretch::Text(range) = stretch else { return Ok(()) };
            let mut rest = &text[range];
            while !rest.is_empty() {
                let (now, later) = rest.split_at(window_end(normalizer, rest));
                let (normal, alignment) = normalizer.apply_aligned(now, tick)?;
                if let Cow::Owned(normal) = normal {
                    is_changed |= self.note_changed(now, &normal, &alignment);
                }
                rest = later;
            }
            Ok(())
        };
        policy.raw.stretches(text, |at| at as u64, take, tick)?;
        Ok(is_changed)
    }

    /// Adds what was noted elsewhere.
    pub fn join(&mut self, other: Self) {
        self.n_chars += other.n_chars;
        for (character, more) in other.by_character {
            match self.by_character.get_mut(&character) {
                Some(changed) => {
                    changed.count += more.count;
                    if is_shorter(&more.example, &changed.example) {
                        changed.example = more.example;
                    }
                }
                None => _ = self.by_character.insert(character, more),
            }
        }
    }

    fn note_changed(&mut self, came: &[u8], normal: &[u8], alignment: &Alignment) -> bool {
        let (mut reached, n_before) = (0, self.n_chars);
        for (from, to, is_copy) in alignment.runs() {
            if from.start > reached {
                self.add(came, reached..from.start, b"");
            }
            reached = reached.max(from.end);
            if !is_copy {
                self.add(came, from, &normal[to]);
            } else if came[from.clone()] != normal[to.clone()] {
                // Letters of ASCII, each in the place of another.
                for (at, with) in from.zip(to).filter(|(at, with)| came[*at] != normal[*with]) {
                    self.add(came, at..at + 1, &normal[with..=with]);
                }
            }
        }
        if came.len() > reached {
            self.add(came, reached..came.len(), b"");
        }
        self.n_chars > n_before
    }

    fn add(&mut self, came: &[u8], from: Range<usize>, to: &[u8]) {
        let stretch = &came[from];
        if stretch.is_empty() || stretch == to {
            return;
        }
        let mut at = 0;
        while at < stretch.len() {
            at += class_at(stretch, at).1;
            self.n_chars += 1;
        }
        let last = stretch.len() - class_before(stretch, stretch.len()).1;
        let character = character_at(stretch, last).unwrap_or(char::REPLACEMENT_CHARACTER);
        let changed = self
            .by_character
            .entry(character)
            .or_insert_with(|| Changed { count: 0, example: (clipped(stretch), clipped(to)) });
        changed.count += 1;
        let is_new = stretch.len() <= changed.example.0.len() && *stretch != *changed.example.0;
        if is_new {
            let example = (clipped(stretch), clipped(to));
            if is_shorter(&example, &changed.example) {
                changed.example = example;
            }
        }
    }
}

/// The shorter one comes first, then the lesser: whatever the order in which they were met.
fn is_shorter(one: &(Vec<u8>, Vec<u8>), other: &(Vec<u8>, Vec<u8>)) -> bool {
    (one.0.len(), one) < (other.0.len(), other)
}

/// As many characters as an example may have.
fn clipped(text: &[u8]) -> Vec<u8> {
    let mut end = 0;
    while end < text.len() {
        let next = end + class_at(text, end).1;
        if next > MOST_EXAMPLE_BYTES {
            break;
        }
        end = next;
    }
    text[..end].to_vec()
}

/// Where the first stretch of a text ends that is looked at by itself.
fn window_end(normalizer: &Normalizer, text: &[u8]) -> usize {
    if !normalizer.concatenates() {
        return text.len();
    }
    (WINDOW_BYTES..text.len()).find(|at| begins_anew(text[*at])).unwrap_or(text.len())
}
