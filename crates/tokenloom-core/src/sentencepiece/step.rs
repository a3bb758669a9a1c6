//! The rules as a step of a normalizer.

use super::{Flags, Map, Rules};
use crate::Tick;
use crate::alignment::Alignment;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::reading::base64;
use crate::spec::Step;

/// The rules that a step of the description names.
pub fn rules_of(step: &Step) -> Result<Rules> {
    let Step::Sentencepiece {
        charsmap,
        symbols,
        add_dummy_prefix,
        remove_extra_whitespaces,
        escape_whitespaces,
        treat_whitespace_as_suffix,
    } = step
    else {
        return Err(Error::SpecJson { detail: "a step of its normalizer is not SentencePiece's".to_owned() });
    };
    let flags = Flags {
        add_dummy_prefix: *add_dummy_prefix,
        remove_extra_whitespaces: *remove_extra_whitespaces,
        escape_whitespaces: *escape_whitespaces,
        treat_whitespace_as_suffix: *treat_whitespace_as_suffix,
    };
    Rules::new(&decoded_charsmap(charsmap)?, symbols, flags)
}

/// The map that a step names, in base64.
pub fn map_of(charsmap: &str) -> Result<Map> {
    Map::new(&decoded_charsmap(charsmap)?)
}

/// The map of a model file, from base64.
fn decoded_charsmap(letters: &str) -> Result<Vec<u8>> {
    let mut charsmap = Vec::with_capacity(letters.len() / 4 * 3);
    let is_whole =
        letters.is_empty() || base64::decode(letters.as_bytes(), &mut charsmap).is_some_and(<[u8]>::is_empty);
    let fault = || Error::SpecJson { detail: "the charsmap of its normalizer is no base64".to_owned() };
    if is_whole { Ok(charsmap) } else { Err(fault()) }
}

/// The text becomes what the rules make of it. `is_start` is false for one that goes on from a safe cut.
pub fn change(rules: &Rules, text: &[u8], is_start: bool, draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
    let most_bytes = draft.most_bytes();
    let changed = if draft.is_aligned() {
        rules.apply_aligned(text, is_start, most_bytes, tick)?
    } else {
        let mut out = Vec::new();
        rules.apply(text, is_start, most_bytes, &mut out, tick)?.then(|| (out, Alignment::default()))
    };
    match changed {
        Some((changed, alignment)) => draft.become_text(changed, alignment),
        None => draft.give_up(),
    }
    Ok(())
}
