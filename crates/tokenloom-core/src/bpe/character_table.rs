//! Ids by character: pages of 256 neighbouring characters, of which a vocabulary uses few.

use crate::vocab::Vocabulary;

const PAGE: usize = 256;
const NO_ID: u32 = u32::MAX;

/// Ids by character.
#[derive(Debug)]
pub struct CharacterTable {
    /// Which page holds the characters from 256 times the place on; 0 is an empty one.
    places: Vec<u16>,
    ids: Vec<u32>,
}

impl CharacterTable {
    /// The tables of characters as they stand in the vocabulary alone, with a prefix, with a suffix and with both. Where
    /// an affix is empty, the tables with it are never asked and stay empty.
    pub fn of_affixes(vocabulary: &Vocabulary, prefix: &str, suffix: &str) -> [Self; 4] {
        let mut tables = [Self::empty(), Self::empty(), Self::empty(), Self::empty()];
        for id in 0..vocabulary.size() as u32 {
            let Some(token) = vocabulary.model_bytes_of(id).and_then(|token| str::from_utf8(token).ok()) else {
                continue;
            };
            for (at, table) in tables.iter_mut().enumerate() {
                let (prefix, suffix) = (if at & 1 > 0 { prefix } else { "" }, if at & 2 > 0 { suffix } else { "" });
                if (at & 1 > 0 && prefix.is_empty()) || (at & 2 > 0 && suffix.is_empty()) {
                    continue;
                }
                let bare = token.strip_prefix(prefix).and_then(|token| token.strip_suffix(suffix));
                let mut characters = bare.unwrap_or_default().chars();
                if let (Some(character), None) = (characters.next(), characters.next()) {
                    table.insert(character, id);
                }
            }
        }
        tables
    }

    fn empty() -> Self {
        Self { places: vec![0; 0x11_0000 / PAGE], ids: vec![NO_ID; PAGE] }
    }

    fn insert(&mut self, character: char, id: u32) {
        let code = character as usize;
        if self.places[code / PAGE] == 0 {
            self.places[code / PAGE] = (self.ids.len() / PAGE) as u16;
            self.ids.resize(self.ids.len() + PAGE, NO_ID);
        }
        self.ids[usize::from(self.places[code / PAGE]) * PAGE + code % PAGE] = id;
    }

    /// The id of a character.
    #[inline]
    pub fn get(&self, character: char) -> Option<u32> {
        let code = character as usize;
        let id = self.ids[usize::from(self.places[code / PAGE]) * PAGE + code % PAGE];
        (id != NO_ID).then_some(id)
    }
}
