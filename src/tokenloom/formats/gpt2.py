"""GPT-2's two files: `vocab.json` (token to id) and `merges.txt` (one merge a line, rank 0 first).

Both spell token bytes with GPT-2's characters (`spec/alphabets.py`), so blanks and line ends never stand for
themselves and a line splits at its one space. Neither file says how text is cut and which tokens are special: the
caller does. Of GPT-2's own two files both are known.
Source: `encoder.py` of openai/gpt-2.
"""

import hashlib
import json
import os
import re
import reprlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import concat
from pathlib import Path
from typing import Any, Final, Never

from tokenloom.errors import CorpusError, FormatError, FormatWarning
from tokenloom.formats.encodings import ENCODINGS, GPT2_PAIR
from tokenloom.formats.id_holes import refuse_holes
from tokenloom.formats.lost_parts import Part, refuse_lost
from tokenloom.formats.text import utf8_text
from tokenloom.spec import (
    PatternName,
    Pretokenizer,
    TokenizerSpec,
    build_spec,
    pretokenizer_of,
    special_contents,
)
from tokenloom.spec.alphabets import CHARACTER_TO_BYTE, from_characters, to_characters
from tokenloom.spec.faults import Fault, FaultError
from tokenloom.storage import read_input, replace_files
from tokenloom.wording import counted, quoted, warn_caller

__all__ = ["LACKS", "MERGES", "VOCAB", "read_gpt2", "read_published_gpt2", "write_gpt2"]

VOCAB: Final = "vocab.json"
MERGES: Final = "merges.txt"
_HEADER: Final = "#version"
LACKS: Final[tuple[Part, ...]] = (
    "characters",
    *("ranks", "ignore_merges", "normalizer", "other pretokenizers", "flags", "postprocessor"),
)
"""See `lost_parts`. Which tokens are special is lost too, as everybody knows who reads the files."""
_MARK: Final = re.compile(rb"<.+>|\[.+\]", re.DOTALL)
"""What a special token looks like."""
_JSON_STRING: Final = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?', re.DOTALL)

PathLike = str | os.PathLike[str]


def read_gpt2(
    vocab_path: PathLike,
    merges_path: PathLike,
    special_tokens: Sequence[str] | None = (),
    *,
    pattern: PatternName | Pretokenizer | None = "gpt2",
) -> TokenizerSpec:
    """Read a tokenizer from GPT-2's two files.

    Args:
        vocab_path: the JSON object of tokens and ids.
        merges_path: the list of merges; a first line that begins with `#version` is a header, all others are merges.
        special_tokens: contents; one that is in the vocabulary keeps its id, the others get the next free ids. A
            token that is special but not named stays an ordinary entry, which no merge reaches.
        pattern: how text is cut, as in `Tokenizer`: the files do not say. Those of Qwen, for example, want `"qwen2"`.
    Raises: CorpusError for a missing file; FormatError naming file and line; SpecialTokenError; SpecError for an
        unknown pattern.
    Warns: FormatWarning if no merge makes a token that does not look like a special one.
    """
    pretokenizer, specials = pretokenizer_of(pattern), special_contents(special_tokens)
    vocab = _read_vocab_or_swapped(vocab_path, merges_path)
    return _spec_of(vocab, _read_merges(merges_path), specials, pretokenizer)


def read_published_gpt2(vocab_path: PathLike, merges_path: PathLike) -> TokenizerSpec:
    """Read GPT-2's own two files, known by their content; `<|endoftext|>` is special in it.

    Raises: CorpusError for a missing file; FormatError if they are damaged, or those of another tokenizer, of which
        only the caller can know how text is cut.
    """
    vocab = _read_vocab_or_swapped(vocab_path, merges_path)
    merges = _read_merges(merges_path)
    entries = " ".join(f"{spelling} {token_id}" for spelling, token_id in sorted(vocab.ids.items()))
    content = f"{entries}\n{' '.join(merges.parts)}"
    if hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest() != GPT2_PAIR:
        what = f"it is not GPT-2's own, and {VOCAB} and {MERGES} do not say how text is cut and what is special"
        remedy = f"Use Tokenizer.from_files({VOCAB!r}, {MERGES!r}, special_tokens, pattern=...), or a tokenizer.json"
        _refuse(vocab.path, what, remedy)
    return _spec_of(vocab, merges, list(ENCODINGS["gpt2"].special_tokens), Pretokenizer("gpt2"))


def _spec_of(vocab: "_Vocab", merges: "_Merges", specials: Sequence[str], pretokenizer: Pretokenizer) -> TokenizerSpec:
    token_of = _decoded(vocab, raw=_raw_specials(vocab, merges, specials))
    vocabulary = {token_id: token_of[spelling] for spelling, token_id in vocab.ids.items()}
    pairs = _decoded_merges(merges, token_of)
    refuse_holes(max(vocabulary, default=0), len(vocabulary), place=vocab.path)
    try:
        spec = build_spec(vocabulary, pairs, specials, pretokenizer=pretokenizer)
    except FaultError as error:
        raise FormatError(_located(error.fault, vocab, merges)) from error
    _check_all_are_made(vocabulary, pairs, specials, merges.path)
    return spec


