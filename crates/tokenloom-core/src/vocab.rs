//! The tokens of a tokenizer: id to bytes by an arena with offsets, bytes to id by a hash table over it.

mod packing;

use std::ops::Range;

pub(crate) use packing::Names;

use crate::error::{Error, Result};
use crate::hash::Seed;
use crate::memory::prefetch;
use crate::packed::Table;
use crate::spec::AddedToken;

/// Ids are below this, so that a packed id leaves eight bits free.
pub const ID_LIMIT: usize = 1 << 24;

/// Marks an empty slot of the table.
const EMPTY: u32 = u32::MAX;

/// The bits of a slot that hold the id.
const ID_BITS: u32 = ID_LIMIT as u32 - 1;

/// The bits of a slot that hold a part of the token's hash: most other tokens are told apart without reading their bytes.
const TAG_BITS: u32 = 0x3F << 24;

/// The bit of a slot that says that only an added token has this id.
const ADDED_ONLY: u32 = 1 << 30;

/// So many tokens are looked up together.
pub(crate) const GROUP: usize = 32;

/// Slots are asked for so many tokens before they are entered.
const AHEAD: usize = 16;

/// Token bytes by id and ids by token bytes. An id may have no token.
#[derive(Debug)]
pub struct Vocabulary {
    arena: Table<u8>,
    /// Where each token begins; one more entry than ids. An id without a token has an empty range.
    offsets: Table<u32>,
    /// Ids by hash of their bytes, at most half full.
    slots: Table<u32>,
    seed: Seed,
    /// Ids, ascending, that only added tokens have: the model never makes them.
    added_only: Table<u32>,
}

impl Vocabulary {
    /// Builds the vocabulary from the model's tokens and the added tokens.
    pub fn new(token_bytes: &[u8], token_offsets: &[u32], added_tokens: &[AddedToken]) -> Result<Self> {
        check_offsets("token_offsets", token_bytes, token_offsets)?;
        let (arena, offsets, added_only) = join(token_bytes, token_offsets, added_tokens)?;
        Self::entered(arena, offsets, added_only)
    }

    /// The vocabulary of a model without added tokens, from an arena and offsets that fit together.
    pub(crate) fn of_parts(arena: Vec<u8>, offsets: Vec<u32>) -> Result<Self> {
        Self::entered(arena, offsets, Vec::new())
    }

    fn entered(arena: Vec<u8>, offsets: Vec<u32>, added_only: Vec<u32>) -> Result<Self> {
        let seed = Seed::random();
        let slots = Tokens { arena: &arena, offsets: &offsets }.slots(seed, &added_only)?.into();
        Ok(Self { arena: arena.into(), offsets: offsets.into(), slots, seed, added_only: added_only.into() })
    }

    /// Arena and offsets without the tokens that only added tokens have: those that `new` takes.
    pub fn model_arrays(&self) -> (Vec<u8>, Vec<u32>) {
        let mut arena = Vec::with_capacity(self.arena.len());
        let mut offsets = Vec::with_capacity(self.offsets.len());
        let mut next = 0;
        for id in self.added_only.iter().copied().chain([self.size() as u32]) {
            append(&mut arena, &mut offsets, &self.arena, &self.offsets, next as usize..id as usize);
            offsets.push(arena.len() as u32);
            next = id + 1;
        }
        (arena, offsets)
    }

