//! The tokens of a WordPiece vocabulary as a trie over bytes that a word is read through once.
//!
//! There are two roots: below one are all tokens, as which a word may begin, below the other those that go on with a word,
//! without the prefix that marks them. Where the prefix is empty the two are one. A text that leaves the trie at a node has
//! been read as far as the bytes of that node. What the longest tokens make of these bytes depends on the node alone: its
//! *pops* are the tokens that are sure whatever follows, and its failure link leads to the node, below the second root, of
//! the bytes behind them. A node that is a token has itself as its pop and the root as its link. Without a link the word
//! cannot be cut.
//!
//! Pops of a node are those of its parent and perhaps more, so they are shared: a list is a token, or two lists joined.
//! Written one by one they would take the square of the length of a long token.
//!
//! Source: Song, Salcianu, Song, Dopson and Zhou 2021, "Fast WordPiece Tokenization".

use crate::Tick;
use crate::error::Result;
use crate::packed::{self, Packed, Parts, Table, le_bytes};
use crate::vocab::Vocabulary;

/// The node behind a token, where a word may end.
pub const ROOT: u32 = 0;

/// No node.
const NO_NODE: u32 = u32::MAX;

/// Marks a list of pops that is a single token.
const TOKEN: u32 = 1 << 31;

/// Nodes that are made between two ticks.
const TICK_NODES: usize = 1 << 16;

/// See the module. Nodes are numbered by their depth, so children stand side by side, sorted by their bytes, and links lead
/// to lower numbers.
#[derive(Debug)]
pub struct Trie {
    /// The byte that leads to a node.
    labels: Table<u8>,
    /// The first child of each node; its children end where those of the next one begin.
    children: Table<u32>,
    links: Table<u32>,
    pops: Table<u32>,
    /// Lists that are two lists joined.
    joins: Table<[u32; 2]>,
    /// Where a word begins.
    start: u32,
}

impl Trie {
    /// Builds the trie of all tokens that the model may make.
    pub fn new(vocabulary: &Vocabulary, prefix: &[u8], tick: Tick<'_>) -> Result<Self> {
        Growing::new(vocabulary, prefix).grow(tick)
    }

    /// The node where a word begins.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The node behind a byte.
    #[inline]
    pub fn child(&self, node: u32, byte: u8) -> Option<u32> {
        child(&self.labels, &self.children, node, byte)
    }

    /// Gives out the pops of a node and follows its link. None if it has none, or if there would be more than `most_ids`.
    #[inline]
    pub fn leave(&self, node: u32, most_ids: usize, ids: &mut Vec<u32>) -> Option<u32> {
        let link = self.links[node as usize];
        if link == NO_NODE {
            return None;
        }
        let list = self.pops[node as usize];
        if list < TOKEN {
            self.give(list, most_ids, ids)?;
        } else if ids.len() < most_ids {
            ids.push(list - TOKEN);
        } else {
            return None;
        }
        Some(link)
    }

    /// Appends the tokens of a list.
    fn give(&self, list: u32, most_ids: usize, ids: &mut Vec<u32>) -> Option<()> {
        let mut waiting = vec![list];
        while let Some(mut list) = waiting.pop() {
            while list < TOKEN {
                let [left, right] = self.joins[list as usize];
                waiting.push(right);
                list = left;
            }
            if ids.len() >= most_ids {
                return None;
            }
            ids.push(list - TOKEN);
        }
        Some(())
    }

    /// Writes the tables down.
    pub fn pack(&self, parts: &mut Parts) {
        let joins: Vec<u32> = self.joins.iter().flatten().copied().collect();
        parts.push(("wordpiece_labels", self.labels.to_vec()));
        parts.push(("wordpiece_children", le_bytes(&self.children, u32::to_le_bytes)));
        parts.push(("wordpiece_links", le_bytes(&self.links, u32::to_le_bytes)));
        parts.push(("wordpiece_pops", le_bytes(&self.pops, u32::to_le_bytes)));
        parts.push(("wordpiece_joins", le_bytes(&joins, u32::to_le_bytes)));
    }

