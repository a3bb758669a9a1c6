"""`tokenloom inspect`: what a tokenizer is, ours or another library's, and what shards or counts hold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tokenloom.cli.options import TOKENIZER_HELP, AsJson, Config
from tokenloom.cli.output import one_line, print_facts, print_json, printable
from tokenloom.errors import StorageError
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.spec import Model
    from tokenloom.tokenizer import Tokenizer

__all__ = ["EXAMPLE", "inspect"]

EXAMPLE: Final = "tokenloom inspect my-tokenizer --json"

_TOKENIZER: Final = "tokenizer"
_SHARDS: Final = "shards"
_COUNTS: Final = "pretoken-counts"
_N_LONGEST: Final = 10
_N_ROWS: Final = 12
"""Special tokens, sources or files that are listed for people; JSON has all."""


def inspect(
    folder: Annotated[Path, typer.Argument(metavar="PATH", help=f"A folder of shards or counts. {TOKENIZER_HELP}")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Say what a tokenizer is, or what shards or counts hold.

    Of shards, only the index is read: `tokenloom verify` reads every byte.
    """
    del config
    from tokenloom.storage.manifest import manifest_kind

    kind = manifest_kind(folder)
    if kind == _SHARDS:
        facts = _shard_facts(folder)
    elif kind == _COUNTS:
        facts = _count_facts(folder)
    elif kind in (_TOKENIZER, None):
        facts = _tokenizer_facts(folder)
    else:
        raise StorageError(f"{str(folder)!r}: it holds a {kind!r}, which this tokenloom does not know. Upgrade it.")
    if as_json:
        print_json(facts)
    else:
        print_facts(_SHOWN[facts["kind"]](facts))


def _model_facts(model: "Model") -> dict[str, Any]:
    """What the model is told to do, as its JSON says it; of BPE always whether it ignores merges."""
    always = {"ignore_merges": False} if model.type == "bpe" else {}
    return always | {name: value for name, value in model.config().items() if name != "type"}


def _tokenizer_facts(folder: Path) -> dict[str, Any]:
    from tokenloom.tokenizer import Tokenizer

    tokenizer = Tokenizer.load(folder)
    spec = tokenizer.spec
    return {
        "kind": _TOKENIZER,
        "folder": str(folder),
        "format": _format(folder, tokenizer),
        "fingerprint": spec.fingerprint,
        "vocabulary_size": len(tokenizer),
        "n_tokens": len(tokenizer.vocabulary),
        "n_merges": len(spec.merges) // 8,
        "model": spec.model.type,
        **_model_facts(spec.model),
        "normalizer": [step.config() for step in spec.normalizer.steps] if spec.normalizer else [],
        "pretokenizer": spec.pretokenizer.type,
        "pattern": None if spec.pretokenizer.steps else tokenizer.pattern,
        "steps": [step.config() for step in spec.pretokenizer.steps],
        "postprocessor": spec.postprocessor and spec.postprocessor.config(),
        **_settings(tokenizer),
        "special_tokens": tokenizer.special_tokens,
        "added_tokens": {token.content: token.id for token in spec.added_tokens if not token.special},
        "longest_tokens": _longest(tokenizer),
        "provenance": dict(tokenizer.provenance),
        "files": _files(folder),
    }


def _format(folder: Path, tokenizer: "Tokenizer") -> str:
    """Ours, or what the loader found; a tokenizer that was loaded and saved again keeps that in its provenance."""
    from tokenloom.formats import native, packed

    if packed.is_packed(folder):
        return "packed"
    return "native" if native.is_saved(folder) else str(tokenizer.provenance["format"])


def _model_row(facts: dict[str, Any]) -> str:
    by = f", by {facts['semantics']}" if "semantics" in facts else ""
    return f"{facts['model']}{by}{', whole pretokens first' * facts.get('ignore_merges', False)}"


def _settings(tokenizer: "Tokenizer") -> dict[str, Any]:
    """Truncation and padding of the `tokenizer.json` that it comes from."""
    is_theirs = tokenizer.provenance.get("format") == "hf_json"
    return {key: tokenizer.provenance.get(key) if is_theirs else None for key in ("truncation", "padding")}


