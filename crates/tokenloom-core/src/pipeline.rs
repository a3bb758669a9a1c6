//! A tokenizer, built from its description in one call: text to ids and ids to bytes.

use std::borrow::Cow;
use std::mem;

use crate::Tick;
use crate::bpe::cache::{Key, WordCache};
use crate::bpe::cache_pool::CachePool;
use crate::bpe::encoder::{Encode, Encoder};
use crate::chain::Chain;
use crate::decode::Decoder;
use crate::driver::{Cuts, Feed, Sink};
use crate::error::Result;
use crate::layers::Layers;
use crate::normalize::Normalizer;
use crate::offsets::{Characters, OffsetSink, Span};
use crate::packed::Parts;
use crate::scan::Scanner;
use crate::search::Hit;
use crate::source::Source;
use crate::spec::{AddedToken, Config, Model};
use crate::specials::{Policy, Selection, SpecialText, Specials};
use crate::vocab::Vocabulary;

/// A tokenizer that runs.
#[derive(Debug)]
pub struct Pipeline {
    pub(crate) scanner: Scanner,
    specials: Specials,
    normalizer: Normalizer,
    pub(crate) chain: Option<Chain>,
    /// Text takes the way through all layers.
    is_layered: bool,
    vocabulary: Vocabulary,
    model: Encoder,
    decoder: Decoder,
    caches: CachePool,
}

impl Pipeline {
    /// Builds a tokenizer. `cache_bytes` is the size of the word cache of each thread that encodes.
    pub fn new(
        config_json: &str,
        source: Source<'_>,
        special_text: SpecialText,
        cache_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let config = Config::from_json(config_json)?;
        let vocabulary = source.vocabulary(&config.added_tokens)?;
        let normalizer = Normalizer::new(config.normalizer.as_deref().unwrap_or_default())?;
        let Model::Bpe(model) = &config.model;
        let chain = config.pretokenizer.chain(model.characters().is_none())?;
        let has_flags = !config.added_tokens.iter().all(AddedToken::is_plain);
        let is_layered = config.normalizer.is_some() || chain.is_some() || has_flags;
        let normalized = |content: &[u8]| {
            normalizer.apply(content, &mut |_| Ok(())).map_or_else(|_| content.to_vec(), Cow::into_owned)
        };
        let specials = Specials::new(config.added_tokens, special_text, normalized)?;
        Ok(Self {
            scanner: if chain.is_some() { Scanner::None } else { config.pretokenizer.scanner()? },
            chain,
            model: source.encoder(&vocabulary, model, tick)?,
            decoder: Decoder::new(&config.decoder, &vocabulary)?,
            specials,
            normalizer,
            is_layered,
            vocabulary,
            caches: CachePool::new(cache_bytes),
        })
    }

    /// The tables that take long to build, to be written down for `Source::Packed`.
    pub fn pack(&self) -> Result<Parts> {
        let mut parts = Parts::new();
        self.vocabulary.pack(&mut parts)?;
        self.model.pack(&mut parts);
        Ok(parts)
    }

