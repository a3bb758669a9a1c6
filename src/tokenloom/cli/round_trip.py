"""`tokenloom round-trip`: whether text comes back from its ids, and what is lost."""

from typing import TYPE_CHECKING, Any, Final

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.output import print_facts, print_json
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.metrics import Losses

__all__ = ["EXAMPLE", "round_trip"]

EXAMPLE: Final = "tokenloom round-trip data/*.txt --tokenizer my-tokenizer"

_MOST_LOST: Final = 10


def round_trip(
    paths: shared.Corpus,
    tokenizer: shared.TokenizerFolder,
    document_format: shared.DocumentFormat = "auto",
    document_separator: shared.DocumentSeparator = None,
    text_field: shared.TextField = "text",
    compression: shared.Compression = "auto",
    storage_option: shared.StorageOption = None,
    as_json: shared.AsJson = False,
    config: shared.Config = None,
) -> None:
    """Check that text comes back from its ids.

    Shows what is lost, and where. If a document does not come back as it was, the exit code is 1.
    """
    del config
    from tokenloom.jobs.round_trip import round_trip_corpus
    from tokenloom.tokenizer import Tokenizer

    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error="stop",
    )
    result = round_trip_corpus(paths, tokenizer=Tokenizer.load(tokenizer), documents=documents)
    if as_json:
        print_json(_facts(result))
    else:
        print_facts(_rows(result))
    if not result.is_lossless:
        raise typer.Exit(1)


def _facts(result: "Losses") -> dict[str, Any]:
    return {
        "is_lossless": result.is_lossless,
        "n_docs": result.n_docs,
        "n_lossy_docs": result.n_lossy_docs,
        "n_tokens": result.n_tokens,
        "n_unknown": result.n_unknown,
        "most_lost": [{"text": text, "count": count} for text, count in result.most_lost(_MOST_LOST)],
        "examples": [
            {
                "document": place.document,
                "char_offset": place.char_offset,
                "text": place.text,
                "decoded": place.decoded,
            }
            for place in result.examples
        ],
    }


def _rows(result: "Losses") -> list[tuple[str, str]]:
    if result.is_lossless:
        what = f"all of {counted(result.n_docs, 'document')}, {counted(result.n_tokens, 'token')}"
        return [("lossless", f"{what}, came back as they were")]
    lossy = f"{result.n_lossy_docs:,} of {counted(result.n_docs, 'document')} came back changed"
    rows = [("lossy", lossy)]
    if result.n_unknown:
        share = result.n_unknown / result.n_tokens
        lost = ", ".join(f"{text!r} ({counted(count, 'time')})" for text, count in result.most_lost(_MOST_LOST))
        rows += [
            ("unknown", f"{result.n_unknown:,} of {counted(result.n_tokens, 'token')}, {share:.2%}"),
            ("lost", lost),
        ]
    for place in result.examples:
        at = f"document {place.document}, character {place.char_offset:,}"
        rows.append(("example", f"{at}: {place.text!r} came back as {place.decoded!r}"))
    return rows
