//! The tables of a vocabulary written down, and taken from where they were written.

use std::collections::HashSet;

use super::{EMPTY, Vocabulary, check_offsets};
use crate::error::Result;
use crate::hash::Seed;
use crate::packed::{self, Packed, Parts, checksum, le_bytes};
use crate::spec::AddedToken;

/// What the tables of a vocabulary are called where they are written down.
#[derive(Debug)]
pub(crate) struct Names {
    pub arena: &'static str,
    pub offsets: &'static str,
    pub seed: &'static str,
    pub slots: &'static str,
}

const TOKENS: Names = Names { arena: "arena", offsets: "offsets", seed: "token_seed", slots: "token_slots" };

impl Vocabulary {
    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, added_tokens: &[AddedToken]) -> Result<Self> {
        let mut vocabulary = Self::unpack_parts(packed, &TOKENS)?;
        vocabulary.added_only = packed.table("added_only")?;
        vocabulary.check_added(added_tokens)?;
        Ok(vocabulary)
    }

    /// Takes the tables that `pack_parts` has written down.
    pub(crate) fn unpack_parts(packed: &Packed, names: &Names) -> Result<Self> {
        let (arena, offsets) = (packed.table(names.arena)?, packed.table(names.offsets)?);
        check_offsets(names.offsets, &arena, &offsets)?;
        let (slots, seed) = (packed.table::<u32>(names.slots)?, packed.seed(names.seed)?);
        packed::check_slots(names.slots, &slots, |slot| *slot == EMPTY)?;
        Ok(Self { arena, offsets, slots, seed, added_only: Vec::new().into() })
    }

    /// Checks the ids that only added tokens have.
    fn check_added(&self, added_tokens: &[AddedToken]) -> Result<()> {
        let is_token = |token: &AddedToken| self.bytes_of(token.id) == Some(token.content.as_bytes());
        if !added_tokens.iter().all(is_token) {
            return Err(packed::fault("offsets", "has other tokens than the added ones"));
        }
        let ids: HashSet<u32> = added_tokens.iter().map(|token| token.id).collect();
        let ascends = self.added_only.windows(2).all(|pair| pair[0] < pair[1]);
        match ascends && self.added_only.iter().all(|id| ids.contains(id)) {
            true => Ok(()),
            false => Err(packed::fault("added_only", "has other ids than those of added tokens")),
        }
    }

    /// Writes the tables down, equal ones for equal tokens.
    pub fn pack(&self, parts: &mut Parts) -> Result<()> {
        self.pack_parts(&TOKENS, parts)?;
        parts.push(("added_only", le_bytes(&self.added_only, u32::to_le_bytes)));
        Ok(())
    }

    /// Writes the tables down under some names.
    pub(crate) fn pack_parts(&self, names: &Names, parts: &mut Parts) -> Result<()> {
        let seed = Seed::of_checksum(checksum(&self.arena));
        let slots = self.tokens().slots(seed, &self.added_only)?;
        parts.push((names.arena, self.arena.to_vec()));
        parts.push((names.offsets, le_bytes(&self.offsets, u32::to_le_bytes)));
        parts.push((names.seed, le_bytes(&seed.parts(), u64::to_le_bytes)));
        parts.push((names.slots, le_bytes(&slots, u32::to_le_bytes)));
        Ok(())
    }
}
