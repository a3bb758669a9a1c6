//! `tokenloom_core::pipeline` for Python.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyList};
use tokenloom_core::decode;
use tokenloom_core::driver::Feed;
use tokenloom_core::explain::{Alternatives, Maker};
use tokenloom_core::pipeline::{Batch, Pipeline as Core};
use tokenloom_core::source::{Arrays, Source};
use tokenloom_core::specials::Policy;
use tokenloom_core::{Tick, parallel};

use crate::convert::{self, CHECKED_EVERY, Text};
use crate::error::raise;
use crate::slot::Slot;
use crate::{error, offsets, ticker};

/// A tokenizer that runs.
#[pyclass(frozen, module = "tokenloom._core")]
pub struct Pipeline {
    core: Core,
    replace_surrogates: bool,
    /// The int of each id, made when the first list is: lists then share them, which costs a quarter of the memory and
    /// half the time of new ones. High ids have none where most ids have no token.
    ints: PyOnceLock<Vec<Py<PyInt>>>,
}

/// So many ids have shared ints, whatever they are.
const LEAST_INTS: usize = 1 << 16;

/// A pretoken, the number of what made it, and whether it is an added token.
type Explained<'py> = (Bound<'py, PyBytes>, Option<usize>, bool);
type Argument<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

#[pymethods]
impl Pipeline {
    /// `arrays` are token bytes, token offsets and merges, the latter two packed as little-endian uint32.
    #[new]
    #[pyo3(signature = (config_json, arrays, *, special_text, surrogates, cache_bytes))]
    fn new(
        py: Python<'_>,
        config_json: &str,
        arrays: (PyBackedBytes, PyBackedBytes, PyBackedBytes),
        special_text: &str,
        surrogates: &str,
        cache_bytes: usize,
    ) -> PyResult<Self> {
        let (token_bytes, token_offsets, merges) = arrays;
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
        let arrays = Arrays { token_bytes: &token_bytes, token_offsets: &token_offsets, merges: &merges };
        Self::of_source(py, config_json, Source::Arrays(arrays), (special_text, surrogates), cache_bytes)
    }

    fn encode<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.list(text.py(), &self.ids(text, allowed_special, disallowed_special)?)
    }

    fn encode_packed<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let ids = self.ids(text, allowed_special, disallowed_special)?;
        convert::packed(text.py(), ids.len(), ids, u32::to_ne_bytes)
    }

    /// The ids of a text as uint32, and their spans of bytes and of characters as int64, two an id.
    fn encode_with_offsets<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let policy = self.policy(text.py(), allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        offsets::encode(text.py(), &self.core, holder.as_bytes()?, &policy)
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
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let py = texts.py();
        let policy = self.policy(py, allowed_special, disallowed_special)?;
        let text = |(index, text): (usize, PyResult<Bound<'py, PyAny>>)| {
            if index % CHECKED_EVERY == 0 {
                py.check_signals()?;
            }
            Text::new(&text?, self.replace_surrogates).map_err(|fault| error::in_document(py, index, &fault))
        };
        let texts = texts.try_iter()?.enumerate().map(text).collect::<PyResult<Vec<_>>>()?;
        let texts = texts.iter().map(Text::as_bytes).collect::<PyResult<Vec<_>>>()?;
        let n_threads = n_threads.unwrap_or_else(parallel::available);
        let batches = ticker::run(py, progress, |tick| self.core.encode_batch(&texts, &policy, n_threads, tick))?;
        pack(py, &batches, texts.len())
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
        ticker::run(text.py(), None, |tick| self.core.count(bytes, &policy, tick))
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
        Ok(Self { core, replace_surrogates, ints: PyOnceLock::new() })
    }

    /// The pipeline itself.
    pub fn core(&self) -> &Core {
        &self.core
    }

    fn policy(
        &self,
        py: Python<'_>,
        allowed_special: Argument<'_, '_>,
        disallowed_special: Argument<'_, '_>,
    ) -> PyResult<std::borrow::Cow<'_, Policy>> {
        let allowed = convert::selection(allowed_special)?;
        let disallowed = convert::selection(disallowed_special)?;
        self.core.policy(allowed.as_ref(), disallowed.as_ref()).map_err(|fault| error::to_python(py, &fault))
    }

    /// A list of ids of this tokenizer.
    fn list<'py>(&self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
        let ints = self.ints.get_or_init(py, || {
            let vocabulary = self.core.vocabulary();
            let n_ints = vocabulary.size().min(LEAST_INTS + 2 * vocabulary.n_tokens());
            (0..n_ints as u32).map(|id| PyInt::new(py, id).unbind()).collect()
        });
        let int = |id: &u32| ints.get(*id as usize).map_or_else(|| PyInt::new(py, *id), |int| int.bind(py).clone());
        PyList::new(py, ids.iter().map(int))
    }

    fn ids<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed_special: Argument<'_, 'py>,
        disallowed_special: Argument<'_, 'py>,
    ) -> PyResult<Vec<u32>> {
        let policy = self.policy(text.py(), allowed_special, disallowed_special)?;
        let holder = Text::new(text, self.replace_surrogates)?;
        let bytes = holder.as_bytes()?;
        ticker::run(text.py(), None, |tick| self.core.encode(bytes, &policy, tick))
    }
}

/// The ids of all batches in one array of uint32, and where each of `n_docs` documents begins as int64.
fn pack<'py>(
    py: Python<'py>,
    batches: &[Batch],
    n_docs: usize,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let n_tokens = batches.iter().map(|batch| batch.ids.len()).sum();
    let ids = batches.iter().flat_map(|batch| batch.ids.iter().copied());
    let mut base = 0;
    let ends = batches.iter().flat_map(|batch| {
        let before = base;
        base += batch.ids.len();
        batch.ends.iter().map(move |end| before + end)
    });
    let starts = std::iter::once(0).chain(ends).map(|start| start as i64);
    let ids = convert::packed(py, n_tokens, ids, u32::to_ne_bytes)?;
    Ok((ids, convert::packed(py, n_docs + 1, starts, i64::to_ne_bytes)?))
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
