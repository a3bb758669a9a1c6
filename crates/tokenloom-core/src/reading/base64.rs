//! Base64 in its canonical form: padded, and with no bits that say nothing.

/// The value of each letter; `NONE` for what is no letter.
const VALUES: [u32; 256] = values();

/// A bit that no letter has.
const NONE: u32 = 1 << 24;

const fn values() -> [u32; 256] {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < letters.len() {
        values[letters[value] as usize] = value as u32;
        value += 1;
    }
    values
}

/// Appends what the letters stand for; None, perhaps after some bytes, if they are not what base64 makes of any bytes.
pub fn decode(letters: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let (quads, rest) = letters.as_chunks();
    let (last, quads) = quads.split_last()?;
    if !rest.is_empty() {
        return None;
    }
    let start = bytes.len();
    bytes.resize(start + quads.len() * 3, 0);
    for (quad, bytes) in quads.iter().zip(bytes[start..].as_chunks_mut().0) {
        let [_, first, second, third] = word(quad)?.to_be_bytes();
        *bytes = [first, second, third];
    }
    match *last {
        [first, second, b'=', b'='] => {
            let word = word(&[first, second, b'A', b'A'])?;
            bytes.push((word >> 16) as u8);
            (word & 0xFFFF == 0).then_some(())
        }
        [first, second, third, b'='] => {
            let word = word(&[first, second, third, b'A'])?;
            bytes.extend_from_slice(&word.to_be_bytes()[1..3]);
            (word & 0xFF == 0).then_some(())
        }
        quad => {
            bytes.extend_from_slice(&word(&quad)?.to_be_bytes()[1..]);
            Some(())
        }
    }
}

/// The 24 bits of four letters.
#[inline]
fn word(quad: &[u8; 4]) -> Option<u32> {
    let [first, second, third, fourth] = quad.map(|letter| VALUES[usize::from(letter)]);
    let word = first << 18 | second << 12 | third << 6 | fourth;
    ((first | second | third | fourth) & NONE == 0).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn decoded(letters: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(letters.as_bytes(), &mut bytes).map(|()| bytes)
    }

    #[test]
    fn letters_come_back_as_bytes() {
        assert_eq!(decoded("YWJj").as_deref(), Some(&b"abc"[..]));
        assert_eq!(decoded("Cv8=").as_deref(), Some(&b"\n\xff"[..]));
        assert_eq!(decoded("YWJjYQ==").as_deref(), Some(&b"abca"[..]));
    }

    #[test]
    fn other_spellings_are_refused() {
        for letters in ["", "YWI", "YWJ=", "YR==", "====", "Y===", "YW=I", "YW_=", "YQ==YQ==", "YQ\n=", "YQ== "] {
            assert_eq!(decoded(letters), None, "{letters}");
        }
    }
}
