//! Where a normal form came from: the smallest runs of a text that are normalized by themselves.
//!
//! A form changes a text in two ways that reach over characters: marks change their order, and characters are composed. A
//! text may be cut where neither reaches over the cut, and then the normal forms of the halves are that of the whole. The
//! cuts are found by normalizing once more with each character marked by where it came from (UAX #15, "Specification").

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical, decompose_compatible};

/// What a form does.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Characters are taken apart by compatibility too.
    pub is_compatible: bool,
    /// Characters are composed.
    pub composes: bool,
}

/// A character of the normal form, and the first and the last character that it came from.
#[derive(Clone, Copy)]
struct Part {
    character: char,
    class: u8,
    first: usize,
    last: usize,
}

/// Where the runs of a text end.
pub fn ends(text: &str, rules: Rules) -> Vec<usize> {
    let mut parts = decomposed(text, rules.is_compatible);
    for marks in parts.chunk_by_mut(|_, part| part.class != 0) {
        // The first is no mark, or all are marks.
        let n_before = usize::from(marks[0].class == 0);
        marks[n_before..].sort_by_key(|part| part.class);
    }
    if rules.composes {
        parts = composed(&parts);
    }
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]).collect();
    let mut ends = Vec::with_capacity(places.len());
    // A run ends behind a character if all parts so far came from it or earlier ones, and all others from later ones.
    let (mut last, mut later) = (0, firsts(&parts));
    later.push(places.len());
    for (part, later) in parts.iter().zip(&later[1..]) {
        last = last.max(part.last);
        if last < *later {
            ends.push(places[last]);
        }
    }
    ends
}

/// Of each part the first character that it or a later one came from.
fn firsts(parts: &[Part]) -> Vec<usize> {
    let mut firsts: Vec<usize> = parts.iter().map(|part| part.first).collect();
    for at in (1..firsts.len()).rev() {
        firsts[at - 1] = firsts[at - 1].min(firsts[at]);
    }
    firsts
}

fn decomposed(text: &str, is_compatible: bool) -> Vec<Part> {
    let mut parts = Vec::with_capacity(text.len());
    for (place, source) in text.chars().enumerate() {
        let push = |character| {
            parts.push(Part { character, class: canonical_combining_class(character), first: place, last: place });
        };
        if is_compatible { decompose_compatible(source, push) } else { decompose_canonical(source, push) }
    }
    parts
}

fn composed(parts: &[Part]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    let mut starter = None;
    for part in parts {
        let is_free = |starter: usize| match out.last() {
            Some(before) if starter + 1 < out.len() => before.class != 0 && before.class < part.class,
            _ => true,
        };
        if let Some(at) = starter.filter(|starter| is_free(*starter))
            && let Some(character) = compose(out[at].character, part.character)
        {
            let (first, last) = (out[at].first.min(part.first), out[at].last.max(part.last));
            out[at] = Part { character, first, last, ..out[at] };
            continue;
        }
        if part.class == 0 {
            starter = Some(out.len());
        }
        out.push(*part);
    }
    out
}
