"""Mistral's `tekken.json`: ranks in base64, a pattern, and room for special tokens before them.

The special tokens have the first ids (`default_num_special_tokens` of them), and a token of the vocabulary has its rank
plus their number. Not all listed tokens are used: `default_vocab_size` says how many ids there are in all. Files up to
version 7 do not list their special tokens; what has no name is called `<SPECIAL_n>` after its id.

The library never makes a special token of text: read text with `special_text="plain"` for its ids.
Source: `tokens/tokenizers/tekken.py` of mistralai/mistral-common.
"""

import binascii
import os
import reprlib
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.formats.json_values import Node, parse_json
from tokenloom.formats.patterns import regex_pretokenizer
from tokenloom.spec import AddedToken, BpeModel, TokenizerSpec
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import UINT32_BYTES, pack_arena, pack_uint32, unpack_uint32
from tokenloom.storage import read_input
from tokenloom.wording import counted, quoted

__all__ = ["TEKKEN", "parse_tekken", "read_tekken"]

TEKKEN: Final = "tekken.json"

_FIRST_NAMES: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""Special tokens of files that do not list them."""
_KEYS: Final = ("config", "vocab", "special_tokens", "image", "multimodal", "audio", "version", "type")
_CONFIG: Final = ("pattern", "num_vocab_tokens", "default_vocab_size", "default_num_special_tokens", "version")
_ENTRY: Final = ("rank", "token_bytes", "token_str")
_VERSIONS: Final = ("v3", "v7", "v11", "v13", "v15")
_MOST_SPECIALS: Final = 65_536
"""Published files have a thousand; each costs memory, whether the file names it or not."""
_RESTORE: Final = "Restore the file"


def read_tekken(path: str | os.PathLike[str]) -> TokenizerSpec:
    """Read a tokenizer from `tekken.json`.

    Raises: CorpusError for a missing file; FormatError naming file and place.
    """
    data = read_input(path)
    return parse_tekken(data, place=str(Path(path)))


def parse_tekken(data: bytes, *, place: str) -> TokenizerSpec:
    """The content of `tekken.json`; errors name `place`. See `read_tekken`."""
    top, listed = _read_document(data, place)
    config = top.only(*_KEYS)["config"].only(*_CONFIG)
    n_ids, n_special = config["default_vocab_size"].whole_number(), config["default_num_special_tokens"].whole_number()
    _check_config(config)
    if n_special > _MOST_SPECIALS:
        what = f"{n_special:,} special tokens are more than any file has"
        raise config["default_num_special_tokens"].fault(what, f"Use at most {_MOST_SPECIALS:,}")
    if not n_special <= n_ids <= ID_LIMIT:
        what = f"{n_ids} ids with {n_special} special ones among them cannot be"
        raise config.fault(what, f"Use at most {ID_LIMIT:,} ids, and fewer special ones")
    tokens = listed and _first_tokens(*listed, n_ids - n_special)
    if tokens is None:
        vocab = (top if listed is None else parse_json(data, file=place))["vocab"]
        if n_ids - n_special > len(vocab.listed()):
            what = f"asks for {counted(n_ids - n_special, 'token')}, and vocab lists {len(vocab.value):,}"
            raise config["default_vocab_size"].fault(what, _RESTORE)
        tokens = pack_arena(_tokens(vocab, n_ids - n_special))
    token_bytes, token_offsets = tokens
    try:
        return TokenizerSpec(
            model=BpeModel("ranks"),
            pretokenizer=regex_pretokenizer(config["pattern"].text(), place=f"{place}, config.pattern"),
            added_tokens=_special_tokens(top, n_special),
            token_bytes=token_bytes,
            token_offsets=pack_uint32([0] * n_special) + token_offsets,
            merges=b"",
        )
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place}: {error}") from error


def _check_config(config: Node) -> None:
    version = config["version"].text()
    if version not in _VERSIONS:
        known = f"{', '.join(_VERSIONS[:-1])} and {_VERSIONS[-1]} are read here"
        raise config["version"].fault(f"is {quoted(version)}, and {known}", "Upgrade tokenloom, or restore the file")
    config.get("num_vocab_tokens", 0).whole_number()


_Arrays = tuple[bytes, bytes]


def _read_document(data: bytes, place: str) -> tuple[Node, tuple[_Arrays, int] | None]:
    """The document; if its vocabulary is read at once, without it but with what the core gives for it."""
    from tokenloom import _core  # formats can be listed without it

    read = _core.read_tekken(data)
    if read is not None:
        with suppress(FormatError):  # which names a place in the whole document
            return parse_json(read[0], file=place), read[1:]
    return parse_json(data, file=place), None


def _first_tokens(arrays: _Arrays, n_with_all_bytes: int, n: int) -> _Arrays | None:
    """The first tokens of those listed; None if they are less, or lack some single byte."""
    token_bytes, token_offsets = arrays
    end = (n + 1) * UINT32_BYTES
    if n < n_with_all_bytes or end > len(token_offsets):
        return None
    return token_bytes[: unpack_uint32(token_offsets[end - UINT32_BYTES : end])[0]], token_offsets[:end]


def _special_tokens(top: Node, n_special: int) -> tuple[AddedToken, ...]:
    listed = top.get("special_tokens")
    if listed.value is None:
        names = dict(enumerate(_FIRST_NAMES[:n_special]))
    else:
        names = {}
        for item in listed.items():
            rank, text = item.only("rank", "token_str", "is_control")["rank"].whole_number(), item["token_str"].text()
            if rank >= n_special or rank in names:
                what = f"{quoted(text)} has rank {rank}, and ranks below {n_special} are for one special token each"
                raise item.fault(what, "Give each its own rank")
            names[rank] = text
    return tuple(AddedToken(names.get(i, f"<SPECIAL_{i}>"), i) for i in range(n_special))


def _tokens(vocab: Node, n: int) -> list[bytes]:
    """The first tokens, which must stand in the order of their ranks."""
    entries = vocab.value[:n]
    try:
        letters = [entry["token_bytes"] for entry in entries]
        tokens = list(map(binascii.a2b_base64, letters))
        ranks = [entry["rank"] for entry in entries]
        is_ranked = ranks == list(range(n)) and set(map(type, ranks)) <= {int}
        is_known = all(map(frozenset(_ENTRY).issuperset, entries))
        has_all_bytes = len({token for token in tokens if len(token) == 1}) == 256
        if (
            is_ranked
            and is_known
            and has_all_bytes
            and len(set(tokens)) == n
            and list(map(_spelled, tokens)) == letters
        ):
            return tokens
    except (TypeError, KeyError, ValueError):
        pass
    raise _first_fault(vocab, entries)


def _spelled(token: bytes) -> str:
    return b64encode(token).decode("ascii")


def _first_fault(vocab: Node, entries: Sequence[Any]) -> FormatError:
    first: dict[bytes, int] = {}
    for rank in range(len(entries)):
        item = vocab[rank].only(*_ENTRY)
        if item["rank"].whole_number() != rank:
            return item["rank"].fault(
                f"is {item['rank'].value}, and entry {rank} must have rank {rank}", "Sort the entries"
            )
        letters = item["token_bytes"].text()
        try:
            token = binascii.a2b_base64(letters, strict_mode=True)
        except ValueError as error:
            return item["token_bytes"].fault(f"{reprlib.repr(letters)} is not base64 ({error})", _RESTORE)
        if not token or _spelled(token) != letters:
            return item["token_bytes"].fault(f"{reprlib.repr(letters)} is not what base64 makes of any token", _RESTORE)
        if (known := first.setdefault(token, rank)) != rank:
            return item["token_bytes"].fault(f"token {quoted(token)} is already vocab[{known}]", "Keep one of the two")
    missing = next(token for byte in range(256) if (token := bytes([byte])) not in first)
    return vocab.fault(f"has no token for byte {missing!r}", f"{_RESTORE}: text that holds it could not be encoded")
