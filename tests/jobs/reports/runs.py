"""Small real runs, and the words of the pages on them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeOptions, EncodeRun, encode_corpus
from tokenloom.jobs.train_corpus import TrainRun, train_corpus
from tokenloom.report import Page, Section
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import BpeOptions

TEXT = "the cat in the hat, 2nd hat: don't </script> 你好你们 " * 20
END = "<|end|>"


def trained(folder: Path, files: str | Mapping[str, str] = TEXT, *, vocab_size: int = 289, **more: Any) -> TrainRun:
    """A training on files, or on one file with a text."""
    corpus = write_corpus(folder, {"a.txt": files} if isinstance(files, str) else files)
    return train_corpus([corpus], options=BpeOptions(vocab_size, [END]), out=folder / "tokenizer", **more)


def encoded(
    folder: Path,
    files: Mapping[str, str],
    tokenizer: Tokenizer,
    *,
    documents: DocumentOptions = DocumentOptions(document_separator=b"||"),  # noqa: B008 - a frozen value
    **options: Any,
) -> EncodeRun:
    """An encoding of files, in which `||` stands between documents."""
    corpus = write_corpus(folder, files)
    options_ = EncodeOptions(**options)
    return encode_corpus([corpus], tokenizer=tokenizer, out=folder / "shards", documents=documents, options=options_)


def write_corpus(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder of text files."""
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for name, text in files.items():
        (corpus / name).write_text(text, encoding="utf-8", newline="")
    return corpus


def words(page: Page | Section) -> str:
    """The text of a page without markup, blanks collapsed; a cell ends with a bar."""
    whole = page if isinstance(page, Page) else Page("", "", [page])
    html = re.sub(r"<style>.*?</style>", "", whole.html(), flags=re.DOTALL)
    html = re.sub(r"</(?:td|th|dd|dt|li|p|h1|h2|caption|figcaption|title|text)>", " | ", html)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).replace("&#x27;", "'")
