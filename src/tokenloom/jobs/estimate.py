"""How long a run would take and how large its result would be: a sample is encoded, nothing is written."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.corpus import DocumentOptions, list_sources
from tokenloom.jobs.encode_plan import EncodeOptions, Plan
from tokenloom.jobs.samples import sample_texts
from tokenloom.tokenizer import IdType, Tokenizer

__all__ = ["PILE_BYTES", "EncodeEstimate", "estimate_encoding"]

PILE_BYTES: Final = 825 * 10**9
"""The Pile (Gao et al. 2020): the corpus by whose size the first lecture lets throughput be judged."""


@dataclass(frozen=True, slots=True)
class EncodeEstimate:
    """What an encoding would need. All but `n_files` and `dtype` is estimated from a sample.

    Args:
        n_files: files of the corpus.
        n_text_bytes: their text.
        n_sampled_bytes: text that was encoded for the estimate.
        n_docs: documents.
        n_tokens: ids.
        dtype: of the ids.
        disk_bytes: the folder of shards.
        seconds: of reading and encoding on this machine.
    """

    n_files: int
    n_text_bytes: int
    n_sampled_bytes: int
    n_docs: int
    n_tokens: int
    dtype: IdType
    disk_bytes: int
    seconds: float


def estimate_encoding(
    paths: Sequence[str | os.PathLike[str]],
    *,
    tokenizer: Tokenizer,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    options: EncodeOptions = EncodeOptions(),  # noqa: B008
    n_threads: int | None = None,
) -> EncodeEstimate:
    """Encode up to 16 MB from up to 16 files, spread over the corpus, and conclude from them.

    Raises: as `encode_corpus`, as far as it looks.
    """
    plan = Plan.of(tokenizer, documents, options)
    sources = list_sources(paths, documents)
    encoder = plan.encoder(is_continued=False, n_threads=n_threads)
    n_bytes = n_tokens = n_docs = n_read = 0
    start = time.perf_counter()
    for texts, n_file_bytes in sample_texts(sources, documents):
        ids, starts = encoder.feed(texts)
        n_bytes += sum(map(len, texts))
        n_tokens += len(ids)
        n_docs += len(starts)
        n_read += n_file_bytes
    seconds = time.perf_counter() - start
    share = sum(source.n_file_bytes for source in sources) / max(1, n_read)
    is_one_each = documents.document_separator is None and all(source.format == "text" for source in sources)
    n_all_tokens, n_all_docs = round(n_tokens * share), len(sources) if is_one_each else round(n_docs * share)
    width = 2 if plan.dtype == "uint16" else 4
    return EncodeEstimate(
        n_files=len(sources),
        n_text_bytes=round(n_bytes * share),
        n_sampled_bytes=n_bytes,
        n_docs=n_all_docs,
        n_tokens=n_all_tokens,
        dtype=plan.dtype,
        disk_bytes=n_all_tokens * width + n_all_docs * 8,
        seconds=seconds * share,
    )