def write_gpt2(spec: TokenizerSpec, vocab_path: PathLike, merges_path: PathLike) -> None:
    """Write a tokenizer as GPT-2's two files; special tokens become entries of the vocabulary, in the same spelling.

    Both files are on the disk under temporary names before either takes the place of an old one, so an error or Ctrl-C
    leaves a pair. Only a kill between the two renames leaves the new vocab.json beside the old merges.txt.

    Raises: FormatError if the files would be read as another tokenizer; StorageError if they cannot be written.
    """
    if os.path.realpath(vocab_path) == os.path.realpath(merges_path):
        _refuse(str(vocab_path), "is named for both files", "Give each its own path")
    refuse_lost(spec, lacks=LACKS, place=str(merges_path), holder=f"{VOCAB} with {MERGES}")
    vocabulary = spec.vocabulary()
    ids = {to_characters(token): token_id for token_id, token in vocabulary.items()}
    if len(ids) < len(vocabulary):
        _refuse(str(vocab_path), "cannot hold two ids with the same bytes", "Save in the native format")
    lines = [f"{to_characters(left)} {to_characters(right)}\n" for left, right in spec.merge_list()]
    merges = "".join([f"{_HEADER}: 0.2\n", *lines])
    replace_files({Path(vocab_path): json.dumps(ids).encode("ascii"), Path(merges_path): merges.encode()})


@dataclass(frozen=True, slots=True)
class _Vocab:
    """A vocabulary as spelled in its file."""

    path: str
    text: str
    ids: Mapping[str, int]

    def place(self, spelling: str, *, occurrence: int = 0) -> str:
        """File, line and column of a key; searched for only when an error needs it."""
        keys = (match for match in _JSON_STRING.finditer(self.text) if match[2])
        found = [match.start() for match in keys if json.loads(match[1], strict=False) == spelling]
        position = found[occurrence] if occurrence < len(found) else 0
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        return f"{self.path}, line {line}, column {column}"


@dataclass(frozen=True, slots=True)
class _Merges:
    """Merges as spelled in their file: left and right parts in turn, one list for speed."""

    path: str
    parts: Sequence[str]
    first_line: int

    def place(self, rank: int) -> str:
        """File and line of a merge."""
        return f"{self.path}, line {self.first_line + rank}"


def _read_vocab_or_swapped(vocab_path: PathLike, merges_path: PathLike) -> _Vocab:
    """The vocabulary; if it is none, but the other file is, the two paths were swapped."""
    try:
        return _read_vocab(vocab_path)
    except FormatError as error:
        try:
            other = _read_vocab(merges_path)
        except (CorpusError, FormatError):
            raise error from None
        what = f"is no vocabulary, but {other.path} is one"
        _refuse(str(Path(vocab_path)), what, "Swap the two paths: the vocabulary comes first, then the merges")


def _read_vocab(path: PathLike) -> _Vocab:
    name, text = str(Path(path)), utf8_text(read_input(path), place=str(Path(path)))
    vocab = _Vocab(name, text, {})
    try:
        ids = json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, vocab))
    except json.JSONDecodeError as error:
        _refuse(f"{name}, line {error.lineno}, column {error.colno}", f"not JSON ({error.msg})", "Restore the file")
    except FormatError:
        raise
    except (RecursionError, ValueError):  # ValueError: a number with thousands of digits
        _refuse(f"{name}, line 1", "no object of tokens and ids", "Name a vocab.json as GPT-2 has it")
    if not isinstance(ids, dict):
        _refuse(f"{name}, line 1", "no object of tokens and ids", "Name a vocab.json as GPT-2 has it")
    if set(map(type, ids.values())) - {int}:
        spelling = next(spelling for spelling, token_id in ids.items() if type(token_id) is not int)
        what = f"the id {quoted(ids[spelling])} of {quoted(spelling)} is no whole number"
        _refuse(vocab.place(spelling), what, "Mend the id")
    if len(set(ids.values())) < len(ids):
        _refuse_double_id(vocab, ids)
    return _Vocab(name, text, ids)


def _unique(pairs: list[tuple[str, Any]], vocab: _Vocab) -> dict[str, Any]:
    ids = dict(pairs)
    if len(ids) < len(pairs):
        double, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        place = vocab.place(double, occurrence=1)
        _refuse(place, f"token {quoted(double)} is there twice", "Delete one of the two entries")
    return ids


def _refuse_double_id(vocab: _Vocab, ids: Mapping[str, int]) -> Never:
    owner: dict[int, str] = {}
    for spelling, token_id in ids.items():
        if owner.setdefault(token_id, spelling) != spelling:
            what = f"token {quoted(spelling)} has id {token_id}, which is the id of {quoted(owner[token_id])}"
            _refuse(vocab.place(spelling), what, "Give each token its own id")
    raise AssertionError("unreachable: called only when an id is there twice")


