//! The rank file of tiktoken: on each line a token in base64, one space and its rank.

use super::{Tokens, base64, number};

/// The tokens of a whole rank file, their ranks as ids.
///
/// Gives up, beside all faults, on ranks that do not ascend, blank lines and lines that end in CRLF. In a file that is
/// known, say by its checksum, it is not looked whether a token is there twice or a single byte is missing.
pub fn read(data: &[u8], is_known: bool) -> Option<Tokens> {
    let mut tokens = Tokens::with_capacity(data.len() / 2);
    let mut rest = data;
    while !rest.is_empty() {
        let digits = base64::decode(rest, &mut tokens.arena)?.strip_prefix(b" ")?;
        let (rank, behind) = number(digits)?;
        tokens.end(rank)?;
        rest = behind.strip_prefix(b"\n")?;
    }
    if is_known { Some(tokens) } else { tokens.distinct_with_all_bytes() }
}