    /// The arena and the offsets.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<u32>) {
        (self.arena.into(), self.offsets.into())
    }

    fn tokens(&self) -> Tokens<'_> {
        Tokens { arena: &self.arena, offsets: &self.offsets }
    }

    /// One more than the highest id.
    pub fn size(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of ids that have a token.
    pub fn n_tokens(&self) -> usize {
        self.tokens().count()
    }

    /// The bytes of a token; None for an id without one.
    #[inline]
    pub fn bytes_of(&self, id: u32) -> Option<&[u8]> {
        self.tokens().bytes_of(id)
    }

    /// The bytes of a token that the model may make.
    pub fn model_bytes_of(&self, id: u32) -> Option<&[u8]> {
        self.bytes_of(id).filter(|_| self.added_only.binary_search(&id).is_err())
    }

    /// Ids and bytes of the tokens that the model may make, in the order of ids.
    #[inline]
    pub fn model_tokens(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut added_only = self.added_only.iter().copied();
        let mut next_added = added_only.next();
        (0..).zip(self.offsets.windows(2)).filter_map(move |(id, range)| {
            if Some(id) == next_added {
                next_added = added_only.next();
                return None;
            }
            (range[0] < range[1]).then(|| (id, &self.arena[range[0] as usize..range[1] as usize]))
        })
    }

    /// The bytes of all tokens, joined in the order of ids.
    pub fn arena(&self) -> &[u8] {
        &self.arena
    }

    /// Where the bytes of a token stand in the arena; empty for an id without a token. The id must be below `size`.
    #[inline]
    pub fn span(&self, id: u32) -> Range<usize> {
        self.offsets[id as usize] as usize..self.offsets[id as usize + 1] as usize
    }

    /// The id of a token, added tokens included.
    #[inline]
    pub fn id_of(&self, bytes: &[u8]) -> Option<u32> {
        let slot = self.slots[self.place(bytes)];
        (slot != EMPTY).then_some(slot & ID_BITS)
    }

    /// The id of a token that the model may make.
    #[inline]
    pub fn model_id_of(&self, bytes: &[u8]) -> Option<u32> {
        let slot = self.slots[self.place(bytes)];
        (slot < ADDED_ONLY).then_some(slot & ID_BITS)
    }

    /// As `model_id_of`, for at most `GROUP` byte strings; the waits for memory overlap.
    pub(crate) fn model_ids_of(&self, tokens: &[&[u8]], ids: &mut [Option<u32>]) {
        let mut hashes = [0; GROUP];
        self.ask_for(tokens, &mut hashes);
        for ((hash, token), id) in hashes.iter().zip(tokens).zip(ids) {
            let slot = self.slots[self.place_of(*hash, token)];
            *id = (slot < ADDED_ONLY).then_some(slot & ID_BITS);
        }
    }

    /// Hashes at most `GROUP` tokens, and asks for their slots and for the bytes that these point to.
    fn ask_for(&self, tokens: &[impl AsRef<[u8]>], hashes: &mut [u64; GROUP]) {
        for (hash, token) in hashes.iter_mut().zip(tokens) {
            *hash = self.seed.of_bytes(token.as_ref());
            prefetch(&self.slots[*hash as usize & (self.slots.len() - 1)]);
        }
        for hash in &hashes[..tokens.len()] {
            let slot = self.slots[*hash as usize & (self.slots.len() - 1)];
            if let Some(token) = self.bytes_of(slot & ID_BITS) {
                prefetch(&token[0]);
            }
        }
    }

    /// Appends the ids of many tokens; None, perhaps after some, if there is one without an id. The waits for memory of
    /// tokens that are looked up together overlap.
    pub(crate) fn append_ids(&self, tokens: &[impl AsRef<[u8]>], ids: &mut Vec<u32>) -> Option<()> {
        let mut hashes = [0; GROUP];
        for tokens in tokens.chunks(GROUP) {
            self.ask_for(tokens, &mut hashes);
            for (hash, token) in hashes.iter().zip(tokens) {
                let slot = self.slots[self.place_of(*hash, token.as_ref())];
                ids.push((slot != EMPTY).then_some(slot & ID_BITS)?);
            }
        }
        Some(())
    }

    /// The place of the slot that holds a token, or of the empty one where it belongs.
    #[inline]
    fn place(&self, bytes: &[u8]) -> usize {
        self.place_of(self.seed.of_bytes(bytes), bytes)
    }

    #[inline]
    fn place_of(&self, hash: u64, bytes: &[u8]) -> usize {
        self.tokens().place_of(&self.slots, hash, bytes)
    }
}

/// Token bytes by id.
#[derive(Clone, Copy)]
struct Tokens<'a> {
    arena: &'a [u8],
    offsets: &'a [u32],
}

impl<'a> Tokens<'a> {
    fn count(self) -> usize {
        self.offsets.windows(2).filter(|range| range[0] < range[1]).count()
    }

