//! The family of cl100k_base, by hand. As tiktoken publishes it:
//! `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
//!
//! A word may begin with any one character that is no letter, number or line end; line ends stay with the signs before
//! them. Llama 3's and Qwen's patterns are equal to it but for two things: the numbers of a group, and white characters at
//! the end of the text, which here are one piece and there are cut behind the last line end. Possessive or not is no
//! difference: what a rule could give back, no later rule would take.
//!
//! Numbers may also be grouped from the right, as people write them: `\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))`.

use super::reader::{self, BLANK, LETTER, LINE_END, NUMBER, OTHER, Reader, Set, Sets};

/// What the members of the family differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How numbers are grouped.
    pub digits: Digits,
    /// White characters at the end of the text are one piece, even with a line end among them.
    pub whole_end: bool,
}

/// Groups of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// So many from the left.
    UpTo(u8),
    /// Three from the right; the first group is what is left.
    ThreesFromRight,
}

/// Letters, numbers, line ends, other white characters, and everything else.
pub enum Kinds {}

impl Sets for Kinds {
    const CLASSES: [Set; 11] = reader::grouped(&[LETTER, NUMBER, OTHER]);
}

/// See `Scanner::scan`.
pub fn scan(reader: Reader<'_, Kinds>, rules: Rules, start: usize, stop: usize, ends: &mut Vec<usize>) -> usize {
    let mut position = start;
    while position < stop {
        let is_number =
            rules.digits == Digits::ThreesFromRight && reader.look(position).is_some_and(|(kind, _)| kind == NUMBER);
        let end = if is_number {
            threes_from_right(reader, position, stop, ends)
        } else {
            piece_end(reader, rules, position).inspect(|end| ends.push(*end))
        };
        let Some(end) = end else { break };
        position = end;
    }
    position
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
fn piece_end(reader: Reader<'_, Kinds>, rules: Rules, at: usize) -> Option<usize> {
    if reader.text[at] == b'\''
        && let Some(end) = contraction_end(reader, at)?
    {
        return Some(end);
    }
    let (kind, next) = reader.look(at)?;
    let (second, after) = match kind {
        LETTER => (kind, next),
        NUMBER => {
            let Digits::UpTo(most) = rules.digits else { return None };
            return reader.run_of_at_most(next, NUMBER, most);
        }
        LINE_END => return reader.white_end(at, rules.whole_end),
        _ => reader.look(next)?,
    };
    if second == LETTER {
        return reader.run(after, LETTER);
    }
    let signs = match (kind, second) {
        (OTHER, _) => next,
        (BLANK, OTHER) if reader.text[at] == b' ' => after,
        _ => return reader.white_end(at, rules.whole_end),
    };
    reader.run(reader.run(signs, OTHER)?, LINE_END)
}

/// The end of the contraction that starts at the apostrophe at `at`, in any case. `(?i:s)` is also U+017F, the long s.
#[inline]
pub fn contraction_end<S: Sets>(reader: Reader<'_, S>, at: usize) -> Option<Option<usize>> {
    // Only letters become small letters by this bit.
    let second = match reader.byte(at + 1)? | 0x20 {
        b's' | b'd' | b'm' | b't' => return Some(Some(at + 2)),
        b'l' => b'l',
        b'v' | b'r' => b'e',
        _ if reader.byte(at + 1)? == 0xC5 => return Some((reader.byte(at + 2)? == 0xBF).then_some(at + 3)),
        _ => return Some(None),
    };
    Some((reader.byte(at + 2)? | 0x20 == second).then_some(at + 3))
}

/// Writes the ends of the groups of the numbers at `at`, until one reaches `stop`, and returns the last.
///
/// Where the groups end is known at the end of the run alone, so a run that is cut by `stop` is counted again. An eighth of
/// what is left of it is written at least: a run costs the same for each byte, however long it is.
fn threes_from_right(reader: Reader<'_, Kinds>, at: usize, stop: usize, ends: &mut Vec<usize>) -> Option<usize> {
    let run = &reader.text[at..reader.run(at, NUMBER)?];
    let stop = stop.max(at + run.len() / 8);
    let starts = |byte: &u8| byte & 0xC0 != 0x80;
    let mut n_left = run.iter().filter(|byte| starts(byte)).count();
    for (place, _) in run.iter().enumerate().filter(|(_, byte)| starts(byte)).skip(1) {
        n_left -= 1;
        if n_left % 3 == 0 {
            ends.push(at + place);
            if at + place >= stop {
                return Some(at + place);
            }
        }
    }
    ends.push(at + run.len());
    Some(at + run.len())
}