    /// The tokens of this tokenizer.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The policy of one call; see `Specials::policy`.
    pub fn policy(&self, allowed: Option<&Selection>, disallowed: Option<&Selection>) -> Result<Cow<'_, Policy>> {
        self.specials.policy(allowed, disallowed)
    }

    /// The special tokens of this tokenizer.
    pub fn specials(&self) -> &Specials {
        &self.specials
    }

    /// Whether text takes the way through all layers.
    pub fn is_layered(&self) -> bool {
        self.is_layered
    }

    /// The ids of a text.
    pub fn encode(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(text.len() / 3 + 1);
        self.with_cache(|cache| self.append(text, policy, cache, &mut ids, tick))?;
        Ok(ids)
    }

    /// The ids of a text, and the stretch of it that each stands for.
    ///
    /// A stretch begins where the one before it does or later, and lies in the text.
    pub fn encode_with_offsets(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<(Vec<u32>, Vec<Span>)> {
        let mut ids = Vec::with_capacity(text.len() / 3 + 1);
        let spans = self.with_cache(|cache| {
            let mut sink = OffsetSink::new(self.sink(cache, &mut ids));
            self.cuts(policy).run(text, 0, true, &mut sink, tick)?;
            Ok(sink.into_spans())
        })?;
        Ok((ids, spans))
    }

    /// The number of ids of a text, without keeping them.
    pub fn count(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<u64> {
        self.with_cache(|cache| {
            let mut ids = Vec::new();
            let mut sink = CountSink { ids: self.sink(cache, &mut ids), n_tokens: 0 };
            self.cuts(policy).run(text, 0, true, &mut sink, tick)?;
            Ok(sink.n_tokens)
        })
    }

    /// Takes the next part of a text that arrives in parts, and appends the ids that are sure.
    pub fn feed(
        &self,
        feed: &mut Feed,
        text: &[u8],
        policy: &Policy,
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        self.with_cache(|cache| feed.push(self.cuts(policy), text, &mut self.sink(cache, ids), tick))
    }

    /// Appends the ids of what a feed still holds.
    pub fn finish(&self, feed: &mut Feed, policy: &Policy, ids: &mut Vec<u32>, tick: Tick<'_>) -> Result<()> {
        self.with_cache(|cache| feed.finish(self.cuts(policy), &mut self.sink(cache, ids), tick))
    }

    /// The bytes of a sequence of ids, or the UTF-8 of their text where the decoder has steps.
    pub fn decode(&self, ids: &[u32], tick: Tick<'_>) -> Result<Vec<u8>> {
        self.decoder.decode(&self.vocabulary, ids, tick)
    }

    /// The bytes of a sequence of ids, and the character of their text in which each token begins. Of bytes that are no
    /// UTF-8, each wrong sequence is one character.
    pub fn decode_with_offsets(&self, ids: &[u32], tick: Tick<'_>) -> Result<(Vec<u8>, Vec<u64>)> {
        let bytes = self.decode(ids, tick)?;
        let characters = Characters::of_replaced(&bytes, tick)?;
        let mut at = 0;
        let next = |id: &u32| {
            let start = characters.number_at(at);
            at += self.vocabulary.bytes_of(*id).map_or(0, <[u8]>::len);
            start
        };
        let starts = ids.iter().map(next).collect();
        Ok((bytes, starts))
    }

    /// Whether the bytes of a sequence of ids are those of its tokens, one after the other: what streams and offsets of
    /// decoding rest on.
    pub fn decodes_by_bytes(&self) -> bool {
        self.decoder.is_by_bytes()
    }

    /// Forgets all cached words.
    pub fn clear_caches(&self) {
        self.caches.clear();
    }

    fn append(
        &self,
        text: &[u8],
        policy: &Policy,
        cache: &mut WordCache,
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        self.cuts(policy).run(text, 0, true, &mut self.sink(cache, ids), tick).map(|_| ())
    }

    /// How this tokenizer cuts a text under a policy.
    pub(crate) fn cuts<'a>(&'a self, policy: &'a Policy) -> Cuts<'a> {
        let layers = self.is_layered.then(|| self.all_layers());
        Cuts { scanner: &self.scanner, policy, layers }
    }

    /// The way through all layers, which gives the same also where there is nothing to do in some.
    pub(crate) fn all_layers(&self) -> Layers<'_> {
        Layers { normalizer: &self.normalizer, chain: self.chain.as_ref() }
    }

    /// Appends the ids of pieces to `ids`.
    pub(crate) fn sink<'a>(&'a self, cache: &'a mut WordCache, ids: &'a mut Vec<u32>) -> IdSink<'a> {
        IdSink { vocabulary: &self.vocabulary, model: &self.model, cache, ids, cuts: Vec::new() }
    }

    /// Lends a word cache to a piece of work.
    pub(crate) fn with_cache<T>(&self, work: impl FnOnce(&mut WordCache) -> Result<T>) -> Result<T> {
        let mut cache = self.caches.take();
        let result = work(&mut cache);
        self.caches.give_back(cache);
        result
    }
}