    /// Takes the tables that `pack` has written down. Every way in them ends: children have higher numbers than their
    /// parents, links and joins lead to lower ones.
    pub fn unpack(packed: &Packed, n_ids: usize, has_prefix: bool) -> Result<Self> {
        let trie = Self {
            labels: packed.table("wordpiece_labels")?,
            children: packed.table("wordpiece_children")?,
            links: packed.table("wordpiece_links")?,
            pops: packed.table("wordpiece_pops")?,
            joins: packed.table("wordpiece_joins")?,
            start: u32::from(has_prefix),
        };
        trie.check(n_ids)?;
        Ok(trie)
    }

    fn check(&self, n_ids: usize) -> Result<()> {
        let n_nodes = self.labels.len();
        let sizes = [self.children.len().wrapping_sub(1), self.links.len(), self.pops.len()];
        if n_nodes <= self.start as usize || n_nodes >= TOKEN as usize || sizes != [n_nodes; 3] {
            return Err(packed::fault("wordpiece_labels", "has another number of nodes than the tables beside it"));
        }
        let ascend = self.children.windows(2).all(|pair| pair[0] <= pair[1]);
        let is_behind = |(node, child): (usize, &u32)| *child as usize > node;
        let ends = self.children[n_nodes] as usize == n_nodes;
        if !ascend || !ends || !self.children[..n_nodes].iter().enumerate().all(is_behind) {
            return Err(packed::fault("wordpiece_children", "does not lead from parents to children"));
        }
        if !self.links.iter().enumerate().all(|(node, link)| *link == NO_NODE || (*link as usize) < node) {
            return Err(packed::fault("wordpiece_links", "has a link that leads on"));
        }
        let is_list = |list: u32, n_joins: usize| match list.checked_sub(TOKEN) {
            Some(id) => (id as usize) < n_ids,
            None => (list as usize) < n_joins,
        };
        let has_pops = |(list, link): (&u32, &u32)| *link == NO_NODE || is_list(*list, self.joins.len());
        if !self.pops.iter().zip(self.links.iter()).all(has_pops) {
            return Err(packed::fault("wordpiece_pops", "names a list that is not there"));
        }
        let are_lists = |(place, pair): (usize, &[u32; 2])| pair.iter().all(|list| is_list(*list, place));
        if !self.joins.iter().enumerate().all(are_lists) {
            return Err(packed::fault("wordpiece_joins", "names a list that is not there"));
        }
        Ok(())
    }
}

#[inline]
fn child(labels: &[u8], children: &[u32], node: u32, byte: u8) -> Option<u32> {
    let (first, end) = (children[node as usize], children[node as usize + 1]);
    let place = labels[first as usize..end as usize].binary_search(&byte).ok()?;
    Some(first + place as u32)
}

/// The tokens below a node, which share the bytes of the node.
#[derive(Clone, Copy)]
struct Below {
    /// Of the sorted tokens the first, and one past the last.
    first: u32,
    end: u32,
    /// The length of what they share.
    depth: u32,
}

/// A trie that is being built.
struct Growing<'v> {
    /// All tokens and their ids, sorted.
    tokens: Vec<(&'v [u8], u32)>,
    below: Vec<Below>,
    labels: Vec<u8>,
    children: Vec<u32>,
    links: Vec<u32>,
    pops: Vec<u32>,
    joins: Vec<[u32; 2]>,
    start: u32,
}

