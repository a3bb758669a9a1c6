//! `tokenloom_core::pipeline` for Python.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};
use tokenloom_core::decode;
use tokenloom_core::driver::Feed;
use tokenloom_core::explain::{Alternatives, Maker};
use tokenloom_core::pipeline::Pipeline as Core;
use tokenloom_core::source::{Arrays, Source};
use tokenloom_core::specials::Policy;
use tokenloom_core::{Tick, parallel};

use crate::convert::{self, CHECKED_EVERY};
use crate::error::raise;
use crate::ints::Ints;
use crate::slot::Slot;
use crate::text::Text;
use crate::{arrow, error, into, numpy, offsets, ticker};

/// A tokenizer that runs.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct Pipeline {
    core: Core,
    replace_surrogates: bool,
    ints: Ints,
}

/// A pretoken, the number of what made it, and whether it is an added token.
type Explained<'py> = (Bound<'py, PyBytes>, Option<usize>, bool);
type Argument<'a, 'py> = Option<&'a Bound<'py, PyAny>>;
/// Ids before and behind those of a text.
type Around = Option<(Vec<u32>, Vec<u32>)>;
type Array<'py> = Bound<'py, PyAny>;

#[pymethods]
impl Pipeline {
    /// `arrays` are token bytes, token offsets, merges and scores, packed as little-endian uint32 and the last as float64.
    #[new]
    #[pyo3(signature = (config_json, arrays, *, special_text, surrogates, cache_bytes))]
    fn new(
        py: Python<'_>,
        config_json: &str,
        arrays: (PyBackedBytes, PyBackedBytes, PyBackedBytes, PyBackedBytes),
        special_text: &str,
        surrogates: &str,
        cache_bytes: usize,
    ) -> PyResult<Self> {
        let (token_bytes, token_offsets, merges, scores) = arrays;
        let token_offsets = convert::words(py, "token_offsets", &token_offsets)?;
        let (merges, rest) = merges.as_chunks();
        if !rest.is_empty() {
            return Err(raise(py, "SpecError", "merges are not pairs of uint32. Pack two ids a merge."));
        }
        let pair = |merge: &[u8; 8]| {
            let both = u64::from_le_bytes(*merge);
            (both as u32, (both >> 32) as u32)
        };
        let merges: Vec<_> = merges.iter().map(pair).collect();
        let scores: Vec<f64> = scores.as_chunks().0.iter().map(|score| f64::from_le_bytes(*score)).collect();
        let arrays =
            Arrays { token_bytes: &token_bytes, token_offsets: &token_offsets, merges: &merges, scores: &scores };
        Self::of_source(py, config_json, Source::Arrays(arrays), (special_text, surrogates), cache_bytes)
    }