    #[inline]
    fn bytes_of(self, id: u32) -> Option<&'a [u8]> {
        let start = *self.offsets.get(id as usize)?;
        let end = *self.offsets.get(id as usize + 1)?;
        (start < end).then(|| &self.arena[start as usize..end as usize])
    }

    /// The place of the slot that holds a token, or of the empty one where it belongs.
    #[inline]
    fn place_of(self, slots: &[u32], hash: u64, bytes: &[u8]) -> usize {
        let mask = slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = slots[at];
            if slot == EMPTY || (slot & TAG_BITS == tag(hash) && self.bytes_of(slot & ID_BITS) == Some(bytes)) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// A table of all tokens, of which some ids only added tokens have. Slots are asked for before they are needed.
    fn slots(self, seed: Seed, added_only: &[u32]) -> Result<Vec<u32>> {
        let mut slots = vec![EMPTY; (self.count() * 2).next_power_of_two().max(16)];
        let (n_ids, mut hashes) = (self.offsets.len() - 1, [0; AHEAD]);
        for step in 0..n_ids + AHEAD {
            // Hashes stay in a ring until their slots are there.
            let known = hashes[step % AHEAD];
            if step < n_ids {
                let hash = seed.of_bytes(&self.arena[self.offsets[step] as usize..self.offsets[step + 1] as usize]);
                hashes[step % AHEAD] = hash;
                prefetch(&slots[hash as usize & (slots.len() - 1)]);
            }
            if let Some(id) = step.checked_sub(AHEAD) {
                self.enter(&mut slots, id as u32, known)?;
            }
        }
        for id in added_only {
            self.mark_added(&mut slots, seed, *id);
        }
        Ok(slots)
    }

    #[inline]
    fn enter(self, slots: &mut [u32], id: u32, hash: u64) -> Result<()> {
        let Some(bytes) = self.bytes_of(id) else {
            return Ok(());
        };
        let at = self.place_of(slots, hash, bytes);
        if slots[at] != EMPTY {
            let first = slots[at] & ID_BITS;
            return Err(Error::DuplicateToken { token: bytes.to_vec(), first, second: id });
        }
        slots[at] = tag(hash) | id;
        Ok(())
    }

    fn mark_added(self, slots: &mut [u32], seed: Seed, id: u32) {
        if let Some(bytes) = self.bytes_of(id) {
            let at = self.place_of(slots, seed.of_bytes(bytes), bytes);
            slots[at] |= ADDED_ONLY;
        }
    }
}

/// The bits of a hash that a slot keeps; others than those that say where the slot is.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32 & TAG_BITS
}

fn check_offsets(array: &'static str, token_bytes: &[u8], token_offsets: &[u32]) -> Result<()> {
    let problem = |problem| Err(Error::SpecArrays { array, problem });
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
    check_added(&added)?;
    let added_bytes: usize = added.iter().map(|token| token.content.len()).sum();
    if u32::try_from(token_bytes.len() + added_bytes).is_err() {
        return Err(Error::SpecArrays { array: "token_bytes", problem: "are longer than 4 GiB" });
    }
    let n_model = token_offsets.len() - 1;
    let mut arena = Vec::with_capacity(token_bytes.len() + added_bytes);
    let mut offsets = Vec::with_capacity(token_offsets.len() + added.len());
    let (mut added_only, mut next_id) = (Vec::new(), 0);
    for token in added {
        let id = token.id as usize;
        append(&mut arena, &mut offsets, token_bytes, token_offsets, next_id..id.min(n_model));
        offsets.resize(id, arena.len() as u32);
        next_id = id;
        let is_hole = id >= n_model || token_offsets[id] == token_offsets[id + 1];
        if is_hole {
            offsets.push(arena.len() as u32);
            arena.extend_from_slice(token.content.as_bytes());
            added_only.push(token.id);
            next_id = id + 1;
        } else if token.content.as_bytes() != &token_bytes[token_offsets[id] as usize..token_offsets[id + 1] as usize] {
            return Err(added_fault(token, "has the id of another token. Give it an id of its own"));
        }
    }
    append(&mut arena, &mut offsets, token_bytes, token_offsets, next_id..n_model);
    offsets.push(arena.len() as u32);
    Ok((arena, offsets, added_only))
}

/// Appends the model's tokens of some ids, and where each begins.
fn append(arena: &mut Vec<u8>, offsets: &mut Vec<u32>, token_bytes: &[u8], token_offsets: &[u32], ids: Range<usize>) {
    if ids.is_empty() {
        return;
    }
    let (start, end) = (token_offsets[ids.start], token_offsets[ids.end]);
    let shift = arena.len() as u32 - start;
    offsets.extend(token_offsets[ids].iter().map(|offset| offset + shift));
    arena.extend_from_slice(&token_bytes[start as usize..end as usize]);
}

/// Checks added tokens that are sorted by id.
fn check_added(added: &[&AddedToken]) -> Result<()> {
    if added.last().is_some_and(|token| token.id as usize >= ID_LIMIT) {
        return Err(Error::SpecArrays { array: "added_tokens", problem: "have an id of 2^24 or more" });
    }
    if let Some(token) = added.iter().find(|token| token.content.is_empty()) {
        return Err(added_fault(token, "is empty. Give it a text"));
    }
    match added.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => Err(added_fault(pair[0], "shares its id with another added token. Give each its own")),
        None => Ok(()),
    }
}

fn added_fault(token: &AddedToken, problem: &'static str) -> Error {
    Error::SpecialToken { content: token.content.clone(), problem }
}