impl<'v> Growing<'v> {
    /// The roots.
    fn new(vocabulary: &'v Vocabulary, prefix: &[u8]) -> Self {
        let tokens = sorted(vocabulary);
        let first = tokens.partition_point(|(token, _)| *token < prefix);
        let n_going_on = tokens[first..].partition_point(|(token, _)| token.starts_with(prefix));
        let going_on = Below { first: first as u32, end: (first + n_going_on) as u32, depth: prefix.len() as u32 };
        let mut below = vec![going_on];
        if !prefix.is_empty() {
            below.push(Below { first: 0, end: tokens.len() as u32, depth: 0 });
        }
        let n_roots = below.len();
        // Nodes are fewer than bytes of tokens, mostly by half.
        let n_nodes = vocabulary.arena().len() / 2;
        below.reserve(n_nodes);
        let start = n_roots as u32 - 1;
        let filled = |value: u32, n: usize| {
            let mut values = Vec::with_capacity(n_nodes + 2);
            values.resize(n, value);
            values
        };
        let (links, pops) = (filled(NO_NODE, n_roots), filled(0, n_roots));
        let children = filled(n_roots as u32, 1);
        Self { tokens, below, labels: vec![0; n_roots], children, links, pops, joins: Vec::new(), start }
    }

    /// Adds the children of one node after another, until there is none without.
    fn grow(mut self, tick: Tick<'_>) -> Result<Trie> {
        let mut node = 0;
        while node < self.below.len() {
            self.add_children(node);
            self.children.push(self.labels.len() as u32);
            node += 1;
            if node.is_multiple_of(TICK_NODES) {
                tick(0)?;
            }
        }
        Ok(Trie {
            labels: self.labels.into(),
            children: self.children.into(),
            links: self.links.into(),
            pops: self.pops.into(),
            joins: self.joins.into(),
            start: self.start,
        })
    }

    fn add_children(&mut self, node: usize) {
        let Below { mut first, end, depth } = self.below[node];
        let byte_of = |token: &(&[u8], u32)| token.0.get(depth as usize).copied();
        // The node itself, or the prefix alone, comes first.
        if first < end && byte_of(&self.tokens[first as usize]).is_none() {
            first += 1;
        }
        while first < end {
            let Some(byte) = byte_of(&self.tokens[first as usize]) else { return };
            let is_same = |token: &&(&[u8], u32)| byte_of(token) == Some(byte);
            let n_same = self.tokens[first as usize..end as usize].iter().take_while(is_same).count() as u32;
            let below = Below { first, end: first + n_same, depth: depth + 1 };
            let (link, pops) = self.way_on(node, byte, below);
            self.below.push(below);
            self.labels.push(byte);
            self.links.push(link);
            self.pops.push(pops);
            first += n_same;
        }
    }

    /// Link and pops of the child that a byte leads to.
    fn way_on(&mut self, parent: usize, byte: u8, below: Below) -> (u32, u32) {
        let (token, id) = self.tokens[below.first as usize];
        if token.len() == below.depth as usize {
            return (ROOT, TOKEN | id);
        }
        let first = self.links[parent];
        let mut node = first;
        let link = loop {
            if node == NO_NODE {
                return (NO_NODE, 0);
            }
            match child(&self.labels, &self.children, node, byte) {
                Some(link) => break link,
                None => node = self.links[node as usize],
            }
        };
        let (mut at, mut pops) = (first, self.pops[parent]);
        while at != node {
            self.joins.push([pops, self.pops[at as usize]]);
            pops = self.joins.len() as u32 - 1;
            at = self.links[at as usize];
        }
        (link, pops)
    }
}

/// All tokens that the model may make. Most are told apart by their first eight bytes, which compare as one number.
fn sorted(vocabulary: &Vocabulary) -> Vec<(&[u8], u32)> {
    let head = |token: &[u8]| {
        let mut bytes = [0; 8];
        let n_bytes = token.len().min(8);
        bytes[..n_bytes].copy_from_slice(&token[..n_bytes]);
        u64::from_be_bytes(bytes)
    };
    let mut tokens: Vec<(u64, u32)> = vocabulary.model_tokens().map(|(id, token)| (head(token), id)).collect();
    let bytes_of = |id: u32| vocabulary.bytes_of(id).unwrap_or_default();
    tokens.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| bytes_of(a.1).cmp(bytes_of(b.1))));
    tokens.into_iter().map(|(_, id)| (bytes_of(id), id)).collect()
}
