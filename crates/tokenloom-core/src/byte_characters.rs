//! GPT-2's characters for bytes: what the model of a byte-level tokenizer sees in files of `tokenizers`, and what the
//! steps behind ByteLevel see.
//!
//! Bytes that are printable characters of Latin-1 stand for themselves, the other 68 for U+0100 and what follows, in
//! their order. Source: `bytes_to_unicode` of GPT-2's `encoder.py`.

/// One more than the highest character.
const END: usize = 0x144;

/// The characters of the bytes, all below U+0800.
const CHARACTERS: [u16; 256] = characters();

/// The bytes of the characters; 256 for a character that stands for none.
const BYTES: [u16; END] = bytes();

const fn characters() -> [u16; 256] {
    let (mut characters, mut byte, mut n_others) = ([0; 256], 0, 0);
    while byte < 256 {
        characters[byte] = match byte {
            0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => byte as u16,
            _ => {
                n_others += 1;
                0xFF + n_others
            }
        };
        byte += 1;
    }
    characters
}

const fn bytes() -> [u16; END] {
    let (mut bytes, mut byte) = ([256; END], 0);
    while byte < 256 {
        bytes[CHARACTERS[byte] as usize] = byte as u16;
        byte += 1;
    }
    bytes
}

/// The character of a byte in UTF-8, and how many of the two bytes are its.
#[inline]
pub fn character_of(byte: u8) -> ([u8; 2], usize) {
    match CHARACTERS[usize::from(byte)] {
        character @ ..0x80 => ([character as u8, 0], 1),
        character => ([0xC0 | (character >> 6) as u8, 0x80 | (character & 0x3F) as u8], 2),
    }
}

/// The byte that a character stands for.
#[inline]
pub fn byte_of(character: char) -> Option<u8> {
    byte_of_point(character as usize)
}

/// The same for a code point.
#[inline]
pub fn byte_of_point(point: usize) -> Option<u8> {
    u8::try_from(*BYTES.get(point)?).ok()
}
