//! Lower case, character by character.

use crate::draft::Draft;
use crate::scan::classes::{self, Class};

/// Lower case by the tables of Unicode 16: characters that are younger have the class `Other` and stay.
fn lower(character: char) -> impl Iterator<Item = char> {
    let mut buffer = [0; 4];
    let known = classes::class_at(character.encode_utf8(&mut buffer).as_bytes(), 0).0 != Class::Other;
    let lower = known.then(|| character.to_lowercase());
    lower.into_iter().flatten().chain((!known).then_some(character))
}

/// Notes in the draft of a text what lower case changes.
pub fn apply(text: &[u8], draft: &mut Draft<'_>) {
    if text.is_ascii() {
        if text.iter().any(u8::is_ascii_uppercase) {
            draft.exchange(text.to_ascii_lowercase());
        }
        return;
    }
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            let range = at..at + character.len_utf8();
            at = range.end;
            if !lower(character).eq([character]) {
                let push = |out: &mut Vec<u8>| {
                    for lower in lower(character) {
                        out.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                };
                draft.replace(range, push);
            }
        }
        at += chunk.invalid().len();
    }
}
