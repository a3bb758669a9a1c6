//! Token bytes spelled with GPT-2's characters, see [`byte_characters`](crate::byte_characters).

use crate::byte_characters::byte_of_point;

/// Appends the bytes that a text in UTF-8 spells; None, perhaps after some bytes, if a character stands for none.
pub fn decode(text: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let mut rest = text.iter();
    while let Some(&first) = rest.next() {
        // Beyond two bytes of UTF-8 there are no such characters: their first byte gives a point that is too high.
        let point = match first {
            0..0x80 => usize::from(first),
            _ => usize::from(first & 0x3F) << 6 | usize::from(rest.next()? & 0x3F),
        };
        bytes.push(byte_of_point(point)?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn decoded(text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(text.as_bytes(), &mut bytes).map(|()| bytes)
    }

    #[test]
    fn characters_come_back_as_bytes() {
        assert_eq!(decoded("ĠtheÃ©Ċ").as_deref(), Some(" theé\n".as_bytes()));
        assert_eq!(decoded("ĀŃÿ").as_deref(), Some(&[0x00, 0xAD, 0xFF][..]));
    }

    #[test]
    fn characters_that_stand_for_no_byte_are_refused() {
        for text in [" ", "\n", "\u{7f}", "\u{80}", "\u{ad}", "\u{144}", "中", "😀", "a中"] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }
}
