"""A measurement as plain values for JSON, with the manifest of what was measured, from which it can be repeated."""

import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

import tokenloom
from tokenloom.jobs.compare import ComparedValue, Comparison
from tokenloom.jobs.measure_corpus import CorpusMeasure, MeasureRun
from tokenloom.metrics import SPLITTERS, Interval, ParallelCosts, Value, sequence_lengths

__all__ = ["compare_facts", "manifest_of", "measure_facts", "value_facts"]


def measure_facts(run: MeasureRun) -> dict[str, Any]:
    """All that was measured; undefined values are None, with the reason beside them."""
    return {
        "manifest": manifest_of(run),
        "metrics": {metric.name: {"unit": metric.unit, "summary": metric.summary} for metric in run.options.chosen()},
        "corpora": [_corpus_facts(corpus) for corpus in run.corpora],
        "parallel": {name: _parallel_facts(costs) for name, costs in run.parallel.items()},
        "n_skipped": run.skipped.n_skipped,
        "skipped": run.skipped.examples,
    }


def manifest_of(run: MeasureRun) -> dict[str, Any]:
    """What was measured, with what options and versions; equal manifests mean equal values."""
    splitter = SPLITTERS[run.options.words] if run.options.words else None
    return {
        "versions": {
            "tokenloom": tokenloom.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "options": {**asdict(run.options), "metrics": [metric.name for metric in run.options.chosen()]},
        "words": splitter and {"name": splitter.name, "summary": splitter.summary},
        "special_tokens_in_text": "plain",
        "vocabulary": "all ids that have a token, special tokens among them",
        "interval": f"bootstrap over documents, {run.options.n_resamples} resamples, seed {run.options.seed}",
        "tokenizers": [
            {
                "name": name,
                "path": run.paths.get(name),
                "fingerprint": subject.tokenizer.spec.fingerprint,
                "model": subject.tokenizer.spec.model.type,
                "n_ids": len(subject.tokenizer),
                "n_tokens": len(subject.vocabulary),
                "n_special_tokens": len(subject.tokenizer.special_tokens),
            }
            for name, subject in run.subjects.items()
        ],
        "corpora": [
            {
                "name": corpus.name,
                "fingerprint": corpus.first.text.fingerprint,
                "n_docs": corpus.first.text.n_docs,
                "n_bytes": int(corpus.first.text.n_bytes.sum()),
                "sources": list(corpus.sources),
            }
            for corpus in run.corpora
        ],
    }


def compare_facts(run: MeasureRun, comparison: Comparison) -> dict[str, Any]:
    """A comparison: values of both, the second less the first, and what the vocabularies have in common."""
    return {
        "manifest": manifest_of(run),
        "first": comparison.names[0],
        "second": comparison.names[1],
        "vocabulary": asdict(comparison.vocabulary),
        "corpora": {name: _compared(rows) for name, rows in comparison.corpora.items()},
        "parallel": _compared(comparison.languages),
        "n_skipped": run.skipped.n_skipped,
    }


def value_facts(value: Value) -> dict[str, Any]:
    """A value with its interval, or why it is undefined."""
    facts: dict[str, Any] = {"value": value.value, **_interval(value.interval)}
    return facts | {"undefined": value.reason} if value.value is None else facts


def _corpus_facts(corpus: CorpusMeasure) -> dict[str, Any]:
    text = corpus.first.text
    return {
        "name": corpus.name,
        "n_docs": text.n_docs,
        "n_bytes": int(text.n_bytes.sum()),
        "n_chars": int(text.n_chars.sum()),
        "n_words": None if text.n_words is None else int(text.n_words.sum()),
        "tokenizers": {name: _tokenizer_facts(corpus, name) for name in corpus.measurements},
    }


def _tokenizer_facts(corpus: CorpusMeasure, name: str) -> dict[str, Any]:
    measured = corpus.measurements[name]
    text, tokens = measured.text, measured.tokens
    first = tokens.round_trip.first
    lengths = sequence_lengths(
        n_chars=text.n_chars, n_bytes=text.n_bytes, n_words=text.n_words, n_tokens=tokens.n_tokens
    )
    return {
        "metrics": {metric: value_facts(value) for metric, value in corpus.values[name].items()},
        "items_per_1000_chars": dict(lengths),
        "n_special_tokens_in_text": tokens.n_special_tokens,
        "first_difference": first
        and {
            "document": first.document,
            "byte": first.byte,
            "text": first.text.decode("utf-8", "backslashreplace"),
            "decoded": first.decoded.decode("utf-8", "backslashreplace"),
        },
    }


def _parallel_facts(costs: ParallelCosts) -> dict[str, Any]:
    return {
        "reference": costs.reference,
        "n_sentences": costs.n_sentences,
        "gini": costs.gini,
        "worst_language": costs.worst,
        "worst_premium": costs.worst_premium,
        "cost_ratio": costs.cost_ratio,
        "cost_variation": costs.cost_variation,
        "languages": {
            name: {
                "n_tokens": row.n_tokens,
                "n_bytes": row.n_bytes,
                "premium": row.premium,
                **_interval(row.interval),
                "byte_premium": row.byte_premium,
            }
            for name, row in costs.languages.items()
        },
    }


def _compared(rows: Iterable[ComparedValue]) -> dict[str, Any]:
    return {
        row.name: {
            "first": value_facts(row.first),
            "second": value_facts(row.second),
            "difference": value_facts(row.difference),
        }
        for row in rows
    }


def _interval(interval: Interval | None) -> Mapping[str, float | None]:
    return {"low": None, "high": None} if interval is None else {"low": interval.low, "high": interval.high}
