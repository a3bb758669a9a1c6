//! A trie of tokens as a double array: a child is one look away, and a node is three numbers.
//!
//! A node is a cell. Its child by a byte, if there is one, is the cell at `base ^ byte`, which says whose child it is. Both
//! lie in one block of 256 cells, so the place of a child needs no check.

use crate::Tick;
use crate::error::Result;

/// The node of the empty text.
pub const ROOT: u32 = 0;

/// What stands in a cell that is no node, and for the id of a node that is no token.
const NONE: u32 = u32::MAX;

/// Cells in a block: as many as bytes.
const BLOCK: u32 = 256;

/// So many places are tried for the children of a node before they get a block of their own.
const MOST_TRIES: usize = 64;

/// Nodes between two ticks.
const TICK_NODES: usize = 1 << 16;

/// A node, or none.
#[derive(Clone, Copy, Debug)]
struct Cell {
    base: u32,
    parent: u32,
    id: u32,
}

const EMPTY: Cell = Cell { base: 0, parent: NONE, id: NONE };

/// Tokens by their bytes.
#[derive(Debug)]
pub struct Trie {
    cells: Vec<Cell>,
}

impl Trie {
    /// The trie of some tokens, in any order; of equal ones the last counts. An empty one is left out.
    pub fn new<'a>(tokens: impl Iterator<Item = (u32, &'a [u8])>, tick: Tick<'_>) -> Result<Self> {
        let mut sorted: Vec<(&[u8], u32)> = tokens.map(|(id, token)| (token, id)).collect();
        sorted.retain(|(token, _)| !token.is_empty());
        sorted.sort_unstable();
        let mut builder = Builder { cells: vec![EMPTY; BLOCK as usize], first_free: 1, n_nodes: 0 };
        // Nodes that get their children next: a node, the tokens below it, and how long the text of the node is.
        let mut waiting = vec![(ROOT, 0..sorted.len(), 0)];
        let mut bytes = Vec::with_capacity(BLOCK as usize);
        while let Some((node, mut range, depth)) = waiting.pop() {
            while range.start < range.end && sorted[range.start].0.len() == depth {
                builder.cells[node as usize].id = sorted[range.start].1;
                range.start += 1;
            }
            bytes.clear();
            bytes.extend(sorted[range.clone()].iter().map(|(token, _)| token[depth]));
            bytes.dedup();
            if bytes.is_empty() {
                continue;
            }
            let base = builder.place(node, &bytes);
            for &byte in &bytes {
                let n_below = sorted[range.clone()].partition_point(|(token, _)| token[depth] <= byte);
                waiting.push((base ^ u32::from(byte), range.start..range.start + n_below, depth + 1));
                range.start += n_below;
            }
            builder.n_nodes += 1;
            if builder.n_nodes.is_multiple_of(TICK_NODES) {
                tick(0)?;
            }
        }
        Ok(Self { cells: builder.cells })
    }

    /// The node of a text that is one byte longer, if a token begins with it.
    #[inline(always)]
    pub fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let child = self.cells[node as usize].base ^ u32::from(byte);
        (self.cells[child as usize].parent == node).then_some(child)
    }

    /// The token that a node is.
    #[inline(always)]
    pub fn id(&self, node: u32) -> Option<u32> {
        Some(self.cells[node as usize].id).filter(|id| *id != NONE)
    }
}

struct Builder {
    cells: Vec<Cell>,
    /// No cell before it is free.
    first_free: usize,
    n_nodes: usize,
}

impl Builder {
    /// Finds room for the children of a node, and returns its base.
    fn place(&mut self, node: u32, bytes: &[u8]) -> u32 {
        let base = self.room(bytes);
        self.cells[node as usize].base = base;
        for byte in bytes {
            self.cells[(base ^ u32::from(*byte)) as usize].parent = node;
        }
        while self.first_free < self.cells.len() && !self.is_free(self.first_free as u32) {
            self.first_free += 1;
        }
        base
    }

    fn room(&mut self, bytes: &[u8]) -> u32 {
        let first = u32::from(bytes[0]);
        let mut n_tries = 0;
        for at in self.first_free..self.cells.len() {
            if !self.is_free(at as u32) {
                continue;
            }
            let base = at as u32 ^ first;
            if bytes.iter().all(|byte| self.is_free(base ^ u32::from(*byte))) {
                return base;
            }
            n_tries += 1;
            if n_tries == MOST_TRIES {
                // What is skipped stays empty: a trie with holes in it is better than a long search for each node.
                self.first_free = at + 1;
                break;
            }
        }
        let base = self.cells.len() as u32;
        self.cells.resize(self.cells.len() + BLOCK as usize, EMPTY);
        base
    }

    fn is_free(&self, cell: u32) -> bool {
        cell != ROOT && self.cells[cell as usize].parent == NONE
    }
}