def _longest(tokenizer: "Tokenizer") -> list[dict[str, Any]]:
    added = {token.id for token in tokenizer.spec.added_tokens}
    ordinary = [(token, token_id) for token_id, token in tokenizer.vocabulary.items() if token_id not in added]
    ordinary.sort(key=lambda pair: (-len(pair[0]), pair))
    return [
        {"id": token_id, "n_bytes": len(token), "text": token.decode(errors="replace"), "hex": token.hex()}
        for token, token_id in ordinary[:_N_LONGEST]
    ]


def _shard_facts(folder: Path) -> dict[str, Any]:
    from tokenloom.shards import open as open_shards

    opened = open_shards(folder, verify=False)
    header = opened.header
    return {
        "kind": _SHARDS,
        "folder": str(folder),
        "dtype": opened.dtype,
        "n_docs": opened.n_docs,
        "n_tokens": opened.n_tokens,
        "n_text_bytes": header.n_text_bytes,
        "tokenizer_fingerprint": header.tokenizer_fingerprint,
        "begin_of_document": header.begin_of_document and header.begin_of_document.content,
        "end_of_document": header.end_of_document and header.end_of_document.content,
        "document_separator": _text(header.separator),
        "shards": dict(header.shards),
        "sources": [
            {"name": row.name, "format": row.format, "n_docs": row.n_docs, "n_text_bytes": row.n_text_bytes}
            for row in header.sources
        ],
        "files": _files(folder),
    }


def _count_facts(folder: Path) -> dict[str, Any]:
    from tokenloom.jobs.train_counts import counts_file_of
    from tokenloom.trainers import read_count_header

    header = read_count_header(counts_file_of(folder))
    values = header.values()
    return {
        "kind": _COUNTS,
        "folder": str(folder),
        **{key: values[key] for key in ("n_pretokens", "n_occurrences", "n_bytes", "n_corpus_bytes")},
        **{key: values[key] for key in ("pretokenizer", "special_tokens", "max_pretoken_bytes", "n_cut_pretokens")},
        "has_positions": values["has_positions"],
        "files": _files(folder),
    }


def _text(separator: bytes | None) -> str | None:
    return None if separator is None else separator.decode(errors="backslashreplace")


def _files(folder: Path) -> dict[str, int]:
    """Lengths of the files, those beside the manifest too; none of an encoding that was found by its name."""
    if not folder.is_dir():
        return {folder.name: folder.stat().st_size} if folder.is_file() else {}
    return {entry.name: entry.stat().st_size for entry in sorted(folder.iterdir()) if entry.is_file()}


def _tokenizer_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    holes = facts["vocabulary_size"] - facts["n_tokens"]
    gaps = f", {counted(holes, 'id')} without a token" if holes else ""
    specials, added = (
        [f"{token_id:>8,}  {content!r}" for content, token_id in facts[key].items()]
        for key in ("special_tokens", "added_tokens")
    )
    longest = [
        f"{token['n_bytes']:>4} bytes  id {token['id']:<8} {printable(bytes.fromhex(token['hex']))}"
        for token in facts["longest_tokens"]
    ]
    return [
        ("tokenizer", facts["folder"]),
        ("fingerprint", facts["fingerprint"]),
        ("vocabulary size", f"{facts['vocabulary_size']:,}{gaps}"),
        ("merges", f"{facts['n_merges']:,}"),
        ("format", facts["format"]),
        ("model", _model_row(facts)),
        *([("normalizer", _some([_step(step) for step in facts["normalizer"]]))] if facts["normalizer"] else []),
        ("pretokenizer", facts["pretokenizer"]),
        *([("steps", _some([_step(step) for step in facts["steps"]]))] if facts["steps"] else []),
        *([("pattern", facts["pattern"])] if facts["pattern"] else []),
        *([("template", _template(facts))] if facts["postprocessor"] else []),
        *((key, _setting(facts[key])) for key in ("truncation", "padding") if facts[key]),
        ("special tokens", _some(specials) or "none"),
        *([("added tokens", _some(added))] if added else []),
        ("longest tokens", _some(longest)),
        ("provenance", _some([f"{key}: {value}" for key, value in _flat(facts["provenance"])]) or "none"),
        (
            "files",
            _some([f"{format_bytes(size):>8}  {one_line(name)}" for name, size in facts["files"].items()]) or "none",
        ),
    ]


