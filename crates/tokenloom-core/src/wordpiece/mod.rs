//! WordPiece: at each place of a word the longest token that fits, and one token for a word that cannot be cut.
//!
//! Whoever looks for the longest token anew at each place reads some bytes many times. Here each byte is read once, by a
//! trie with failure links that say what to give out when the text leaves it (see [`trie`]).
//!
//! Most words are tokens as a whole, for which the vocabulary is asked. The trie is built when a word is not: that takes
//! longer than all else of loading, and a short text may do without.
//!
//! A byte outside valid UTF-8 counts as a character that is in no token, so a word with one is unknown. Tokens are text,
//! and no part of a token's characters matches such a byte, so nothing has to look for them.

mod trie;

pub mod start;

use std::ops::Range;
use std::sync::OnceLock;

use self::trie::{ROOT, Trie};
use crate::Tick;
use crate::encoder::Encode;
use crate::error::{Error, Result};
use crate::packed::{Packed, Parts};
use crate::spec::WordpieceModel;
use crate::vocab::Vocabulary;

/// Bytes of a piece that are looked at between two ticks.
const TICK_BYTES: usize = 1 << 20;

/// A WordPiece encoder.
#[derive(Debug)]
pub struct Wordpiece {
    trie: OnceLock<Trie>,
    unk_id: u32,
    /// All tokens of a word but the first have it.
    prefix: Vec<u8>,
    most_characters: usize,
}

impl Wordpiece {
    /// Builds the encoder.
    pub fn new(vocabulary: &Vocabulary, model: &WordpieceModel) -> Result<Self> {
        let missing = || Error::MissingUnknown { token: model.unk_token.clone() };
        Ok(Self {
            trie: OnceLock::new(),
            unk_id: vocabulary.id_of(model.unk_token.as_bytes()).ok_or_else(missing)?,
            prefix: model.continuing_subword_prefix.as_bytes().to_vec(),
            most_characters: usize::try_from(model.max_input_chars_per_word).unwrap_or(usize::MAX),
        })
    }

    /// Takes the tables that `pack` has written down.
    pub fn unpack(packed: &Packed, vocabulary: &Vocabulary, model: &WordpieceModel) -> Result<Self> {
        let wordpiece = Self::new(vocabulary, model)?;
        let trie = Trie::unpack(packed, vocabulary.size(), !wordpiece.prefix.is_empty())?;
        Ok(Self { trie: trie.into(), ..wordpiece })
    }

    /// Writes down the tables that take long to make.
    pub fn pack(&self, vocabulary: &Vocabulary, parts: &mut Parts) -> Result<()> {
        self.trie(vocabulary, &mut |_| Ok(()))?.pack(parts);
        Ok(())
    }

    /// The trie. Threads that ask for it at the same time may build it twice.
    fn trie(&self, vocabulary: &Vocabulary, tick: Tick<'_>) -> Result<&Trie> {
        if let Some(trie) = self.trie.get() {
            return Ok(trie);
        }
        let built = Trie::new(vocabulary, &self.prefix, tick)?;
        Ok(self.trie.get_or_init(|| built))
    }

    /// The ids of a piece, each with the stretch of the piece that it stands for.
    pub fn spans(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        mut take: impl FnMut(u32, Range<usize>),
        tick: Tick<'_>,
    ) -> Result<()> {
        let mut ids = Vec::new();
        if !self.cut(vocabulary, piece, &mut ids, tick)? {
            take(self.unk_id, 0..piece.len());
            return Ok(());
        }
        let mut start = 0;
        for (place, id) in ids.into_iter().enumerate() {
            let prefix_bytes = if place == 0 { 0 } else { self.prefix.len() };
            let end = start + vocabulary.bytes_of(id).map_or(0, <[u8]>::len).saturating_sub(prefix_bytes);
            take(id, start..end.min(piece.len()));
            start = end.min(piece.len());
        }
        Ok(())
    }

    /// Appends the ids of a piece; false, perhaps after some, if it is unknown.
    fn cut(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<bool> {
        if piece.len() > self.most_characters && has_more_characters(piece, self.most_characters) {
            return Ok(false);
        }
        let trie = self.trie(vocabulary, tick)?;
        // Each token stands for a byte at least: what is more would come of damaged tables.
        let most_ids = ids.len() + piece.len();
        let mut node = trie.start();
        for bytes in piece.chunks(TICK_BYTES) {
            for &byte in bytes {
                node = loop {
                    if let Some(child) = trie.child(node, byte) {
                        break child;
                    }
                    match trie.leave(node, most_ids, ids) {
                        Some(next) => node = next,
                        None => return Ok(false),
                    }
                };
            }
            if bytes.len() == TICK_BYTES {
                tick(0)?;
            }
        }
        while node != ROOT {
            match trie.leave(node, most_ids, ids) {
                Some(next) => node = next,
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Encode for Wordpiece {
    fn whole_piece(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        if piece.len() <= self.most_characters { vocabulary.model_id_of(piece) } else { None }
    }

    fn merge_piece(&self, vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let n_before = ids.len();
        if !self.cut(vocabulary, piece, ids, tick)? {
            ids.truncate(n_before);
            ids.push(self.unk_id);
        }
        Ok(())
    }
}

/// Whether a text has more characters than these; a byte outside valid UTF-8 is one.
fn has_more_characters(text: &[u8], most: usize) -> bool {
    let characters = text.utf8_chunks().flat_map(|chunk| {
        let starts = chunk.valid().chars().map(drop);
        starts.chain(chunk.invalid().iter().map(|_| ()))
    });
    characters.take(most.saturating_add(1)).count() > most
}
