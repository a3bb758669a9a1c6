//! Symbols of a text that are joined one by one, and how unused tokens are cut again.

use std::collections::HashMap;
use std::ops::Range;

/// No symbol, no token, and no place in the order of scores.
pub const NEVER: u32 = u32::MAX;

/// A symbol: where it stands, its id if it was joined, and whether it is joined with nothing.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub start: u32,
    pub end: u32,
    pub id: u32,
    pub is_frozen: bool,
}

impl Symbol {
    /// A character, or what is cut out of the text.
    pub fn new(range: Range<usize>, is_frozen: bool) -> Self {
        Self { start: range.start as u32, end: range.end as u32, id: NEVER, is_frozen }
    }

    /// Where it stands.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Symbols, each with its neighbours. One that was joined to the one before it is empty.
#[derive(Debug)]
pub struct Chain {
    symbols: Vec<Symbol>,
    before: Vec<u32>,
    behind: Vec<u32>,
}

impl Chain {
    /// Symbols in their order.
    pub fn new(symbols: Vec<Symbol>) -> Self {
        let n = symbols.len() as u32;
        let before = std::iter::once(NEVER).chain(0..n.saturating_sub(1)).take(n as usize).collect();
        let behind = (1..n).chain((n > 0).then_some(NEVER)).collect();
        Self { symbols, before, behind }
    }

    /// The number of symbols at first.
    pub fn len(&self) -> u32 {
        self.symbols.len() as u32
    }

    /// A symbol and the one behind it.
    pub fn pair(&self, left: u32) -> Option<(Symbol, Symbol)> {
        let behind = self.behind[left as usize];
        Some((self.symbols[left as usize], *self.symbols.get(behind as usize)?))
    }

    /// The place of the symbol before one.
    pub fn before(&self, at: u32) -> Option<u32> {
        Some(self.before[at as usize]).filter(|before| *before != NEVER)
    }

    /// Joins a symbol with the one behind it, which ends at `end`, to a token. False if they are not there any more.
    pub fn join(&mut self, left: u32, end: u32, id: u32) -> bool {
        let Some((first, second)) = self.pair(left) else { return false };
        // A symbol only grows, so one that ends elsewhere is another one.
        if first.start == first.end || second.end != end {
            return false;
        }
        let right = self.behind[left as usize];
        self.symbols[left as usize] = Symbol { end, id, ..first };
        self.symbols[right as usize].end = second.start;
        let next = self.behind[right as usize];
        self.behind[left as usize] = next;
        if let Some(before) = self.before.get_mut(next as usize) {
            *before = left;
        }
        true
    }

    /// The symbols that are left, in their order.
    pub fn left(&self) -> impl Iterator<Item = Symbol> {
        self.symbols.iter().copied().filter(|symbol| symbol.start < symbol.end)
    }
}

/// Tokens that are unused.
#[derive(Debug)]
pub struct Unused {
    is_unused: Vec<bool>,
}

impl Unused {
    /// None if there are none among so many ids.
    pub fn new(ids: impl Iterator<Item = u32>, n_ids: usize) -> Option<Self> {
        let mut is_unused = vec![false; n_ids];
        ids.for_each(|id| is_unused[id as usize] = true);
        is_unused.contains(&true).then_some(Self { is_unused })
    }

    /// Whether a token is one of them.
    pub fn has(&self, id: u32) -> bool {
        self.is_unused[id as usize]
    }
}

/// How long the left part of each unused token was when a pair that it can be joined of was last looked at.
pub type Parts = HashMap<u32, u32>;

/// Gives the parts of a symbol: itself, or the two that it is cut into, and so on with these.
pub fn cut_again(
    symbol: Symbol,
    parts: &Parts,
    id_of: impl Fn(Range<usize>) -> Option<u32>,
    mut take: impl FnMut(Symbol),
) {
    let mut left = vec![symbol];
    while let Some(symbol) = left.pop() {
        let id = if symbol.id == NEVER { id_of(symbol.range()) } else { Some(symbol.id) };
        match id.and_then(|id| parts.get(&id)) {
            None => take(Symbol { id: id.unwrap_or(NEVER), ..symbol }),
            Some(n_bytes) => {
                let middle = symbol.start + n_bytes;
                left.push(Symbol { start: middle, id: NEVER, ..symbol });
                left.push(Symbol { end: middle, id: NEVER, ..symbol });
            }
        }
    }
}
