//! Values as messages show them.

/// The most bytes of a token that a message shows.
const SHOWN_BYTES: usize = 60;

/// A text as Python's `repr` writes it, so that it can be copied out of a message into a program.
pub fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        let code = u32::from(character);
        let plain = character.escape_debug().count() == 1 || matches!(character, '\'' | '"');
        out += &match character {
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            _ if character == '\\' || character == quote => format!("\\{character}"),
            _ if plain => character.to_string(),
            _ if code < 0x100 => format!("\\x{code:02x}"),
            _ if code < 0x1_0000 => format!("\\u{code:04x}"),
            _ => format!("\\U{code:08x}"),
        };
    }
    out.push(quote);
    out
}

/// The most characters of a text that a message shows.
const SHOWN_CHARACTERS: usize = 200;

/// A text from outside as messages show it: whole if it is short, else its beginning and its length.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}... ({} characters)", quoted(&text[..end]), text.chars().count()),
        None => quoted(text),
    }
}

/// Token bytes as a Python `bytes` literal, cut when long.
pub fn literal(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let rest = if shown.len() < bytes.len() { "..." } else { "" };
    format!("b'{}{rest}'", shown.escape_ascii())
}