/// Turns pieces into ids.
pub(crate) struct IdSink<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) model: &'a Encoder,
    cache: &'a mut WordCache,
    pub(crate) ids: &'a mut Vec<u32>,
    /// Room for the safe cuts of one piece.
    cuts: Vec<usize>,
}

/// So many pieces are looked up together.
const GROUP: usize = 32;

/// Parts of one piece between two ticks.
const TICK_PARTS: usize = 1 << 16;

impl IdSink<'_> {
    /// Appends the ids of pieces from the cache, those that it does not know by `encode`. `key_of` makes the key of a
    /// piece from that of its bytes.
    #[inline(always)]
    fn recall_or(
        &mut self,
        text: &[u8],
        mut start: usize,
        ends: &[usize],
        key_of: fn(Key) -> Key,
        mut encode: impl FnMut(&mut Self, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut keys = [None; GROUP];
        for ends in ends.chunks(GROUP) {
            let mut from = start;
            for (key, &end) in keys.iter_mut().zip(ends) {
                *key = Key::new(text, from, end).map(key_of);
                if let Some(key) = *key {
                    self.cache.prefetch(key);
                }
                from = end;
            }
            for (&key, &end) in keys.iter().zip(ends) {
                let known = key.is_some_and(|key| self.cache.recall(key, self.ids));
                if !known {
                    let before = self.ids.len();
                    encode(self, &text[start..end])?;
                    if let Some(key) = key {
                        self.cache.remember(key, &self.ids[before..]);
                    }
                }
                start = end;
            }
        }
        Ok(())
    }

    /// Encodes a piece that the cache does not know.
    #[inline(never)]
    fn encode(&mut self, piece: &[u8], tick: Tick<'_>) -> Result<()> {
        match self.model {
            Encoder::Bytes(model) => self.encode_by(model, piece, tick),
            Encoder::Characters(model) => self.encode_by(model, piece, tick),
        }
    }

    fn encode_by(&mut self, model: &impl Encode, piece: &[u8], tick: Tick<'_>) -> Result<()> {
        if let Some(id) = model.whole_piece(self.vocabulary, piece) {
            self.ids.push(id);
            return Ok(());
        }
        let mut cuts = mem::take(&mut self.cuts);
        cuts.clear();
        model.safe_cuts(piece, &mut cuts);
        let result = match cuts.len() {
            1 => model.merge_piece(piece, self.ids, tick),
            _ => self.encode_parts(model, piece, &cuts, tick),
        };
        self.cuts = cuts;
        result
    }

    /// Encodes the parts of a piece. A part is not a piece: where a whole piece may be one token, a part with the same
    /// bytes must be merged.
    fn encode_parts(&mut self, model: &impl Encode, piece: &[u8], ends: &[usize], tick: Tick<'_>) -> Result<()> {
        let mut start = 0;
        for ends in ends.chunks(TICK_PARTS) {
            let merge = |sink: &mut Self, part: &[u8]| model.merge_piece(part, sink.ids, &mut *tick);
            self.recall_or(piece, start, ends, Key::of_part, merge)?;
            start = ends.last().copied().unwrap_or(start);
            tick(0)?;
        }
        Ok(())
    }
}

impl Sink for IdSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        self.recall_or(text, start, ends, |key| key, |sink, piece| sink.encode(piece, tick))
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        self.ids.push(hit.id);
    }
}

/// Counts ids and forgets them block by block.
struct CountSink<'a> {
    ids: IdSink<'a>,
    n_tokens: u64,
}

impl Sink for CountSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        self.ids.pieces(text, start, ends, tick)?;
        self.n_tokens += self.ids.ids.len() as u64;
        self.ids.ids.clear();
        Ok(())
    }

    fn added(&mut self, _text: &[u8], _hit: Hit) {
        self.n_tokens += 1;
    }
}
