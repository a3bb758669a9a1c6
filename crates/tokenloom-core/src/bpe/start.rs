//! What a pretoken begins as, before training merges anything: its bytes, the tokens of an earlier tokenizer, or, in
//! `start_characters`, its characters.
//!
//! Symbols of training are start tokens, numbered without gaps in the order of their ids, and what merges make of them,
//! numbered on. A token that shall join no merge is a `WALL`: it counts as a token, and training goes on behind it as if
//! another pretoken began.

use super::encode::Bpe;
use super::taken::Taken;
use crate::Tick;
use crate::encoder::{Encode, Encoder};
use crate::error::Result;
use crate::pipeline::Pipeline;
use crate::vocab::Vocabulary;

/// A token that joins no merge.
pub const WALL: u32 = u32::MAX;

/// Tokens that are looked at between two ticks.
const TICK_TOKENS: usize = 1 << 12;

/// How pretokens begin.
pub trait Start: Send + Sync {
    /// The bytes of each start token, which are all different, in the order of symbols.
    fn tokens(&self) -> Vec<Vec<u8>>;

    /// Appends the symbols of a pretoken: at most as many as it has bytes, and `n_marks` more.
    fn append(&self, pretoken: &[u8], symbols: &mut Vec<u32>, tick: Tick<'_>) -> Result<()>;

    /// Symbols of a pretoken that stand for none of its bytes.
    fn n_marks(&self) -> usize {
        0
    }

    /// Whether `WALL` may be among them.
    fn has_walls(&self) -> bool {
        false
    }

    /// What no merge may make; None where merges make nothing twice anyway.
    fn taken(&self, tick: Tick<'_>) -> Result<Option<Taken>> {
        tick(0).map(|()| None)
    }
}

/// Each byte is a symbol.
#[derive(Clone, Debug)]
pub struct ByteStart {
    order: [u8; 256],
    symbols: [u32; 256],
}

impl ByteStart {
    /// `order` are the 256 bytes in the order of their ids.
    pub fn new(order: [u8; 256]) -> Self {
        let mut symbols = [0; 256];
        for (symbol, byte) in (0..).zip(order) {
            symbols[usize::from(byte)] = symbol;
        }
        Self { order, symbols }
    }
}

impl Start for ByteStart {
    fn tokens(&self) -> Vec<Vec<u8>> {
        self.order.iter().map(|byte| vec![*byte]).collect()
    }

    fn append(&self, pretoken: &[u8], symbols: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        symbols.extend(pretoken.iter().map(|byte| self.symbols[usize::from(*byte)]));
        Ok(())
    }
}

/// Pretokens as an earlier tokenizer encodes them.
///
/// **Lemma.** If every old merge comes before every new one, and no new merge makes bytes that a token has, then encoding
/// is the old encoding and after it the new merges in their order, so what training sees is what the tokenizer does, and
/// each new token is reached: old merges are done first, and none can follow a new one, since no old merge has a part that
/// is new. Where the rank of the joined bytes decides, an old token may have a new one as a part; but then it was not
/// reached by merging before, or its bytes would be one token here. Of such tokens no beginning and no end may be made.
#[derive(Debug)]
pub struct EncodedStart<'a> {
    vocabulary: &'a Vocabulary,
    model: &'a Bpe,
    /// The symbol of each id that the model makes.
    symbols: Vec<u32>,
}

impl<'a> EncodedStart<'a> {
    /// None if the tokenizer does not merge bytes.
    pub fn new(pipeline: &'a Pipeline) -> Option<Self> {
        let (vocabulary, Encoder::Bytes(model)) = (pipeline.vocabulary(), pipeline.model()) else {
            return None;
        };
        let mut symbols = vec![WALL; vocabulary.size()];
        for (symbol, (id, _)) in (0..).zip(vocabulary.model_tokens()) {
            symbols[id as usize] = symbol;
        }
        Some(Self { vocabulary, model, symbols })
    }
}

impl Start for EncodedStart<'_> {
    fn tokens(&self) -> Vec<Vec<u8>> {
        self.vocabulary.model_tokens().map(|(_, token)| token.to_vec()).collect()
    }

    fn append(&self, pretoken: &[u8], symbols: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        let first = symbols.len();
        match self.model.whole_piece(self.vocabulary, pretoken) {
            Some(id) => symbols.push(id),
            None => self.model.merge_piece(self.vocabulary, pretoken, symbols, tick)?,
        }
        symbols[first..].iter_mut().for_each(|id| *id = self.symbols[*id as usize]);
        Ok(())
    }

    fn taken(&self, tick: Tick<'_>) -> Result<Option<Taken>> {
        let all = (0..self.vocabulary.size() as u32).filter_map(|id| self.vocabulary.bytes_of(id));
        let mut taken = Taken::new(all.map(<[u8]>::to_vec));
        if !self.model.takes_whole() {
            return Ok(Some(taken));
        }
        let mut ids = Vec::new();
        for (done, (id, token)) in self.vocabulary.model_tokens().enumerate() {
            if done.is_multiple_of(TICK_TOKENS) {
                tick(0)?;
            }
            ids.clear();
            self.model.merge_piece(self.vocabulary, token, &mut ids, tick)?;
            if ids != [id] {
                taken.extend((1..token.len()).flat_map(|at| [token[..at].to_vec(), token[at..].to_vec()]));
            }
        }
        Ok(Some(taken))
    }
}
