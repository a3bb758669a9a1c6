//! Ready-made tables of a tokenizer, in sections of a file that is mapped and not read.
//!
//! The parts of a tokenizer that grow with its vocabulary are written as they lie in memory. Building them takes tens of
//! milliseconds; mapping them takes a few, most of which the checksums take, and processes share the memory. What stays
//! small, such as special tokens, scanner and decoder, is made of the description every time.
//!
//! A file may be damaged, or made by somebody who means harm. So each section has a checksum, which finds damage, and
//! nothing that is read is trusted beyond that: sizes, places and ids are checked when a table is taken, once, and what
//! cannot be checked so cheaply can only make wrong ids of wrong tables, as any other vocabulary would. A search in a table
//! ends because a table with no empty slot, or with a long way between two, is refused.
//!
//! Seeds of hash tables are in the file, so they are no secret. That is all right for these tables: they never change, so
//! nothing that a text holds gets into them, and the way from any place to the next empty slot, which no search exceeds, is
//! bounded when the file is read. They are made of the content, so that equal tokenizers give equal files. What does grow
//! with text, the word cache, has a seed of its own in each process.

pub mod envelope;
mod sha256;
mod sum;
mod table;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

pub use self::sum::checksum;
pub use self::table::{Plain, Shared, Table};
use crate::error::{Error, Result};
use crate::hash::Seed;

/// The number of this form of tables. It goes up with every change of what they hold or of how they are searched, hashing
/// included; tables of another form are made anew.
pub const LAYOUT: u32 = 2;

/// So many slots have an empty one among them, so a search looks at less than twice as many. Tables that are not full
/// have ways a tenth as long, however large they are.
const BLOCK: usize = 1 << 12;

/// A section of a file: its name, start, length and checksum.
pub type Section = (String, usize, usize, u64);

/// Sections to be written, by name.
pub type Parts = Vec<(&'static str, Vec<u8>)>;

/// The sections of a packed tokenizer.
pub struct Packed {
    memory: Shared,
    sections: BTreeMap<String, Range<usize>>,
}

impl Packed {
    /// The sections of some memory; all checksums are compared.
    pub fn new(memory: Shared, sections: Vec<Section>) -> Result<Self> {
        let bytes = (*memory).as_ref();
        let mut places = BTreeMap::new();
        for (section, start, length, sum) in sections {
            let range = start.checked_add(length).map(|end| start..end);
            let Some(range) = range.filter(|range| bytes.get(range.clone()).is_some()) else {
                return Err(fault(&section, "does not lie in the file"));
            };
            if checksum(&bytes[range.clone()]) != sum {
                return Err(fault(&section, "has another checksum: it was changed"));
            }
            places.insert(section, range);
        }
        Ok(Self { memory, sections: places })
    }

    /// The table in a section.
    pub fn table<T: Plain>(&self, section: &'static str) -> Result<Table<T>> {
        let range = self.sections.get(section).ok_or_else(|| fault(section, "is missing"))?;
        let table = Table::shared(&self.memory, range.start, range.len());
        table.ok_or_else(|| fault(section, "does not fit the numbers that it should hold"))
    }

    /// The seed in a section.
    pub(crate) fn seed(&self, section: &'static str) -> Result<Seed> {
        match *self.table::<u64>(section)? {
            [first, second] => Ok(Seed::of_parts([first, second])),
            _ => Err(fault(section, "is no seed")),
        }
    }
}

/// Checks the size of a hash table, and that every `BLOCK` slots of it have an empty one.
pub(crate) fn check_slots<T>(section: &'static str, slots: &[T], is_empty: impl Fn(&T) -> bool) -> Result<()> {
    if !slots.len().is_power_of_two() {
        return Err(fault(section, "has a number of slots that is no power of two"));
    }
    match slots.chunks(BLOCK).all(|slots| slots.iter().any(&is_empty)) {
        true => Ok(()),
        false => Err(fault(section, "has hardly an empty slot")),
    }
}

/// What is wrong with a section.
pub(crate) fn fault(section: &str, problem: &'static str) -> Error {
    Error::PackedSection { section: section.to_owned(), problem }
}

impl fmt::Debug for Packed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Packed").field("sections", &self.sections).finish_non_exhaustive()
    }
}

/// Numbers as little-endian bytes.
pub(crate) fn le_bytes<const N: usize, T: Copy>(numbers: &[T], bytes_of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|number| bytes_of(*number)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{BLOCK, Packed, Shared, check_slots, checksum};
    use crate::Error;

    fn packed(sections: Vec<(String, usize, usize, u64)>) -> Result<Packed, Error> {
        let memory: Shared = Arc::new(b"some bytes".to_vec());
        Packed::new(memory, sections)
    }

    #[test]
    fn sections_are_taken_by_name() {
        let packed = packed(vec![("a".into(), 0, 4, checksum(b"some")), ("b".into(), 5, 5, checksum(b"bytes"))]);
        let Ok(packed) = packed else { panic!("refused") };
        assert_eq!(packed.table::<u8>("b").as_deref(), Ok(b"bytes".as_slice()));
        assert!(matches!(packed.table::<u8>("c"), Err(Error::PackedSection { problem: "is missing", .. })));
    }

    #[test]
    fn tables_in_which_a_search_would_not_end_are_refused() {
        let check = |slots: &[u8]| check_slots("slots", slots, |slot| *slot == 0);
        assert!(check(&[]).is_err());
        assert!(check(&[0, 1, 1]).is_err());
        assert!(check(&[1; 16]).is_err());
        assert!(check(&[0, 1, 1, 1]).is_ok());
        let mut slots = vec![1; BLOCK * 4];
        slots[..BLOCK * 3].fill(0);
        assert!(check(&slots).is_err());
        slots[BLOCK * 4 - 1] = 0;
        assert!(check(&slots).is_ok());
    }

    #[test]
    fn sections_outside_the_memory_or_with_another_checksum_are_refused() {
        for (start, length) in [(8, 3), (11, 0), (usize::MAX, 1), (1, usize::MAX)] {
            assert!(packed(vec![("a".into(), start, length, 0)]).is_err(), "{start} {length}");
        }
        assert!(packed(vec![("a".into(), 0, 4, checksum(b"same"))]).is_err());
    }
}
