//! Token bytes spelled with GPT-2's characters.
//!
//! Each byte stands for one visible character: those that are visible in Latin-1 for themselves, the other 68 for the
//! characters from U+0100 on, in order.

/// Marks a character that stands for no byte.
const NONE: u16 = u16::MAX;

/// One more than the last of the characters.
const N_POINTS: usize = 0x144;

/// The byte that each character stands for.
const BYTES: [u16; N_POINTS] = bytes();

const fn bytes() -> [u16; N_POINTS] {
    let mut bytes = [NONE; N_POINTS];
    let (mut byte, mut next) = (0, 0x100);
    while byte < 0x100 {
        if matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) {
            bytes[byte] = byte as u16;
        } else {
            bytes[next] = byte as u16;
            next += 1;
        }
        byte += 1;
    }
    bytes
}

/// Appends the bytes that a text in UTF-8 spells; None, perhaps after some bytes, if a character stands for none.
pub fn decode(text: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let mut rest = text.iter();
    while let Some(&first) = rest.next() {
        // Beyond two bytes of UTF-8 there are no such characters: their first byte gives a point that is too high.
        let point = match first {
            0..0x80 => usize::from(first),
            _ => usize::from(first & 0x3F) << 6 | usize::from(rest.next()? & 0x3F),
        };
        bytes.push(u8::try_from(*BYTES.get(point)?).ok()?);
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
