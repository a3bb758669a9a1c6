//! The model of a `tokenizer.json` of huggingface/tokenizers: its vocabulary and, of BPE, its merges, which are nearly all
//! of the file. The rest of the document is handed back as it is written, and read elsewhere.

use std::borrow::Cow;

use super::Tokens;
use super::json::Walk;
use super::spelling;
use crate::vocab::{GROUP, ID_LIMIT, Vocabulary};

/// The large parts of a file, and the document without them.
#[derive(Debug)]
pub struct HfJson {
    /// The document with an empty vocabulary and no merges.
    pub rest: Vec<u8>,
    /// The keys of the vocabulary, as they are written but for escapes.
    pub keys: Vocabulary,
    /// The ids of the parts of all merges, left and right in turn.
    pub merges: Vec<u32>,
}

/// A part of a document and the bytes that stand for it.
struct Part<T> {
    value: T,
    start: usize,
    end: usize,
}

type Vocab = Part<Vocabulary>;
type Merges = Part<Vec<u32>>;

/// Reads a whole file.
///
/// Gives up, beside all faults, on a vocabulary whose ids do not ascend, on merges before it, on headers among them, on
/// a merge that is there twice, and on a model without merges unless it says before that it is of another kind.
/// What is written outside of both parts is not looked at.
pub fn read(data: &[u8]) -> Option<HfJson> {
    let mut walk = Walk::new(data);
    let mut model = None;
    walk.members(|walk, key| match key {
        b"model" if model.is_none() => {
            model = Some(read_model(walk)?);
            Some(())
        }
        b"model" => None,
        _ => walk.skip().map(drop),
    })?;
    let (vocab, merges) = model.filter(|_| walk.is_at_end())?;
    let (before, behind) = (&data[..vocab.start], &data[vocab.end..]);
    let (rest, merges) = match merges {
        None => ([before, b"{}", behind].concat(), Vec::new()),
        Some(merges) => {
            let between = &data[vocab.end..merges.start];
            ([before, b"{}", between, b"[]", &data[merges.end..]].concat(), merges.value)
        }
    };
    Some(HfJson { rest, keys: vocab.value, merges })
}

fn read_model(walk: &mut Walk<'_>) -> Option<(Vocab, Option<Merges>)> {
    let (mut vocab, mut merges): (Option<Vocab>, Option<Merges>) = (None, None);
    let mut takes_merges = true;
    walk.members(|walk, key| {
        match key {
            b"type" if vocab.is_none() => takes_merges = &*walk.text()? == b"BPE",
            b"vocab" if vocab.is_none() => vocab = Some(part(walk, read_keys)?),
            b"merges" if merges.is_none() => {
                let keys = &vocab.as_ref()?.value;
                merges = Some(part(walk, |walk| read_merges(walk, keys))?);
            }
            b"vocab" | b"merges" => return None,
            _ => _ = walk.skip()?,
        }
        Some(())
    })?;
    (merges.is_some() == takes_merges).then_some((vocab?, merges))
}

fn part<'a, T>(walk: &mut Walk<'a>, read: impl FnOnce(&mut Walk<'a>) -> Option<T>) -> Option<Part<T>> {
    walk.peek()?;
    let start = walk.place();
    let value = read(walk)?;
    Some(Part { value, start, end: walk.place() })
}

fn read_keys(walk: &mut Walk<'_>) -> Option<Vocabulary> {
    let mut keys = Tokens::with_capacity(0);
    walk.members(|walk, key| {
        keys.arena.extend_from_slice(key);
        keys.end(walk.id()?)
    })?;
    let text = std::str::from_utf8(&keys.arena).ok()?;
    let are_whole = keys.offsets.iter().all(|offset| text.is_char_boundary(*offset as usize));
    let is_usual = are_whole && !text.is_empty();
    is_usual.then(|| Vocabulary::of_parts(keys.arena, keys.offsets).ok())?
}

/// Left and right parts in turn. Merges are all of one kind: a string with one space in it, or an array of two strings.
fn read_merges(walk: &mut Walk<'_>, keys: &Vocabulary) -> Option<Vec<u32>> {
    walk.take(b'[')?;
    let read = if walk.peek()? == b'[' { read_pair } else { read_joined };
    let (mut ids, mut parts) = (Vec::new(), Vec::with_capacity(GROUP));
    walk.rest_of_items(|walk| {
        parts.extend(read(walk)?);
        if parts.len() >= GROUP {
            keys.append_ids(&parts, &mut ids)?;
            parts.clear();
        }
        Some(())
    })?;
    keys.append_ids(&parts, &mut ids)?;
    (!has_double(&ids, keys.size())).then_some(ids)
}

