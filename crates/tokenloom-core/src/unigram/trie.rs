//! All tokens of a model as a trie, in two arrays: the child of a node by a byte is found by one look.
//!
//! A node has a base, and its child by byte `b` has the number `base ^ b`, if that node says that this one is its parent.
//! A base is chosen so that all children find free places. Free places form a list, so that a node with one child, as most
//! are, takes the first of them; for one with more only the first few are tried before new ones are made.
//!
//! Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure"; with exclusive or in the
//! place of a sum, a block of 256 places holds all children of a node, as in Yata's Darts-clone.

use std::ops::Range;

use crate::Tick;
use crate::error::{Error, Result};
use crate::packed::{self, Packed, Parts, Table, le_bytes};

/// Nodes come in blocks of so many: the children of one node lie in one block.
const BLOCK: usize = 256;

/// No node, and no token.
const NONE: u32 = u32::MAX;

/// So many free places are tried for a node with several children.
const MOST_TRIES: usize = 48;

/// Nodes between two ticks.
const TICK_NODES: usize = 1 << 14;

/// See the module.
#[derive(Debug)]
pub struct Trie {
    /// Base and parent of each node.
    nodes: Table<[u32; 2]>,
    /// The token that ends at each node.
    ids: Table<u32>,
}

impl Trie {
    /// The trie of tokens, none of which is empty or comes twice.
    pub fn new(mut tokens: Vec<(&[u8], u32)>, tick: Tick<'_>) -> Result<Self> {
        tokens.sort_unstable();
        let builder = Builder::new(&tokens).build(tick)?;
        Ok(Self { nodes: builder.nodes.into(), ids: builder.ids.into() })
    }

    /// Takes the tables that `pack` has written down. Ids must be below `n_ids`.
    pub fn unpack(packed: &Packed, n_ids: usize) -> Result<Self> {
        let (nodes, ids) = (packed.table::<[u32; 2]>("trie_nodes")?, packed.table::<u32>("trie_ids")?);
        let fits = nodes.len().is_multiple_of(BLOCK) && !nodes.is_empty() && ids.len() == nodes.len();
        // A base below the number of nodes leads to nodes only, since that is a whole number of blocks.
        if !fits || nodes.iter().any(|[base, _]| *base as usize >= nodes.len()) {
            return Err(packed::fault("trie_nodes", "has places outside the table"));
        }
        match ids.iter().all(|id| *id == NONE || (*id as usize) < n_ids) {
            true => Ok(Self { nodes, ids }),
            false => Err(packed::fault("trie_ids", "has ids that the vocabulary has not")),
        }
    }

    /// Writes the tables down.
    pub fn pack(&self, parts: &mut Parts) {
        let nodes: Vec<u32> = self.nodes.iter().flatten().copied().collect();
        parts.push(("trie_nodes", le_bytes(&nodes, u32::to_le_bytes)));
        parts.push(("trie_ids", le_bytes(&self.ids, u32::to_le_bytes)));
    }

    /// Gives the lengths and ids of all tokens that a text begins with, the shortest first.
    #[inline(always)]
    pub fn prefixes(&self, text: &[u8], mut take: impl FnMut(usize, u32)) {
        let (nodes, ids) = (&*self.nodes, &*self.ids);
        let mut node = 0;
        for (at, byte) in text.iter().enumerate() {
            let next = nodes[node][0] ^ u32::from(*byte);
            let found = nodes[next as usize];
            if found[1] != node as u32 {
                return;
            }
            node = next as usize;
            let id = ids[node];
            if id != NONE {
                take(at + 1, id);
            }
        }
    }
}

/// A trie that grows.
struct Builder<'a> {
    /// Sorted.
    tokens: &'a [(&'a [u8], u32)],
    nodes: Vec<[u32; 2]>,
    ids: Vec<u32>,
    /// The previous and the next free place of each, in a ring.
    free: Vec<[u32; 2]>,
    /// A free place.
    first_free: Option<u32>,
}

