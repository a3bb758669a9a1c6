//! Which pairs may be merged at all, however often they occur.

use std::str::from_utf8;

/// What is asked of a merge beside being the choice of the tie rule.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often its pair must occur at least.
    pub min_pair_count: u64,
    /// The most bytes that its token may have.
    pub max_token_bytes: usize,
    /// Its token must be whole characters or lie in one, see `keeps_characters_whole`.
    pub whole_characters: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { min_pair_count: 1, max_token_bytes: usize::MAX, whole_characters: false }
    }
}

impl Limits {
    /// Whether a token may have these bytes.
    pub fn allow(&self, token: &[u8]) -> bool {
        token.len() <= self.max_token_bytes && (!self.whole_characters || keeps_characters_whole(token))
    }

    /// Whether it may have any.
    pub fn allow_all(&self) -> bool {
        self.max_token_bytes == usize::MAX && !self.whole_characters
    }
}

/// Whether a token is nothing but whole characters, or lies in one character.
///
/// Bytes that no character has at this place count as characters of their own. At the start that cannot be told: bytes
/// that go on a character, which may have begun before the token, lie in one if there are up to three, and nothing else.
fn keeps_characters_whole(token: &[u8]) -> bool {
    let n_inner = token.iter().take_while(|byte| (0x80..0xC0).contains(*byte)).count();
    if n_inner > 0 {
        return n_inner == token.len() && n_inner < 4;
    }
    let n_begun = n_begun_bytes(token);
    n_begun == 0 || n_begun == token.len()
}

/// The bytes at the end of a token that begin a character.
fn n_begun_bytes(mut token: &[u8]) -> usize {
    while let Err(fault) = from_utf8(token) {
        token = &token[fault.valid_up_to()..];
        match fault.error_len() {
            Some(n_bytes) => token = &token[n_bytes..],
            None => return token.len(),
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::keeps_characters_whole;

    #[test]
    fn a_token_is_whole_characters_or_lies_in_one() {
        for token in ["a", "é", "aé", "中a", "\u{1F600}"] {
            assert!(keeps_characters_whole(token.as_bytes()), "{token:?}");
        }
        for token in [&b"\xE4"[..], b"\xE4\xB8", b"\xB8", b"\xB8\xAD", b"\x9F\x98\x80", b"\xF0\x9F\x98"] {
            assert!(keeps_characters_whole(token), "{token:x?}");
        }
        for token in [&b"a\xC3"[..], b"\xA9a", b"\xB8\xAD\xE4", b"\xE4\xB8\xAD\xE5", b"\x80\x80\x80\x80"] {
            assert!(!keeps_characters_whole(token), "{token:x?}");
        }
    }

    #[test]
    fn bytes_that_no_character_has_are_characters_of_their_own() {
        for token in [&b"\xFFa"[..], b"a\xFF", b"\xE4a", b"a\xA9", b"\xE0\x80", b"\xED\xA0\x80", b"\xC0\x80"] {
            assert!(keeps_characters_whole(token), "{token:x?}");
        }
        assert!(!keeps_characters_whole(b"\xFF\xC3"));
    }
}