    #[pyo3(signature = (text, allowed_special, disallowed_special, around, /))]
    fn encode<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
        around: Around,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = self.ids(text, (allowed_special, disallowed_special), around)?;
        self.list(text.py(), &ids)
    }

    #[pyo3(signature = (text, allowed_special, disallowed_special, around, /))]
    fn encode_array<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
        around: Around,
    ) -> PyResult<Array<'py>> {
        numpy::array(text.py(), self.ids(text, (allowed_special, disallowed_special), around)?)
    }

    /// Writes the ids of a text to the start of a buffer, and returns their number.
    #[pyo3(signature = (text, allowed_special, disallowed_special, around, out, /))]
    fn encode_into<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
        around: Around,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let ids = self.ids(text, (allowed_special, disallowed_special), around)?;
        into::write(out, &ids).map(|()| ids.len())
    }

    /// The ids of a text as uint32, and their spans of bytes and of characters as int64, two an id.
    fn encode_with_offsets<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        let policy = self.policy(text.py(), allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        offsets::encode(text.py(), &self.core, holder.as_bytes()?, &policy)
    }

    /// The ids of a text as uint32, their spans of characters as int64, and the number of the piece of each as uint32.
    fn encode_with_words<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        let policy = self.policy(text.py(), allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        offsets::encode_with_words(text.py(), &self.core, holder.as_bytes()?, &policy)
    }

    /// The ids of many texts as uint32, and where each begins as int64.
    #[pyo3(signature = (texts, allowed_special, disallowed_special, *, n_threads, progress))]
    fn encode_batch<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
        n_threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let py = texts.py();
        let policy = self.policy(py, allowed_special, disallowed_special)?;
        let n_threads = n_threads.unwrap_or_else(parallel::available);
        let encode =
            |texts: &[&[u8]]| ticker::run(py, progress, |tick| self.core.encode_batch(texts, &policy, n_threads, tick));
        let batch = self.with_texts(texts, encode)?;
        let ends = batch.ends.iter().map(|end| *end as i64);
        let starts = std::iter::once(0).chain(ends).collect();
        Ok((numpy::array(py, batch.ids)?, numpy::array(py, starts)?))
    }

    fn count<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<u64> {
        let policy = self.policy(text.py(), allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        let bytes = holder.as_bytes()?;
        ticker::run_on(text.py(), bytes.len(), |tick| self.core.count(bytes, &policy, tick))
    }

    /// The pretokens of a text; a special token that is not plain text is one of them.
    fn pretokens<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let py = text.py();
        let policy = self.policy(py, allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        let bytes = holder.as_bytes()?;
        let (pieces, ends) = ticker::run(py, None, |tick| self.core.pieces(bytes, &policy, tick))?;
        let starts = std::iter::once(&0).chain(&ends);
        Ok(starts.zip(&ends).map(|(start, end)| PyBytes::new(py, &pieces[*start..*end])).collect())
    }

    /// The pretokens of a text, and of each the number of the alternative that took it, or of the step of a chain that cut
    /// it last; None for text between matches and for what no step cut. The last value tells added tokens.
    fn explain<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        alternatives: Vec<String>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<Vec<Explained<'py>>> {
        let py = text.py();
        let policy = self.policy(py, allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        let bytes = holder.as_bytes()?;
        let explained =
            ticker::run(py, None, |tick| self.core.explain(bytes, &policy, &Alternatives::new(&alternatives)?, tick))?;
        let row = |(piece, maker): &(Vec<u8>, Maker)| match maker {
            Maker::AddedToken => (PyBytes::new(py, piece), None, true),
            Maker::Number(number) => (PyBytes::new(py, piece), Some(*number), false),
            Maker::None => (PyBytes::new(py, piece), None, false),
        };
        Ok(explained.iter().map(row).collect())
    }

    /// The bytes of a sequence of ids, and the character of their text in which each token begins.
    fn decode_with_offsets<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyBytes>, Vec<u64>)> {
        offsets::decode(ids.py(), &self.core, &convert::ids(ids, 0)?)
    }

    /// Whether the bytes of a sequence of ids are those of its tokens, one after the other.
    #[getter]
    fn decodes_by_bytes(&self) -> bool {
        self.core.decodes_by_bytes()
    }

    /// The bytes of a sequence of ids. Errors count positions from `n_before` on.
    #[pyo3(signature = (ids, n_before=0))]
    fn decode_bytes<'py>(&self, ids: &Bound<'py, PyAny>, n_before: usize) -> PyResult<Bound<'py, PyBytes>> {
        let py = ids.py();
        let ids = convert::ids(ids, n_before)?;
        let decode = |tick: Tick<'_>| self.core.decode(&ids, tick).map_err(|fault| fault.behind(n_before as u64));
        let bytes = ticker::run(py, None, decode)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes of tokens, joined: what the decoder makes text of.
    fn token_bytes<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = ids.py();
        let ids = convert::ids(ids, 0)?;
        let bytes = ticker::run(py, None, |tick| decode::joined(self.core.vocabulary(), &ids, tick))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The id of a token, or None.
    fn id_of(&self, token: &[u8]) -> Option<u32> {
        self.core.vocabulary().id_of(token)
    }

    /// Whether lone surrogates become U+FFFD.
    #[getter]
    pub fn replaces_surrogates(&self) -> bool {
        self.replace_surrogates
    }

    /// One more than the highest id.
    #[getter]
    fn size(&self) -> usize {
        self.core.vocabulary().size()
    }

    fn clear_caches(&self) {
        self.core.clear_caches();
    }

    /// Begins a text that arrives in parts.
    fn stream(
        slf: Py<Self>,
        py: Python<'_>,
        allowed_special: Argument<'_, '_>,
        disallowed_special: Argument<'_, '_>,
    ) -> PyResult<EncodeStream> {
        let policy = slf.get().policy(py, allowed_special, disallowed_special)?.into_owned();
        let gone =
            "this stream is at work or ended with an error, and its text is not whole. Begin again from the start.";
        Ok(EncodeStream { pipeline: slf, policy, feed: Slot::new(Feed::default(), "EncodeError", gone) })
    }
}