/// Whether some pair of ids is there twice. Right parts are grouped by the left one: a quarter of the time of sorting.
fn has_double(merges: &[u32], n_ids: usize) -> bool {
    let pairs = merges.as_chunks().0;
    let mut starts = vec![0_usize; n_ids + 1];
    for &[left, _] in pairs {
        starts[left as usize + 1] += 1;
    }
    for id in 0..n_ids {
        starts[id + 1] += starts[id];
    }
    let mut grouped = vec![(0, 0); pairs.len()];
    for &[left, right] in pairs {
        let place = &mut starts[left as usize];
        grouped[*place] = (left, right);
        *place += 1;
    }
    let mut last_left = vec![u32::MAX; n_ids];
    grouped.iter().any(|&(left, right)| std::mem::replace(&mut last_left[right as usize], left) == left)
}

fn read_pair<'a>(walk: &mut Walk<'a>) -> Option<[Cow<'a, [u8]>; 2]> {
    walk.take(b'[')?;
    let left = walk.text()?;
    walk.take(b',')?;
    let right = walk.text()?;
    walk.take(b']')?;
    Some([left, right])
}

fn read_joined<'a>(walk: &mut Walk<'a>) -> Option<[Cow<'a, [u8]>; 2]> {
    let text = walk.text()?;
    let space = text.iter().position(|byte| *byte == b' ')?;
    if text[space + 1..].contains(&b' ') || text.contains(&b'\n') || text.starts_with(b"#version") {
        return None;
    }
    Some(match text {
        Cow::Borrowed(text) => [Cow::Borrowed(&text[..space]), Cow::Borrowed(&text[space + 1..])],
        Cow::Owned(text) => [Cow::Owned(text[..space].to_vec()), Cow::Owned(text[space + 1..].to_vec())],
    })
}

impl HfJson {
    /// The tokens of the model, `holes` left out, and at least so many ids.
    ///
    /// With `spelled` the keys spell bytes with GPT-2's characters, and each single byte must be a token; else tokens are
    /// the keys themselves. Gives up on a key that spells no bytes, and on merges of holes.
    pub fn tokens(&self, holes: &[u32], least_ids: usize, spelled: bool) -> Option<Tokens> {
        let is_hole = self.flags(holes);
        if least_ids > ID_LIMIT || (!holes.is_empty() && self.merges.iter().any(|id| is_hole[*id as usize])) {
            return None;
        }
        let mut tokens = Tokens::with_capacity(self.keys.arena().len());
        let mut is_token = [false; 256];
        for (id, key) in self.keys.model_tokens().filter(|(id, _)| !is_hole[*id as usize]) {
            if spelled {
                let start = tokens.arena.len();
                spelling::decode(key, &mut tokens.arena)?;
                if let [byte] = tokens.arena[start..] {
                    is_token[usize::from(byte)] = true;
                }
            } else {
                tokens.arena.extend_from_slice(key);
            }
            tokens.end(id)?;
        }
        let end = *tokens.offsets.last()?;
        tokens.offsets.resize(self.keys.size().max(least_ids) + 1, end);
        (!spelled || is_token.iter().all(|is_token| *is_token)).then_some(tokens)
    }

    /// Those of some ids whose keys are the two parts of a merge, joined.
    pub fn made(&self, ids: &[u32]) -> Vec<u32> {
        let key = |id: u32| &self.keys.arena()[self.keys.span(id)];
        let is_sought = self.flags(ids);
        let mut has_length = Vec::new();
        for id in ids.iter().filter(|id| (**id as usize) < self.keys.size()) {
            has_length.resize(has_length.len().max(key(*id).len() + 1), false);
            has_length[key(*id).len()] = true;
        }
        let joined = |&[left, right]: &[u32; 2]| {
            let length = self.keys.span(left).len() + self.keys.span(right).len();
            let id = has_length.get(length)?.then(|| self.keys.id_of(&[key(left), key(right)].concat()))??;
            is_sought[id as usize].then_some(id)
        };
        let mut made: Vec<u32> = self.merges.as_chunks().0.iter().filter_map(joined).collect();
        made.sort_unstable();
        made.dedup();
        made
    }

    /// By id, whether it is one of these.
    fn flags(&self, ids: &[u32]) -> Vec<bool> {
        let mut flags = vec![false; self.keys.size()];
        for id in ids {
            if let Some(flag) = flags.get_mut(*id as usize) {
                *flag = true;
            }
        }
        flags
    }
}