impl<'a> Builder<'a> {
    fn new(tokens: &'a [(&'a [u8], u32)]) -> Self {
        let mut builder = Self { tokens, nodes: Vec::new(), ids: Vec::new(), free: Vec::new(), first_free: None };
        builder.add_block();
        builder.take(0, NONE);
        builder
    }

    fn build(mut self, tick: Tick<'_>) -> Result<Self> {
        let mut waiting = vec![(0_usize, 0_usize, 0..self.tokens.len())];
        let mut children: Vec<(u8, Range<usize>)> = Vec::new();
        let mut n_nodes = 0;
        while let Some((node, depth, range)) = waiting.pop() {
            n_nodes += 1;
            if n_nodes % TICK_NODES == 0 {
                tick(0)?;
            }
            self.children(depth, range, node, &mut children);
            if children.is_empty() {
                continue;
            }
            let base = self.base_for(&children)?;
            self.nodes[node][0] = base;
            for (byte, range) in children.drain(..) {
                let child = base ^ u32::from(byte);
                self.take(child, node as u32);
                waiting.push((child as usize, depth + 1, range));
            }
        }
        Ok(self)
    }

    /// The bytes that follow `depth` bytes in a range of tokens, with the range of each; notes the token that ends there.
    fn children(&mut self, depth: usize, range: Range<usize>, node: usize, children: &mut Vec<(u8, Range<usize>)>) {
        let mut at = range.start;
        while at < range.end {
            let (token, id) = self.tokens[at];
            let Some(&byte) = token.get(depth) else {
                self.ids[node] = id;
                at += 1;
                continue;
            };
            let n_same = self.tokens[at..range.end].partition_point(|(token, _)| token.get(depth) <= Some(&byte));
            children.push((byte, at..at + n_same));
            at += n_same;
        }
    }

    /// A base with which all children find free places.
    fn base_for(&mut self, children: &[(u8, Range<usize>)]) -> Result<u32> {
        let first = u32::from(children[0].0);
        let mut place = self.first_free;
        for _ in 0..MOST_TRIES {
            let Some(free) = place else { break };
            let base = free ^ first;
            if children.iter().all(|(byte, _)| self.is_free(base ^ u32::from(*byte))) {
                return Ok(base);
            }
            place = Some(self.free[free as usize][1]).filter(|next| Some(*next) != self.first_free);
        }
        // The places that were tried in vain come last from now on.
        self.first_free = place;
        if self.nodes.len() > u32::MAX as usize >> 1 {
            return Err(Error::SpecArrays { array: "token_bytes", problem: "are longer than a trie can hold" });
        }
        let start = self.nodes.len() as u32;
        self.add_block();
        Ok(start)
    }

    fn is_free(&self, place: u32) -> bool {
        self.free[place as usize] != [NONE, NONE]
    }

    fn add_block(&mut self) {
        let start = self.nodes.len() as u32;
        let end = start + BLOCK as u32;
        self.nodes.resize(end as usize, [0, NONE]);
        self.ids.resize(end as usize, NONE);
        let (before, behind) = match self.first_free {
            None => (end - 1, start),
            Some(first) => (self.free[first as usize][0], first),
        };
        self.free.extend((start..end).map(|place| {
            let previous = if place == start { before } else { place - 1 };
            [previous, if place + 1 == end { behind } else { place + 1 }]
        }));
        self.free[before as usize][1] = start;
        self.free[behind as usize][0] = end - 1;
        self.first_free.get_or_insert(start);
    }

    /// Makes a node at a free place.
    fn take(&mut self, place: u32, parent: u32) {
        let [previous, next] = std::mem::replace(&mut self.free[place as usize], [NONE, NONE]);
        self.nodes[place as usize][1] = parent;
        if next == place {
            self.first_free = None;
            return;
        }
        self.free[previous as usize][1] = next;
        self.free[next as usize][0] = previous;
        if self.first_free == Some(place) {
            self.first_free = Some(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Trie;

    fn trie(tokens: &[&str]) -> Trie {
        let tokens = tokens.iter().zip(0..).map(|(token, id)| (token.as_bytes(), id)).collect();
        Trie::new(tokens, &mut |_| Ok(())).unwrap_or_else(|fault| panic!("{fault}"))
    }

    fn prefixes(trie: &Trie, text: &str) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        trie.prefixes(text.as_bytes(), |length, id| found.push((length, id)));
        found
    }

    #[test]
    fn all_tokens_that_a_text_begins_with_are_found() {
        let trie = trie(&["a", "abc", "b", "ab\0", "é", "ab"]);
        assert_eq!(prefixes(&trie, "abcd"), [(1, 0), (2, 5), (3, 1)]);
        assert_eq!(prefixes(&trie, "ab\0"), [(1, 0), (2, 5), (3, 3)]);
        assert_eq!(prefixes(&trie, "éa"), [(2, 4)]);
        assert_eq!(prefixes(&trie, ""), []);
        assert_eq!(prefixes(&trie, "\0"), []);
    }

    #[test]
    fn a_trie_of_nothing_finds_nothing() {
        assert_eq!(prefixes(&trie(&[]), "a\0b"), []);
    }

    #[test]
    fn a_trie_of_many_tokens_finds_each() {
        let tokens: Vec<String> =
            (0..20_000_u64).map(|n| format!("{:x}", n.wrapping_mul(0x9E37_79B9) % 99_991)).collect();
        let mut tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        tokens.sort_unstable();
        tokens.dedup();
        let trie = trie(&tokens);
        for (token, id) in tokens.iter().zip(0..) {
            assert_eq!(prefixes(&trie, token).last(), Some(&(token.len(), id)), "{token}");
        }
        assert!(trie.nodes.len() < 120_000, "{} places", trie.nodes.len());
    }
}
