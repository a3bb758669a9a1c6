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

/// Appends what the letters at the beginning of a text stand for, and returns what is behind them: what is no letter, or
/// less than four. None, perhaps after some bytes, if there are none, or not what base64 makes of any bytes.
#[inline]
pub fn decode<'a>(text: &'a [u8], bytes: &mut Vec<u8>) -> Option<&'a [u8]> {
    let mut rest = text;
    while let Some((quad, behind)) = rest.split_first_chunk() {
        let Some(word) = word(quad) else {
            return decode_last(quad, behind, bytes).or_else(|| (rest.len() < text.len()).then_some(rest));
        };
        let [_, first, second, third] = word.to_be_bytes();
        bytes.extend_from_slice(&[first, second, third]);
        rest = behind;
    }
    (rest.len() < text.len()).then_some(rest)
}

/// Appends what four letters with padding among them stand for.
fn decode_last<'a>(quad: &[u8; 4], behind: &'a [u8], bytes: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (word, n_bytes) = match *quad {
        [first, second, b'=', b'='] => (word(&[first, second, b'A', b'A'])?, 1),
        [first, second, third, b'='] => (word(&[first, second, third, b'A'])?, 2),
        _ => return None,
    };
    bytes.extend_from_slice(&word.to_be_bytes()[1..=n_bytes]);
    (word << (8 + 8 * n_bytes) == 0).then_some(behind)
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
        decode(letters.as_bytes(), &mut bytes)?.is_empty().then_some(bytes)
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
