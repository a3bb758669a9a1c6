//! What the encoder by scores is built of: its tokens as they stand in texts, and the order of their scores.

use crate::byte_tokens::byte_ids;
use crate::error::{Error, Result};
use crate::sentencepiece::MARK;
use crate::spec::ScoreRules;
use crate::vocab::Vocabulary;

/// The unknown token, and those of bytes: what no text holds.
pub fn not_in_texts(vocabulary: &Vocabulary, rules: ScoreRules<'_>) -> Result<(u32, Option<Box<[u32; 256]>>)> {
    let missing = || Error::MissingUnknown { token: rules.unk_token.to_owned() };
    let unk_id = vocabulary.model_id_of(rules.unk_token.as_bytes()).ok_or_else(missing)?;
    Ok((unk_id, if rules.byte_fallback { byte_ids(vocabulary) } else { None }))
}

/// The tokens that may be in a text, as they stand in it.
pub fn pieces(vocabulary: &Vocabulary, is_in_text: impl Fn(u32) -> bool, marks_are_spaces: bool) -> Result<Vocabulary> {
    let (mut arena, mut offsets) = (Vec::with_capacity(vocabulary.arena().len()), vec![0]);
    for (id, token) in vocabulary.model_tokens().filter(|(id, _)| is_in_text(*id)) {
        offsets.resize(id as usize + 1, arena.len() as u32);
        write(token, marks_are_spaces, &mut arena);
        offsets.push(arena.len() as u32);
    }
    offsets.resize(vocabulary.size() + 1, arena.len() as u32);
    Vocabulary::of_parts(arena, offsets)
}

/// Appends a token as it stands in a text: with spaces for marks, if they are written so. False, and nothing, for one with
/// a space of its own, which no such text has.
pub fn write(token: &[u8], marks_are_spaces: bool, out: &mut Vec<u8>) -> bool {
    let before = out.len();
    let mut rest = token;
    while marks_are_spaces && !rest.is_empty() {
        // Most tokens have a mark at the start, if any, and are too short for a search that is fast for long ones.
        let n_others = rest.iter().take_while(|byte| **byte != b' ' && **byte != MARK[0]).count();
        out.extend_from_slice(&rest[..n_others]);
        rest = &rest[n_others..];
        if rest.starts_with(MARK) {
            out.push(b' ');
            rest = &rest[MARK.len()..];
        } else if rest.starts_with(b" ") {
            out.truncate(before);
            return false;
        } else if let Some((first, behind)) = rest.split_first() {
            out.push(*first);
            rest = behind;
        }
    }
    out.extend_from_slice(rest);
    true
}

/// The places of scores in their order, the highest first. Those that are floats of 32 bits need no sorting: their bits, with a
/// sign, are in that order already.
pub fn order(scores: &[f64]) -> Vec<u32> {
    let of_bits = |score: f64| {
        let bits = (score as f32 + 0.0).to_bits();
        if bits >> 31 == 1 { bits } else { !bits & u32::MAX >> 1 }
    };
    if scores.iter().all(|score| f64::from(*score as f32) == *score) {
        return scores.iter().map(|score| of_bits(*score)).collect();
    }
    let mut ids: Vec<u32> = (0..scores.len() as u32).collect();
    let score = |id: &u32| scores[*id as usize] + 0.0;
    ids.sort_by(|left, right| score(right).total_cmp(&score(left)));
    let (mut order, mut place) = (vec![0; scores.len()], 0);
    for pair in ids.windows(2) {
        place += u32::from(score(&pair[0]) > score(&pair[1]));
        order[pair[1] as usize] = place;
    }
    order
}
