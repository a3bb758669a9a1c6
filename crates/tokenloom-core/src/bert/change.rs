//! The table as a step of a normalizer.

use super::table::{APART, BLANK, NOT_SIMPLE, NOTHING, ODD, STARTER, SYLLABLE, TEXT, Table, kind_of, push_letters};
use crate::Tick;
use crate::draft::Draft;
use crate::error::Result;

/// A tick comes after about this much text.
const TICK_BYTES: usize = 1 << 20;

impl Table {
    /// Notes in the draft of a text what is changed.
    pub(crate) fn apply(&self, text: &[u8], draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
        let (mut at, mut ticked, mut odd) = (0, 0, Vec::new());
        while at < text.len() {
            let end = at + self.simple(&text[at..]);
            if text[at..end].iter().any(|byte| self.becomes(*byte) != *byte) {
                draft.exchange_bytes(at..end, |byte| self.becomes(byte));
            }
            at = end;
            if at - ticked >= TICK_BYTES {
                ticked = at;
                tick(0)?;
            }
            if at == text.len() {
                break;
            }
            let (cell, length) = self.at(text, at);
            let range = at..at + length;
            at = range.end;
            match kind_of(cell) {
                NOTHING | STARTER => draft.replace(range, |_| {}),
                BLANK => draft.replace_by(range, b" "),
                TEXT => draft.replace_by(range, self.text(cell)),
                SYLLABLE => draft.replace(range.clone(), |out| push_letters(text, range.start, out)),
                APART => draft.replace(range.clone(), |out| {
                    out.push(b' ');
                    out.extend_from_slice(&text[range]);
                    out.push(b' ');
                }),
                ODD => {
                    odd.clear();
                    at = self.push_odd(text, range.start, &mut odd);
                    draft.replace_by(range.start..at, &odd);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// How many of the next bytes are ASCII characters of which none is taken away.
    fn simple(&self, text: &[u8]) -> usize {
        let is_simple = |byte: &&u8| self.ascii[usize::from(**byte)] & NOT_SIMPLE == 0;
        text.iter().take_while(is_simple).count()
    }

    /// What a simple character becomes.
    fn becomes(&self, byte: u8) -> u8 {
        self.ascii[usize::from(byte)] as u8
    }

    /// Appends what becomes of the odd character at a place, and of the marks behind it that it stands in order with.
    /// Returns where the last of them ends; what is taken away behind it belongs to nothing.
    pub(super) fn push_odd(&self, text: &[u8], start: usize, out: &mut Vec<u8>) -> usize {
        let (mut at, mut end, mut waiting) = (start, start, Vec::new());
        while at < text.len() {
            let (cell, length) = self.at(text, at);
            match kind_of(cell) {
                NOTHING => {}
                ODD if at == start || self.odd(cell).parts.first().is_some_and(|(_, class)| *class > 0) => {
                    let odd = self.odd(cell);
                    out.extend(odd.is_apart.then_some(b' '));
                    for &(part, class) in &odd.parts {
                        if class == 0 {
                            release(&mut waiting, out);
                            push(part, out);
                        } else {
                            waiting.push((class, part));
                        }
                    }
                    out.extend(odd.is_apart.then_some(b' '));
                    end = at + length;
                }
                _ => break,
            }
            at += length;
            if waiting.is_empty() {
                break;
            }
        }
        release(&mut waiting, out);
        end
    }
}

/// Marks in the order of their classes, and in that of the text where these are equal.
fn release(waiting: &mut Vec<(u8, char)>, out: &mut Vec<u8>) {
    waiting.sort_by_key(|(class, _)| *class);
    waiting.drain(..).for_each(|(_, part)| push(part, out));
}

fn push(part: char, out: &mut Vec<u8>) {
    out.extend_from_slice(part.encode_utf8(&mut [0; 4]).as_bytes());
}