impl Pipeline {
    /// A tokenizer from its description and what it is built of.
    pub fn of_source(
        py: Python<'_>,
        config_json: &str,
        source: Source<'_>,
        (special_text, surrogates): (&str, &str),
        cache_bytes: usize,
    ) -> PyResult<Self> {
        let special_text = convert::special_text(py, special_text)?;
        let replace_surrogates = match surrogates {
            "refuse" => false,
            "replace" => true,
            _ => {
                let known = "'refuse' or 'replace'";
                return Err(convert::unknown_word(py, "SpecError", "surrogates", surrogates, known));
            }
        };
        let core = ticker::run(py, None, |tick| Core::new(config_json, source, special_text, cache_bytes, tick))?;
        Ok(Self { core, replace_surrogates, ints: Ints::default() })
    }

    /// The pipeline itself.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// What a call says of special tokens.
    pub fn policy(
        &self,
        py: Python<'_>,
        allowed_special: Argument<'_, '_>,
        disallowed_special: Argument<'_, '_>,
    ) -> PyResult<std::borrow::Cow<'_, Policy>> {
        let allowed = convert::selection("allowed_special", allowed_special)?;
        let disallowed = convert::selection("disallowed_special", disallowed_special)?;
        self.core.policy(allowed.as_ref(), disallowed.as_ref()).map_err(|fault| error::to_python(py, &fault))
    }

    /// A list of ids.
    pub fn list<'py>(&self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
        self.ints.list(py, ids, self.core.vocabulary())
    }

    /// Does something with the bytes of many texts: of any iterable, or of arrays of Arrow.
    pub fn with_texts<T>(&self, texts: &Bound<'_, PyAny>, work: impl FnOnce(&[&[u8]]) -> PyResult<T>) -> PyResult<T> {
        if let Some(texts_of_arrow) = arrow::Texts::of(texts)? {
            return work(&texts_of_arrow.slices(texts.py())?);
        }
        let texts = self.texts(texts)?;
        work(&texts.iter().map(Text::as_bytes).collect::<PyResult<Vec<_>>>()?)
    }

    /// The texts of an iterable.
    fn texts<'py>(&self, texts: &Bound<'py, PyAny>) -> PyResult<Vec<Text<'py>>> {
        let py = texts.py();
        let text = |(index, text): (usize, PyResult<Bound<'py, PyAny>>)| {
            if index % CHECKED_EVERY == 0 {
                py.check_signals()?;
            }
            Text::new(&text?, self.replace_surrogates).map_err(|fault| error::in_document(py, index, &fault))
        };
        texts.try_iter()?.enumerate().map(text).collect()
    }

    /// The ids of a text between those around it.
    fn ids<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        special: (Argument<'_, 'py>, Argument<'_, 'py>),
        around: Around,
    ) -> PyResult<Vec<u32>> {
        let policy = self.policy(text.py(), special.0, special.1)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        let bytes = holder.as_bytes()?;
        let ids = ticker::run_on(text.py(), bytes.len(), |tick| self.core.encode(bytes, &policy, tick))?;
        Ok(match around {
            None => ids,
            Some((before, after)) => [before, ids, after].concat(),
        })
    }
}

/// A text that arrives in parts: the ids of all parts together are those of the joined text.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct EncodeStream {
    pipeline: Py<Pipeline>,
    policy: Policy,
    feed: Slot<Feed>,
}

#[pymethods]
impl EncodeStream {
    /// The ids that are sure after this part.
    fn feed<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let pipeline = self.pipeline.get();
        let holder = Text::new(text, pipeline.replace_surrogates)?;
        let bytes = holder.as_bytes()?;
        let ids = self.feed.with(text.py(), None, |feed, tick| {
            let mut ids = Vec::new();
            pipeline.core.feed(feed, bytes, &self.policy, &mut ids, tick)?;
            Ok(ids)
        })?;
        pipeline.list(text.py(), &ids)
    }

    /// The ids of what is left.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let ids = self.feed.with(py, None, |feed, tick| {
            let mut ids = Vec::new();
            self.pipeline.get().core.finish(feed, &self.policy, &mut ids, tick)?;
            Ok(ids)
        })?;
        self.pipeline.get().list(py, &ids)
    }
}
