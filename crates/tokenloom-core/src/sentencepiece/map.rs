//! The map of a SentencePiece model file: keys of several characters, each with a text that takes its place.
//!
//! It is a double array, a trie in one array of numbers. A node is a place in it; the child for a byte stands at that place,
//! changed by the offset of the node and by the byte, and says which byte it is for. A node where a key ends has a child for
//! no byte, whose number is the place of the text that takes the place of the key, among all such texts; each of them ends
//! with a zero. A file may hold anything, so places are looked up with bounds, and texts are checked when a map is read.
//!
//! Source: `darts.h` of s-yata/darts-clone, and `Normalizer::NormalizePrefix` of google/sentencepiece.

use crate::error::{Error, Result};

/// Bytes of the length that stands before the array, and of each of its numbers.
const UNIT_BYTES: usize = 4;

/// Set in the number of a node where a key ends.
const HAS_VALUE: u32 = 1 << 8;
/// Set in the number of a child that is a value.
const IS_VALUE: u32 = 1 << 31;
/// Set where the offset is written in units of 256.
const IS_FAR: u32 = 1 << 9;

/// The place of the root.
const ROOT: usize = 0;

/// See the module.
#[derive(Debug, PartialEq, Eq)]
pub struct Map {
    units: Vec<u32>,
    texts: String,
    /// ASCII characters that no key begins with, or only with one that goes on outside ASCII.
    plain: [bool; 128],
}

impl Map {
    /// Reads a map. Refuses one that is cut, or points out of itself.
    pub fn new(blob: &[u8]) -> Result<Self> {
        let fault = |problem: &str| Error::SpecJson { detail: format!("the charsmap of its normalizer {problem}") };
        let parts = blob.split_first_chunk().and_then(|(length, rest)| {
            let length = u32::from_le_bytes(*length) as usize;
            rest.split_at_checked(length).filter(|(units, _)| units.len() % UNIT_BYTES == 0 && !units.is_empty())
        });
        let (units, texts) = parts.ok_or_else(|| fault("is cut"))?;
        let units = units.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let texts = String::from_utf8(texts.to_vec()).map_err(|_| fault("has a value that is not UTF-8"))?;
        if !texts.ends_with('\0') {
            return Err(fault("has a value without an end"));
        }
        let mut map = Self { units, texts, plain: [false; 128] };
        let is_right = |(node, unit): (usize, &u32)| {
            unit & (IS_VALUE | HAS_VALUE) != HAS_VALUE
                || map.value(node ^ offset(*unit)).is_some_and(|at| map.texts.is_char_boundary(at))
        };
        if !map.units.iter().enumerate().all(is_right) {
            return Err(fault("points to a value that it does not have"));
        }
        map.plain = std::array::from_fn(|byte| map.is_plain(byte as u8));
        Ok(map)
    }

    /// The number of a child that is a value.
    fn value(&self, node: usize) -> Option<usize> {
        let unit = self.units.get(node).filter(|unit| *unit & IS_VALUE > 0)?;
        Some((unit & !IS_VALUE) as usize).filter(|at| *at < self.texts.len())
    }

    /// Where the children of a node begin, before they are changed by a byte.
    fn children(&self, node: usize) -> Option<usize> {
        self.units.get(node).map(|unit| node ^ offset(*unit))
    }

    /// The child of a node for a byte.
    #[inline]
    fn child(&self, children: usize, byte: u8) -> Option<usize> {
        let node = children ^ usize::from(byte);
        let unit = self.units.get(node)?;
        (unit & (IS_VALUE | 0xFF) == u32::from(byte)).then_some(node)
    }

    fn is_plain(&self, first: u8) -> bool {
        let Some(children) = self.children(ROOT) else { return true };
        let Some(node) = self.child(children, first) else { return true };
        let ends = self.units.get(node).is_some_and(|unit| unit & HAS_VALUE > 0);
        let goes_on = |children| (0..0x80).any(|second| self.child(children, second).is_some());
        !ends && !self.children(node).is_some_and(goes_on)
    }

    /// Whether an ASCII character stays as it is where another one follows.
    #[inline(always)]
    pub fn is_plain_byte(&self, byte: u8) -> bool {
        self.plain.get(usize::from(byte)).is_some_and(|is_plain| *is_plain)
    }

    /// The longest key that a text begins with, by its length, and the text that takes its place.
    pub fn longest(&self, text: &[u8]) -> Option<(usize, &str)> {
        let (mut children, mut found) = (self.children(ROOT)?, None);
        for (at, &byte) in text.iter().enumerate() {
            let Some(node) = self.child(children, byte) else { break };
            let Some(unit) = self.units.get(node) else { break };
            children = node ^ offset(*unit);
            if unit & HAS_VALUE > 0 {
                found = self.value(children).map(|value| (at + 1, value));
            }
        }
        let (length, start) = found?;
        let rest = &self.texts[start..];
        Some((length, rest.split('\0').next().unwrap_or(rest)))
    }

    /// The text that takes the place of the shortest key that a text begins with.
    pub fn shortest(&self, text: &[u8]) -> Option<&str> {
        let mut children = self.children(ROOT)?;
        for &byte in text.iter().take_while(|byte| **byte > 0) {
            let node = self.child(children, byte)?;
            let unit = self.units.get(node)?;
            children = node ^ offset(*unit);
            if unit & HAS_VALUE > 0 {
                let rest = &self.texts[self.value(children)?..];
                return rest.split('\0').next();
            }
        }
        None
    }

    /// Whether a key may hold a space and something else: otherwise each space of a text is a step by itself.
    pub fn may_span_space(&self) -> bool {
        let first = self.children(ROOT).and_then(|children| self.child(children, b' '));
        let children = first.and_then(|first| self.children(first));
        if children.is_some_and(|children| (0..=u8::MAX).any(|byte| self.child(children, byte).is_some())) {
            return true;
        }
        let has_space = |(node, unit): (usize, &u32)| {
            let child = self.child(node ^ offset(*unit), b' ');
            child.is_some() && child != first && unit & IS_VALUE == 0
        };
        self.units.iter().enumerate().any(has_space)
    }
}

/// How the place of a node is changed to that of its children.
#[inline(always)]
fn offset(unit: u32) -> usize {
    ((unit >> 10) << (if unit & IS_FAR > 0 { 8 } else { 0 })) as usize
}
