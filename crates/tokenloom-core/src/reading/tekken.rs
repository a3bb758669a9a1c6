//! The vocabulary of Mistral's `tekken.json`: an array of entries in the order of their ranks, with tokens in base64.

use super::json::Walk;
use super::{Tokens, base64};

/// The vocabulary of a file, and the document without it.
#[derive(Debug)]
pub struct Tekken {
    /// The document with an empty vocabulary.
    pub rest: Vec<u8>,
    /// All tokens, their ranks as ids.
    pub tokens: Tokens,
    /// So many of the first tokens hold all single bytes.
    pub n_with_all_bytes: usize,
}

/// Reads a whole file. What is written outside of the vocabulary is not looked at.
pub fn read(data: &[u8]) -> Option<Tekken> {
    let mut walk = Walk::new(data);
    let mut vocab = None;
    walk.members(|walk, key| match key {
        b"vocab" if vocab.is_none() => {
            walk.peek()?;
            let start = walk.place();
            let tokens = read_tokens(walk)?;
            vocab = Some((tokens, start, walk.place()));
            Some(())
        }
        b"vocab" => None,
        _ => walk.skip().map(drop),
    })?;
    let (tokens, start, end) = vocab.filter(|_| walk.is_at_end())?;
    let rest = [&data[..start], b"[]", &data[end..]].concat();
    let tokens = tokens.distinct_with_all_bytes()?;
    let last_byte = tokens.offsets.windows(2).rposition(|range| range[1] - range[0] == 1)?;
    Some(Tekken { rest, tokens, n_with_all_bytes: last_byte + 1 })
}

fn read_tokens(walk: &mut Walk<'_>) -> Option<Tokens> {
    let mut tokens = Tokens::with_capacity(0);
    walk.items(|walk| {
        let (mut rank, mut has_bytes, mut has_text) = (None, false, false);
        walk.members(|walk, key| match key {
            b"rank" if rank.is_none() => {
                rank = Some(walk.id()?);
                Some(())
            }
            b"token_bytes" if !has_bytes => {
                has_bytes = true;
                base64::decode(&walk.text()?, &mut tokens.arena)?.is_empty().then_some(())
            }
            b"token_str" if !has_text => {
                has_text = true;
                read_shown(walk)
            }
            _ => None,
        })?;
        let rank = rank.filter(|rank| has_bytes && *rank as usize == tokens.n_ids())?;
        tokens.end(rank)
    })?;
    Some(tokens)
}

/// Passes over the text of a token, or null.
fn read_shown(walk: &mut Walk<'_>) -> Option<()> {
    match walk.peek()? {
        b'"' => std::str::from_utf8(&walk.text()?).ok().map(drop),
        _ => walk.word(b"null"),
    }
}
