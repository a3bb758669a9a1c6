//! The rank file of tiktoken: on each line a token in base64, one space and its rank.

use super::{Tokens, base64, number};

/// The tokens of a whole rank file, their ranks as ids.
///
/// Gives up, beside all faults, on ranks that do not ascend, blank lines and lines that end in CRLF.
pub fn read(data: &[u8]) -> Option<Tokens> {
    let mut tokens = Tokens::with_capacity(data.len() / 2);
    let mut rest = data;
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        base64::decode(&rest[..space], &mut tokens.arena)?;
        let (rank, behind) = number(&rest[space + 1..])?;
        tokens.end(rank)?;
        rest = behind.strip_prefix(b"\n")?;
    }
    tokens.distinct_with_all_bytes()
}
