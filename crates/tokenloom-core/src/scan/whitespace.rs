//! Words, signs and blanks apart, as the pretokenizer Whitespace of `tokenizers` finds them: `\w+|[^\w\s]+|\s+`.
//!
//! That one drops the blanks. Here a run of blanks is a piece, because no byte of a text may be lost.
//!
//! `\w` is `[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`: letters, marks, and what a table lists of the rest.

use super::classes::{self, Class};
use super::reader::{self, BLANK, LETTER, MARK, NUMBER, OTHER, Reader, Set, Sets};
use super::tables_16::WORD_RANGES;

/// Words, blanks and everything else.
pub enum Kinds {}

const WORD: Set = LETTER | MARK | NUMBER;
const SIGNS: Set = OTHER & !MARK;

impl Sets for Kinds {
    const CLASSES: [Set; 11] = reader::grouped(&[WORD, BLANK, SIGNS]);
    const BYTES: &'static [Set; 256] = &{
        let mut sets = reader::bytes(Self::CLASSES, BLANK);
        sets[b'_' as usize] = WORD;
        sets
    };

    #[inline]
    fn wide(class: Class, text: &[u8], at: usize) -> Set {
        match class {
            Class::White => BLANK,
            _ if class.is_letter() || class.is_mark() => WORD,
            _ => {
                let scalar = classes::scalar(text, at);
                let place = WORD_RANGES.partition_point(|(_, last)| *last < scalar);
                let is_word = WORD_RANGES.get(place).is_some_and(|(first, _)| *first <= scalar);
                if is_word { WORD } else { SIGNS }
            }
        }
    }
}

/// Between two kinds.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    reader::is_between_sets::<Kinds>(text, position)
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end(reader: Reader<'_, Kinds>, at: usize) -> Option<usize> {
    let (kind, next) = reader.look(at)?;
    reader.run(next, kind)
}
