//! A tokenizer, built from its description in one call: text to ids and ids to bytes.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Tick;
use crate::bert::Table;
use crate::bpe::cache::WordCache;
use crate::bpe::cache_pool::CachePool;
use crate::chain::Chain;
use crate::decode::Decoder;
use crate::driver::{Cuts, Feed};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::id_sink::{CountSink, IdSink};
use crate::layers::Layers;
use crate::memory::with_large_pages;
use crate::normalize::Normalizer;
use crate::offsets::{Characters, OffsetSink, Span};
use crate::packed::Parts;
use crate::scan::Scanner;
use crate::source::Source;
use crate::spec::{AddedToken, Config, Pretokenizer};
use crate::specials::{Policy, Selection, SpecialText, Specials};
use crate::vocab::Vocabulary;

/// A tokenizer that runs.
#[derive(Debug)]
pub struct Pipeline {
    pub(crate) scanner: Scanner,
    specials: Specials,
    normalizer: Normalizer,
    /// What is used in their place to make ids: a scanner that cuts more, and a normalizer that writes spaces for marks.
    fast: Fast,
    pub(crate) chain: Option<Chain>,
    /// Normalizer and chain, if both can be had in one pass.
    bert: Option<Arc<Table>>,
    /// Text takes the way through all layers.
    is_layered: bool,
    vocabulary: Vocabulary,
    model: Encoder,
    decoder: Decoder,
    caches: CachePool,
}

/// See `Pipeline`; each is None where that changes nothing.
#[derive(Debug)]
struct Fast {
    scanner: Option<Scanner>,
    normalizer: Option<Normalizer>,
}

impl Pipeline {
    /// Builds a tokenizer. `cache_bytes` is the memory of all its word caches together.
    pub fn new(
        config_json: &str,
        source: Source<'_>,
        special_text: SpecialText,
        cache_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let mut config = Config::from_json(config_json)?;
        let vocabulary = source.vocabulary(&config.added_tokens)?;
        let normalizer = Normalizer::new(config.normalizer.as_deref().unwrap_or_default())?;
        let chain = config.pretokenizer.chain(config.model.joins_bytes())?;
        let has_flags = !config.added_tokens.iter().all(AddedToken::is_plain);
        check_normalized(&config.added_tokens, &normalizer)?;
        let normalized = |content: &[u8]| {
            normalizer.apply(content, &mut |_| Ok(())).map_or_else(|_| content.to_vec(), Cow::into_owned)
        };
        let is_cut = !matches!(config.pretokenizer, Pretokenizer::None {});
        let asks_normalized = config.added_tokens.iter().any(|token| token.normalized);
        let specials = Specials::new(config.added_tokens, special_text, normalized)?;
        let spaced = if is_cut || asks_normalized { None } else { normalizer.with_spaces() };
        let spaced = spaced.filter(|_| config.model.read_marks_as_spaces());
        let model = source.encoder(&vocabulary, &config.model, cache_bytes, tick)?;
        let is_layered = config.normalizer.is_some() || chain.is_some() || has_flags || model.joins_pieces();
        let fast_scanner = if is_cut { None } else { model.scanner() };
        Ok(Self {
            scanner: if chain.is_some() { Scanner::None } else { config.pretokenizer.scanner()? },
            bert: chain.as_ref().filter(|chain| chain.is_bert()).and_then(|_| normalizer.bert()),
            fast: Fast { scanner: fast_scanner, normalizer: spaced },
            chain,
            model,
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
        self.model.pack(&self.vocabulary, &mut parts)?;
        Ok(parts)
    }

    /// The tokens of this tokenizer.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What turns pieces into ids.
    pub(crate) fn model(&self) -> &Encoder {
        &self.model
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
        let mut ids = with_large_pages(text.len() / 3 + 1);
        self.with_cache(|cache| self.append(text, policy, cache, &mut ids, tick))?;
        Ok(ids)
    }

    /// The ids of a text, and the stretch of it that each stands for.
    ///
    /// A stretch begins where the one before it does or later, and lies in the text.
    pub fn encode_with_offsets(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<(Vec<u32>, Vec<Span>)> {
        let mut ids = with_large_pages(text.len() / 3 + 1);
        let spans = self.with_cache(|cache| {
            let mut sink = OffsetSink::new(self.sink(cache, &mut ids));
            self.cuts(policy).run(text, 0, true, &mut sink, tick)?;
            Ok(sink.into_spans())
        })?;
        Ok((ids, spans))
    }

    /// As `encode_with_offsets`, with the number of the piece that each id is of; an added token is a piece.
    pub fn encode_with_words(
        &self,
        text: &[u8],
        policy: &Policy,
        tick: Tick<'_>,
    ) -> Result<(Vec<u32>, Vec<Span>, Vec<u32>)> {
        let mut ids = with_large_pages(text.len() / 3 + 1);
        let (spans, words) = self.with_cache(|cache| {
            let mut sink = OffsetSink::new(self.sink(cache, &mut ids)).with_words();
            self.cuts(policy).run(text, 0, true, &mut sink, tick)?;
            Ok(sink.into_spans_and_words())
        })?;
        Ok((ids, spans, words))
    }

    /// The number of ids of a text, without keeping them.
    pub fn count(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<u64> {
        self.with_cache(|cache| {
            let mut sink = CountSink::new(&self.vocabulary, &self.model, cache);
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

    /// What makes text of the steps.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
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
        self.model.clear_caches();
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
        let normalizer = self.fast.normalizer.as_ref().unwrap_or(&self.normalizer);
        let layers = self.is_layered.then(|| Layers { normalizer, ..self.all_layers() });
        let scanner = self.fast.scanner.as_ref().unwrap_or(&self.scanner);
        Cuts { scanner, policy, layers, model: Some(&self.model) }
    }

    /// How the description of this tokenizer says that a text is cut: the ids are the same.
    pub(crate) fn described_cuts<'a>(&'a self, policy: &'a Policy) -> Cuts<'a> {
        let layers = self.is_layered.then(|| self.all_layers());
        Cuts { scanner: &self.scanner, policy, layers, model: Some(&self.model) }
    }

    /// The way through all layers, which gives the same also where there is nothing to do in some.
    pub fn all_layers(&self) -> Layers<'_> {
        Layers {
            normalizer: &self.normalizer,
            chain: self.chain.as_ref(),
            bert: self.bert.as_deref(),
            model: Some(&self.model),
            is_whole: self.model.joins_pieces(),
            keeps_starts: false,
        }
    }

    /// Appends the ids of pieces to `ids`.
    pub(crate) fn sink<'a>(&'a self, cache: &'a mut WordCache, ids: &'a mut Vec<u32>) -> IdSink<'a> {
        IdSink::new(&self.vocabulary, &self.model, cache, ids)
    }

    /// Lends a word cache to a piece of work.
    pub(crate) fn with_cache<T>(&self, work: impl FnOnce(&mut WordCache) -> Result<T>) -> Result<T> {
        let mut cache = self.caches.take();
        let result = work(&mut cache);
        self.caches.give_back(cache);
        result
    }
}

/// Refuses an added token of which the normalizer makes too much, or finds no end in it.
fn check_normalized(tokens: &[AddedToken], normalizer: &Normalizer) -> Result<()> {
    let problem = "cannot be normalized. Mend the normalizer, or look for the token in the text as it came";
    for token in tokens.iter().filter(|token| token.normalized) {
        let normal = normalizer.apply(token.content.as_bytes(), &mut |_| Ok(()));
        normal.map_err(|_| Error::SpecialToken { content: token.content.clone(), problem })?;
    }
    Ok(())
}
