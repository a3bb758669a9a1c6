//! A cut before each word of SentencePiece: `[ \u2581][^ \u2581]*|[^ \u2581]+`.
//!
//! There a space is written U+2581 before the model sees the text, and the scanner works on what the model sees. It cuts
//! before a space as well, so that it can also be had without that replacement.

/// U+2581 in UTF-8. Its first byte begins no character inside another, so bytes can be searched for.
const MARK: &[u8] = "\u{2581}".as_bytes();

/// Before each word.
pub fn is_safe_cut(text: &[u8], position: usize) -> bool {
    position > 0 && text.get(position..).is_some_and(|rest| rest.starts_with(b" ") || rest.starts_with(MARK))
}

/// The end of the piece that starts at `at`; None where more text could change it.
#[inline]
pub fn piece_end(text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    let mut end = at + 1;
    loop {
        end += text[end..].iter().take_while(|byte| **byte != b' ' && **byte != MARK[0]).count();
        let rest = &text[end..];
        if rest.starts_with(b" ") || rest.starts_with(MARK) {
            return Some(end);
        }
        // The end, or what may become a mark.
        if rest.len() < MARK.len() && MARK.starts_with(rest) && !at_end {
            return None;
        }
        if rest.is_empty() {
            return Some(end);
        }
        end += 1;
    }
}