def _shard_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    n_tokens, n_text_bytes = facts["n_tokens"], facts["n_text_bytes"]
    ratio = f", {n_text_bytes / n_tokens:.2f} bytes per token" if n_tokens else ""
    sources = [
        f"{format_bytes(row['n_text_bytes']):>8}  {counted(row['n_docs'], 'document'):>15}  {one_line(row['name'])}"
        for row in facts["sources"]
    ]
    return [
        ("token shards", facts["folder"]),
        ("documents", f"{facts['n_docs']:,}"),
        ("tokens", f"{n_tokens:,} of {facts['dtype']}"),
        ("text", f"{format_bytes(n_text_bytes)}{ratio}"),
        ("tokenizer", facts["tokenizer_fingerprint"]),
        ("begin of document", _quoted(facts["begin_of_document"])),
        ("end of document", _quoted(facts["end_of_document"])),
        ("document separator", _quoted(facts["document_separator"])),
        ("shards", _some([f"{counted(n, 'token'):>20}  {name}" for name, n in facts["shards"].items()])),
        ("sources", _some(sources)),
        ("files", _some([f"{format_bytes(size):>8}  {one_line(name)}" for name, size in facts["files"].items()])),
    ]


def _count_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    longest, n_cut = facts["max_pretoken_bytes"], counted(facts["n_cut_pretokens"], "pretoken")
    return [
        ("counts", facts["folder"]),
        ("pretokens", f"{facts['n_pretokens']:,} distinct, {facts['n_occurrences']:,} in all"),
        ("text", f"{format_bytes(facts['n_bytes'])}, read from {format_bytes(facts['n_corpus_bytes'])}"),
        ("pretokenizer", _step(facts["pretokenizer"])),
        ("special tokens", _some([repr(token) for token in facts["special_tokens"]]) or "none"),
        ("longest pretoken", "any length" if longest is None else f"{longest:,} bytes, {n_cut} cut"),
        ("first positions", "yes" if facts["has_positions"] else "no"),
        ("files", _some([f"{format_bytes(size):>8}  {one_line(name)}" for name, size in facts["files"].items()])),
    ]


_SHOWN: Final = {_TOKENIZER: _tokenizer_rows, _SHARDS: _shard_rows, _COUNTS: _count_rows}


def _quoted(content: str | None) -> str:
    return "none" if content is None else repr(content)


def _template(facts: dict[str, Any]) -> str:
    """What stands around one text and around two, with the names of special tokens for their ids."""
    names = {
        token_id: content for key in ("special_tokens", "added_tokens") for content, token_id in facts[key].items()
    }
    return "\n".join(
        " ".join(item["sequence"] if "sequence" in item else names.get(item["id"], str(item["id"])) for item in items)
        for items in (facts["postprocessor"]["single"], facts["postprocessor"]["pair"])
    )


def _setting(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value!r}" for key, value in _flat(values))


def _step(step: dict[str, Any]) -> str:
    """A step of a normalizer or pretokenizer in one line: its type, then what else it says but the tables it uses."""
    rest = [f"{key}={value!r}" for key, value in step.items() if key not in {"type", "unicode"}]
    return " ".join([step["type"], *rest])


def _some(lines: list[str]) -> str:
    rest = len(lines) - _N_ROWS
    return "\n".join(lines[:_N_ROWS] + ([f"... and {rest:,} more, see --json"] if rest > 0 else []))


def _flat(values: dict[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Nested values with dotted names."""
    rows: list[tuple[str, Any]] = []
    for key, value in values.items():
        rows += _flat(value, f"{before}{key}.") if isinstance(value, dict) else [(f"{before}{key}", value)]
    return rows
