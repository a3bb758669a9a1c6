//! The tokens of a tokenizer: id to bytes by an arena with offsets, bytes to id by a hash table over it.

use crate::error::{Error, Result};
use crate::hash::Seed;
use crate::spec::AddedToken;

/// Ids are below this, so that a packed id leaves eight bits free.
pub const ID_LIMIT: usize = 1 << 24;

/// Marks an empty slot of the table.
const EMPTY: u32 = u32::MAX;

/// Token bytes by id and ids by token bytes. An id may have no token.
#[derive(Debug)]
pub struct Vocabulary {
    arena: Vec<u8>,
    /// Where each token begins; one more entry than ids. An id without a token has an empty range.
    offsets: Vec<u32>,
    /// Ids by hash of their bytes, at most half full.
    slots: Vec<u32>,
    seed: Seed,
    /// Ids, ascending, that only added tokens have: the model never makes them.
    added_only: Vec<u32>,
}

impl Vocabulary {
    /// Builds the vocabulary from the model's tokens and the added tokens.
    pub fn new(token_bytes: &[u8], token_offsets: &[u32], added_tokens: &[AddedToken]) -> Result<Self> {
        check_offsets(token_bytes, token_offsets)?;
        let (arena, offsets, added_only) = join(token_bytes, token_offsets, added_tokens)?;
        let mut vocabulary = Self { arena, offsets, slots: Vec::new(), seed: Seed::random(), added_only };
        vocabulary.slots = vec![EMPTY; (vocabulary.n_tokens() * 2).next_power_of_two().max(16)];
        for id in 0..vocabulary.size() as u32 {
            vocabulary.enter(id)?;
        }
        Ok(vocabulary)
    }

    /// One more than the highest id.
    pub fn size(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of ids that have a token.
    pub fn n_tokens(&self) -> usize {
        self.offsets.windows(2).filter(|range| range[0] < range[1]).count()
    }

    /// The bytes of a token; None for an id without one.
    #[inline]
    pub fn bytes_of(&self, id: u32) -> Option<&[u8]> {
        let start = *self.offsets.get(id as usize)?;
        let end = *self.offsets.get(id as usize + 1)?;
        (start < end).then(|| &self.arena[start as usize..end as usize])
    }

    /// The bytes of a token that the model may make.
    pub fn model_bytes_of(&self, id: u32) -> Option<&[u8]> {
        self.bytes_of(id).filter(|_| self.is_model(id))
    }

    /// The id of a token, added tokens included.
    #[inline]
    pub fn id_of(&self, bytes: &[u8]) -> Option<u32> {
        let id = self.slots[self.slot(bytes)];
        (id != EMPTY).then_some(id)
    }

    /// The id of a token that the model may make.
    #[inline]
    pub fn model_id_of(&self, bytes: &[u8]) -> Option<u32> {
        self.id_of(bytes).filter(|id| self.is_model(*id))
    }

    #[inline]
    fn is_model(&self, id: u32) -> bool {
        self.added_only.binary_search(&id).is_err()
    }

    /// The slot that holds a token, or the empty one where it belongs.
    #[inline]
    fn slot(&self, bytes: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.seed.of_bytes(bytes) as usize & mask;
        while self.slots[at] != EMPTY && self.bytes_of(self.slots[at]) != Some(bytes) {
            at = (at + 1) & mask;
        }
        at
    }

    fn enter(&mut self, id: u32) -> Result<()> {
        let Some(bytes) = self.bytes_of(id) else {
            return Ok(());
        };
        let at = self.slot(bytes);
        if self.slots[at] != EMPTY {
            return Err(Error::DuplicateToken { token: bytes.to_vec(), first: self.slots[at], second: id });
        }
        self.slots[at] = id;
        Ok(())
    }
}

fn check_offsets(token_bytes: &[u8], token_offsets: &[u32]) -> Result<()> {
    let problem = |problem| Err(Error::SpecArrays { array: "token_offsets", problem });
    match (token_offsets.first(), token_offsets.last()) {
        (Some(0), Some(&last)) if last as usize == token_bytes.len() => {}
        _ => return problem("do not run from 0 to the length of token_bytes"),
    }
    if token_offsets.len() > ID_LIMIT + 1 {
        return problem("give more than 2^24 ids");
    }
    if token_offsets.windows(2).any(|range| range[0] > range[1]) {
        return problem("fall somewhere");
    }
    Ok(())
}

/// The arena and the offsets of model tokens and added tokens together, and the ids that only added tokens have.
fn join(
    token_bytes: &[u8],
    token_offsets: &[u32],
    added_tokens: &[AddedToken],
) -> Result<(Vec<u8>, Vec<u32>, Vec<u32>)> {
    let mut added: Vec<&AddedToken> = added_tokens.iter().collect();
    added.sort_by_key(|token| token.id);
    let highest = added.last().map_or(0, |token| token.id as usize + 1);
    let n_model = token_offsets.len() - 1;
    let fault = |token: &AddedToken, problem| Err(Error::SpecialToken { content: token.content.clone(), problem });
    let (mut arena, mut offsets, mut added_only) = (Vec::new(), vec![0], Vec::new());
    let mut added = added.into_iter().peekable();
    if highest > ID_LIMIT {
        return Err(Error::SpecArrays { array: "added_tokens", problem: "have an id of 2^24 or more" });
    }
    for id in 0..n_model.max(highest) {
        let model: &[u8] = match id < n_model {
            true => &token_bytes[token_offsets[id] as usize..token_offsets[id + 1] as usize],
            false => &[],
        };
        arena.extend_from_slice(model);
        if let Some(token) = added.next_if(|token| token.id as usize == id) {
            match () {
                () if token.content.is_empty() => return fault(token, "is empty"),
                () if model.is_empty() => {
                    arena.extend_from_slice(token.content.as_bytes());
                    added_only.push(token.id);
                }
                () if model != token.content.as_bytes() => {
                    return fault(token, "has the id of another token");
                }
                () => {}
            }
            if added.peek().is_some_and(|next| next.id as usize == id) {
                return fault(token, "shares its id with another added token");
            }
        }
        let end = u32::try_from(arena.len());
        offsets.push(end.map_err(|_| Error::SpecArrays { array: "token_bytes", problem: "are longer than 4 GiB" })?);
    }
    Ok((arena, offsets, added_only))
}
