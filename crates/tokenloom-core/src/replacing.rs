//! One text in the place of another, as a step of a normalizer.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::Tick;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::scan::Custom;
use crate::scan::classes;

/// A tick comes after about this much text.
const TICK_BYTES: usize = 1 << 20;

/// Each place of a text becomes another text.
pub fn replace_text(text: &[u8], finder: &AhoCorasick, by: &[u8], draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
    let mut ticked = 0;
    for hit in finder.find_iter(text) {
        draft.replace_by(hit.range(), by);
        if draft.is_over() {
            break;
        }
        if hit.end() - ticked >= TICK_BYTES {
            ticked = hit.end();
            tick(0)?;
        }
    }
    Ok(())
}

/// Each match of a pattern becomes a text. An empty text has no match; an empty match stands with the character before it.
pub fn replace_matches(
    text: &[u8],
    (finder, pattern): (&Custom, &str),
    by: &[u8],
    draft: &mut Draft<'_>,
    tick: Tick<'_>,
) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let take = |found: Range<usize>, is_match: bool, _: Tick<'_>| {
        match found.start {
            _ if !is_match => {}
            at if !found.is_empty() || at == 0 => draft.replace_by(found, by),
            at => draft.put_in(at, at - classes::class_before(text, at).1..at, by),
        }
        Ok(())
    };
    finder.matches(text, take, tick).map_err(|fault| match fault {
        Error::PatternLimit { byte_offset } => Error::NormalizerLimit { pattern: pattern.to_owned(), byte_offset },
        fault => fault,
    })
}
