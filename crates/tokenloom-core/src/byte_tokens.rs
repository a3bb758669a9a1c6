//! The tokens `<0x00>` to `<0xFF>`, which stand for bytes where a model falls back to these.

use crate::vocab::Vocabulary;

/// The byte that a token stands for.
pub fn byte_of(token: &[u8]) -> Option<u8> {
    let digits = token.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let is_usual = digits.len() == 2 && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'A'..=b'F'));
    is_usual.then(|| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())?
}

/// The ids of the tokens of bytes, if all have one.
pub fn byte_ids(vocabulary: &Vocabulary) -> Option<Box<[u32; 256]>> {
    let mut ids = Box::new([0; 256]);
    for (byte, id) in ids.iter_mut().enumerate() {
        *id = vocabulary.model_id_of(format!("<0x{byte:02X}>").as_bytes())?;
    }
    Some(ids)
}
