//! A walk over JSON that keeps nothing: whoever walks says what comes next, and takes what he wants.

use std::borrow::Cow;
use std::ops::Range;

use super::number;

/// A place in a JSON text.
pub struct Walk<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    /// The beginning of a text.
    pub fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// The next byte that is no blank, not taken.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.data.get(self.at) {
            self.at += 1;
        }
        self.data.get(self.at).copied()
    }

    /// Takes the next byte that is no blank, which must be this one.
    #[inline]
    pub fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek() != Some(byte) {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Whether only blanks are left.
    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Takes an object: `member` gets each key, and takes the value.
    #[inline]
    pub fn members(&mut self, mut member: impl FnMut(&mut Self, &[u8]) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        self.listed(b'}', |walk| {
            let key = walk.text()?;
            walk.take(b':')?;
            member(walk, &key)
        })
    }

    /// Takes an array: `item` takes each value.
    #[inline]
    pub fn items(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        self.rest_of_items(item)
    }

    /// Takes an array whose opening bracket is taken.
    #[inline]
    pub fn rest_of_items(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.listed(b']', item)
    }

    #[inline]
    fn listed(&mut self, close: u8, mut take: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            take(self)?;
            if self.take(close).is_some() {
                return Some(());
            }
            self.take(b',')?;
        }
    }

    /// Takes a number below 2^24 that is written as nothing but digits.
    #[inline]
    pub fn id(&mut self) -> Option<u32> {
        self.peek();
        let (id, rest) = number(&self.data[self.at..])?;
        if matches!(rest.first(), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.at = self.data.len() - rest.len();
        Some(id)
    }

    /// Takes a string. Its bytes are not checked to be UTF-8.
    #[inline]
    pub fn text(&mut self) -> Option<Cow<'a, [u8]>> {
        self.take(b'"')?;
        let start = self.at;
        loop {
            self.at += plain_bytes(&self.data[self.at..]);
            match *self.data.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(Cow::Borrowed(&self.data[start..self.at - 1]));
                }
                b'\\' => return self.escaped(self.data[start..self.at].to_vec()).map(Cow::Owned),
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// Takes the rest of a string from its first escape on.
    fn escaped(&mut self, mut text: Vec<u8>) -> Option<Vec<u8>> {
        loop {
            let byte = self.byte()?;
            match byte {
                b'"' => return Some(text),
                b'\\' => self.escape(&mut text)?,
                0..0x20 => return None,
                _ => text.push(byte),
            }
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Option<()> {
        text.push(match self.byte()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let character = self.character()?;
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Some(());
            }
            _ => return None,
        });
        Some(())
    }

    /// Takes the digits of an escaped character, which may be those of two surrogates.
    fn character(&mut self) -> Option<char> {
        let unit = self.unit()?;
        if let Some(character) = char::from_u32(unit) {
            return Some(character);
        }
        if (self.byte()?, self.byte()?) != (b'\\', b'u') {
            return None;
        }
        char::decode_utf16([unit as u16, self.unit()? as u16]).next()?.ok()
    }

    fn unit(&mut self) -> Option<u32> {
        (0..4).try_fold(0, |unit, _| Some(unit << 4 | char::from(self.byte()?).to_digit(16)?))
    }

    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.data.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Passes over any value, and says where it stands. Only strings and brackets are looked at: what is passed over
    /// may be no JSON.
    pub fn skip(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.text()?),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => self.scalar()?,
            }
            if depth == 0 {
                return Some(start..self.at);
            }
        }
    }

    /// Takes a word, such as null.
    pub fn word(&mut self, word: &[u8]) -> Option<()> {
        let range = self.skip()?;
        (&self.data[range] == word).then_some(())
    }

    /// Passes over a number or a word.
    fn scalar(&mut self) -> Option<()> {
        let rest = &self.data[self.at..];
        let length = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(byte)))?;
        self.at += length;
        (length > 0).then_some(())
    }

    /// Where the next byte stands that is not taken yet.
    pub fn place(&self) -> usize {
        self.at
    }
}

/// How many of the next eight bytes are plain characters of a string: no quote, backslash or control character. Near the
/// end of the text 0, whatever stands there.
#[inline]
fn plain_bytes(text: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let Some(word) = text.first_chunk() else { return 0 };
    let word = u64::from_le_bytes(*word);
    // The lowest bit that is set is that of the first byte that is meant; those above it may be wrong.
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    let found = (below(word, 0x20) | is(b'"') | is(b'\\')) & (EACH << 7);
    (found.trailing_zeros() / 8) as usize
}