def _read_merges(path: PathLike) -> _Merges:
    name = str(Path(path))
    lines = utf8_text(read_input(path), place=name).replace("\r\n", "\n").removesuffix("\r").split("\n")
    if lines[-1] == "":
        lines.pop()
    has_header = bool(lines) and lines[0].startswith(_HEADER)
    first_line = 1 + has_header
    lines = lines[has_header:]
    parts = " ".join(lines).split(" ") if lines else []
    if set(map(str.count, lines, repeat(" "))) - {1} or "" in parts:
        number, line = next((i, x) for i, x in enumerate(lines, first_line) if len(x.split()) != 2 or x.count(" ") != 1)
        what = f"{reprlib.repr(line)} is not two tokens with one space between"
        _refuse(f"{name}, line {number}", what, "Mend the line, or delete it if it is no merge")
    return _Merges(name, parts, first_line)


def _raw_specials(vocab: _Vocab, merges: _Merges, special_tokens: Collection[str]) -> set[str]:
    """Special tokens that stand in the file as themselves, not spelled with GPT-2's characters.

    Other libraries write added tokens so. For printable ASCII both spellings are one; else the file decides: if it has
    the proper spelling, that is the token, and a spelling that is a single byte or made by a merge is a model token.
    """
    candidates = {
        content
        for content in special_tokens
        if len(content) > 1 and content in vocab.ids and to_characters(content.encode()) not in vocab.ids
    }
    return candidates.difference(map(concat, merges.parts[::2], merges.parts[1::2])) if candidates else candidates


def _decoded(vocab: _Vocab, *, raw: set[str]) -> dict[str, bytes]:
    """Token bytes by spelling."""
    try:
        return {s: s.encode() if s in raw else from_characters(s) for s in vocab.ids}
    except KeyError:
        spelling = next(s for s in vocab.ids if s not in raw and not CHARACTER_TO_BYTE.keys() >= set(s))
        _refuse_character(vocab.place(spelling), spelling)


def _decoded_merges(merges: _Merges, token_of: Mapping[str, bytes]) -> list[tuple[bytes, bytes]]:
    """Merges as token bytes; parts need not be in the vocabulary, build_spec says so with their rank."""
    try:
        parts = [token_of[part] if part in token_of else from_characters(part) for part in merges.parts]
    except KeyError:
        position, part = next((i, x) for i, x in enumerate(merges.parts) if not CHARACTER_TO_BYTE.keys() >= set(x))
        _refuse_character(merges.place(position // 2), part)
    return list(zip(parts[::2], parts[1::2], strict=True))


def _check_all_are_made(
    vocabulary: Mapping[int, bytes], merges: Sequence[tuple[bytes, bytes]], specials: Collection[str], place: str
) -> None:
    """Speak up if text never becomes some token, because the list of merges was cut or a special token is not named.

    Files often hold special tokens that nobody names, such as GPT-2's `<|endoftext|>`: what stands in brackets is
    taken for one.
    """
    made = {left + right for left, right in merges}.union(special.encode() for special in specials)
    unmade = {i: t for i, t in vocabulary.items() if len(t) > 1 and t not in made and not _MARK.fullmatch(t)}
    if not unmade:
        return
    token_id = min(unmade)
    example = f"such as {quoted(unmade[token_id])} (id {token_id})"
    what = f"no merge makes {counted(len(unmade), 'token')} of the vocabulary, {example}"
    remedy = "Restore the file if lines are missing, or name these tokens in special_tokens"
    if not merges:
        _refuse(place, f"there are no merges: {what}", remedy)
    warn_caller(f"{place}: {what}, so no text becomes such a token. {remedy}.", FormatWarning)


def _located(fault: Fault, vocab: _Vocab, merges: _Merges) -> str:
    """The fault with file and line in the place of id or rank."""
    if fault.merge_rank is not None:
        return f"{merges.place(fault.merge_rank)}: {fault.what}. {fault.remedy}."
    if fault.token_id is None:
        return f"{vocab.path}: {fault.what}. {fault.remedy}."
    spelling = next(spelling for spelling, token_id in vocab.ids.items() if token_id == fault.token_id)
    entry = f"token {quoted(spelling)} with id {quoted(fault.token_id)}"
    return f"{vocab.place(spelling)}: {entry}: {fault.what}. {fault.remedy}."


def _refuse_character(place: str, spelling: str) -> Never:
    bad = next(character for character in spelling if character not in CHARACTER_TO_BYTE)
    what = f"{quoted(spelling)} has the character {bad!r}, which stands for no byte"
    _refuse(place, what, "Spell tokens with GPT-2's characters (a space is 'Ġ'), or name it as a special token")


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{place}: {what}. {remedy}.")
