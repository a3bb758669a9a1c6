//! What a word begins as when WordPiece is trained: its first character, and each other one with the prefix.

use std::collections::HashMap;

use crate::Tick;
use crate::bpe::start::Start;
use crate::error::Result;

/// Each character is a symbol, one at the start of a word and another one behind it.
#[derive(Clone, Debug)]
pub struct WordpieceStart {
    characters: Vec<char>,
    symbols: HashMap<char, u32>,
    prefix: String,
}

impl WordpieceStart {
    /// The characters are all different, and in the order of their ids.
    pub fn new(characters: Vec<char>, prefix: String) -> Self {
        let symbols = characters.iter().copied().zip(0..).collect();
        Self { characters, symbols, prefix }
    }
}

impl Start for WordpieceStart {
    /// All characters, and all of them with the prefix.
    fn tokens(&self) -> Vec<Vec<u8>> {
        let characters = || self.characters.iter().map(char::to_string);
        characters().chain(characters().map(|one| self.prefix.clone() + &one)).map(Into::into).collect()
    }

    /// A word with a character that is not among them is unknown as a whole, and is no part of the statistics. So is
    /// what lies between words.
    fn append(&self, pretoken: &[u8], symbols: &mut Vec<u32>, _tick: Tick<'_>) -> Result<()> {
        let first = symbols.len();
        let Ok(word) = std::str::from_utf8(pretoken) else { return Ok(()) };
        for character in word.chars() {
            let Some(symbol) = self.symbols.get(&character) else {
                symbols.truncate(first);
                return Ok(());
            };
            let behind = if symbols.len() > first { self.characters.len() as u32 } else { 0 };
            symbols.push(symbol + behind);
        }
        Ok(())
    }
}
