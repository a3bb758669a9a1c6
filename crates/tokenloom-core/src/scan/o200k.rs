//! The family of o200k_base, by hand. As tiktoken publishes it, with `U` for `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, `L` for
//! `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` and `C` for `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`:
//! `[^\r\n\p{L}\p{N}]?U*L+C|[^\r\n\p{L}\p{N}]?U+L*C|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//!
//! A word is cut before a capital that follows a small letter. Letters without case, and marks, are in both sets, and this
//! makes the one hard case: a run of `U` that no small letter follows. The first rule gives back until it finds a
//! character of both sets, and ends behind it; only a run without any is left to the second rule.
//!
//! Mistral's tekken has the same pattern without contractions, and numbers one by one.

use super::cl100k::contraction_end;
use super::reader::{
    self, BLANK, CASELESS, EACH, EXTRA, LETTER, LINE_END, LOWER, MARK, NUMBER, OTHER, Reader, Set, Sets, UPPER,
};

/// What the members of the family differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// A contraction belongs to the word before it.
    pub contractions: bool,
    /// The most numbers of a group.
    pub digits: u8,
}

/// The classes, and the slash.
pub enum Kinds {}

impl Sets for Kinds {
    const CLASSES: [Set; 11] = EACH;
    const BYTES: &'static [Set; 256] = &{
        let mut sets = reader::bytes(EACH, LINE_END);
        sets[b'/' as usize] |= SLASH;
        sets
    };
}

const SLASH: Set = EXTRA;

/// Between runs, unless what follows is a mark or an apostrophe behind a letter, or a slash behind a line end.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    reader::is_between_runs(text, position)
        && !matches!(text[position], b'\'' | b'/')
        && !reader::class_behind(text, position).is_some_and(super::classes::Class::is_mark)
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end(reader: Reader<'_, Kinds>, rules: Rules, at: usize) -> Option<usize> {
    let (kind, next) = reader.look(at)?;
    if kind & (LETTER | NUMBER | LINE_END) != 0 {
        return match kind {
            NUMBER => reader.run_of_at_most(next, NUMBER, rules.digits),
            LINE_END => reader.white_end(at, false),
            _ => match word(reader, at)? {
                Word::None => Some(next),
                Word::Cased(end) | Word::Capitals(end) => word_end(reader, rules, end),
            },
        };
    }
    match (word(reader, next)?, kind) {
        // A mark before capitals, or alone, is a word by the first rule, which comes before the second.
        (Word::Capitals(_) | Word::None, MARK) => return word_end(reader, rules, next),
        (Word::Cased(end) | Word::Capitals(end), _) => return word_end(reader, rules, end),
        (Word::None, _) => {}
    }
    let signs = if kind & OTHER != 0 {
        next
    } else {
        match reader.look(next)? {
            (second, after) if kind == BLANK && reader.text[at] == b' ' && second & OTHER != 0 => after,
            _ => return reader.white_end(at, false),
        }
    };
    reader.run(reader.run(signs, OTHER)?, LINE_END | SLASH)
}

/// The letters and marks from a place on that can be one word.
enum Word {
    /// They end here by the first rule.
    Cased(usize),
    /// Capitals alone, up to here: the second rule.
    Capitals(usize),
    /// There is none.
    None,
}

#[inline]
fn word(reader: Reader<'_, Kinds>, from: usize) -> Option<Word> {
    let (mut at, mut behind_caseless) = (from, None);
    loop {
        let (kind, next) = reader.look(at)?;
        if kind == LOWER {
            return reader.run(next, LOWER | CASELESS | MARK).map(Word::Cased);
        }
        if kind & (CASELESS | MARK) != 0 {
            behind_caseless = Some(next);
        } else if kind & UPPER == 0 {
            break;
        }
        at = next;
    }
    Some(match behind_caseless {
        Some(end) => Word::Cased(end),
        None if at > from => Word::Capitals(at),
        None => Word::None,
    })
}

/// The end of a word with the contraction behind it.
#[inline]
fn word_end(reader: Reader<'_, Kinds>, rules: Rules, end: usize) -> Option<usize> {
    if rules.contractions && reader.byte(end)? == b'\'' {
        return Some(contraction_end(reader, end)?.unwrap_or(end));
    }
    Some(end)
}
