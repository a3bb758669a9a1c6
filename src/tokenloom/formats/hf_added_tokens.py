"""The added tokens of `tokenizer.json`, both ways, and what the library makes of them.

It passes over the ids that the file gives them and looks their texts up in the vocabulary, spells no bytes in them but
reads bytes in them when it decodes, and decodes one that is normalized as its normalized text. Where that is not what
the file says, or what a tokenizer means, the token is refused by name.
Sources: `tokenizer/added_vocabulary.rs` and `pre_tokenizers/byte_level.rs` of huggingface/tokenizers.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from tokenloom.errors import FormatError, FormatWarning, TokenloomError
from tokenloom.formats.json_values import Node
from tokenloom.spec import AddedToken, Normalizer, Pretokenizer, build_spec
from tokenloom.spec.alphabets import CHARACTER_TO_BYTE, to_characters
from tokenloom.wording import quoted, warn_caller

__all__ = [
    "Keys",
    "added_token_json",
    "cannot_hold",
    "check_added",
    "check_normalized",
    "check_spelled",
    "find_normalized_fault",
    "is_read_as_bytes",
    "n_in_vocabulary",
    "read_added_tokens",
]

_FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
"""In the order of the library."""
_ADDED_KEYS: Final = {"id", "content", *_FLAGS}


class Keys(Protocol):
    """The keys of a vocabulary and their ids, one to one."""

    def __len__(self) -> int: ...

    def id_of(self, key: str, /) -> int | None:
        """The id of a key; None if it is not there."""

    def key_of(self, token_id: int, /) -> str | None:
        """The key with an id; None if there is none."""


def read_added_tokens(top: Node) -> list[AddedToken]:
    """The added tokens in the order of the file. Raises: FormatError for one that is at fault or there twice."""
    added = [_read(item) for item in top.get("added_tokens", []).items()]
    _check_distinct(added, top)
    return added


def added_token_json(added: AddedToken) -> dict[str, Any]:
    """The entry of one token."""
    return {"id": added.id, "content": added.content} | {flag: getattr(added, flag) for flag in _FLAGS}


def _read(node: Node) -> AddedToken:
    if _is_plain(node.value):
        return AddedToken(**node.value)
    node.only("id", "content", *_FLAGS)
    token_id, content = node["id"].whole_number(), node["content"].text()
    return AddedToken(content, token_id, **{flag: node[flag].flag() for flag in _FLAGS})


def _is_plain(value: Any) -> bool:
    """Whether an added token has all keys and no others, with values of their kind: files have a thousand of them."""
    if type(value) is not dict or value.keys() != _ADDED_KEYS:
        return False
    return (
        type(value["content"]) is str
        and (type(value["id"]) is int and value["id"] >= 0)
        and set(map(type, map(value.__getitem__, _FLAGS))) == {bool}
    )


def _check_distinct(added: list[AddedToken], top: Node) -> None:
    """Refuse a text or an id that is there twice, with its place."""
    texts: dict[str, int] = {}
    ids: dict[int, int] = {}
    for position, token in enumerate(added):
        if (first := texts.setdefault(token.content, position)) != position:
            place = top["added_tokens"][position]
            raise place.fault(f"{quoted(token.content)} is already added_tokens[{first}]", "Remove one of the two")
        if (first := ids.setdefault(token.id, position)) != position:
            what = f"{quoted(token.content)} has id {token.id}, which is that of {quoted(added[first].content)}"
            raise top["added_tokens"][position].fault(what, "Give each added token its own id")


def check_added(added: Sequence[AddedToken], keys: Keys, file: str) -> None:
    """Refuse added tokens that lie on other tokens.

    The library passes over the id that the file gives to an added token: it looks its text up in the vocabulary, and
    numbers the others from the size of the vocabulary on. Where that is another id than the file's, both are wrong.
    """
    next_id = len(keys)
    for position, token in enumerate(added):
        place = Node(token, f"added_tokens[{position}]", file)
        known = keys.id_of(token.content)
        if known is None and (owner := keys.key_of(token.id)) is not None:
            what = f"{quoted(token.content)} has id {token.id}, which is that of {quoted(owner)} in model.vocab"
            raise place.fault(what, "Give it an id of its own")
        expected = next_id if known is None else known
        if token.id != expected:
            what = f"{quoted(token.content)} has id {token.id}, but the library that reads this file gives it"
            where = "by its place behind the vocabulary" if known is None else "from model.vocab"
            remedy = f"Write id {expected}, or enter it in model.vocab with its id"
            raise place.fault(f"{what} {expected}, {where}", remedy)
        next_id = max(next_id, token.id + 1)


def n_in_vocabulary(added: Sequence[AddedToken], n_tokens: int) -> int:
    """How many of some added tokens, sorted by id, must stand in a vocabulary that has `n_tokens` others.

    The library numbers those that do not from the size of the vocabulary on, so they are the longest end of the list
    whose ids that gives.

    >>> n_in_vocabulary([AddedToken("<a>", 300), AddedToken("<b>", 257), AddedToken("<c>", 258)], 256)
    1
    """
    return max((at + 1 for at, token in enumerate(added) if token.id != n_tokens + at), default=0)


def check_spelled(added: Sequence[AddedToken], keys: Keys, file: str) -> None:
    """Refuse added tokens of a byte-level file whose text another token spells, or that are decoded as other bytes."""
    for position, token in enumerate(added):
        place = Node(token, f"added_tokens[{position}]", file)
        if is_read_as_bytes(token.content):
            what = f"the characters of {quoted(token.content)} all stand for bytes, so the library decodes it as these"
            raise place.fault(what, "Rename it, with a character beside GPT-2's, such as a blank or '｜'")
        spelled = to_characters(token.content.encode())
        other = keys.id_of(spelled)
        if spelled != token.content and other is not None and other != token.id:
            what = f"{quoted(token.content)} has id {token.id}, and the same text is token {quoted(spelled)}"
            raise place.fault(f"{what} with id {other}", "Give both the same id, or remove the added token")


def is_read_as_bytes(content: str) -> bool:
    """Whether the decoder of byte-level tokens makes other bytes of a text than its own.

    >>> [is_read_as_bytes(content) for content in ("<s>", "«x»", "<｜s｜>", "« x »")]
    [False, True, False, False]
    """
    return not content.isascii() and CHARACTER_TO_BYTE.keys() >= set(content)


def check_normalized(added: Sequence[AddedToken], normalizer: Normalizer | None, file: str) -> None:
    """Refuse added tokens that the library decodes as other texts, see `find_normalized_fault`."""
    if (found := find_normalized_fault(added, normalizer, place=file)) is not None:
        position, what = found
        remedy = "Write false for its key normalized, or its normalized text in its place"
        raise Node(None, f"added_tokens[{position}]", file).fault(what, remedy)


def find_normalized_fault(
    added: Sequence[AddedToken], normalizer: Normalizer | None, *, place: str
) -> tuple[int, str] | None:
    """The first added token that the library would not decode as its text, by its position, and what is wrong.

    Such a one is looked for in normalized text, and is normalized for that; the library decodes its id to the
    normalized text. If nothing is left of it, it is found everywhere.
    Warns: FormatWarning where normalizing only puts a text before it, as in the first files of LLaMA: ids are the same.
    """
    looked_for = [(position, token) for position, token in enumerate(added) if token.normalized]
    if normalizer is None or not looked_for:
        return None
    normal = _normalizing(normalizer, place)
    normalized = [(position, token, normal(token.content)) for position, token in looked_for]
    others = [found for found in normalized if found[2] != found[1].content]
    for position, token, text in others:
        if not text:
            return position, f"nothing is left of {quoted(token.content)} when it is normalized, so it is everywhere"
        if not text.endswith(token.content):
            what = f"{quoted(token.content)} is normalized to {quoted(text)}, and the library decodes it to that"
            return position, what
    if others:
        _, token, text = others[0]
        warn_caller(
            f"{place}: {token.kind} {quoted(token.content)} (id {token.id}) is found as {quoted(text)} in normalized "
            "text, and the library decodes it to that; here it is decoded to its own text. Write false for its key "
            "normalized if it shall be found as it is.",
            FormatWarning,
        )
    return None


def _normalizing(normalizer: Normalizer, place: str) -> Callable[[str], str]:
    """What makes the normalized text of a text."""
    from tokenloom import _core  # formats can be listed without it

    byte_tokens = {byte: bytes([byte]) for byte in range(256)}
    spec = build_spec(byte_tokens, [], pretokenizer=Pretokenizer("none"), normalizer=normalizer)
    try:
        pipeline = _core.Pipeline(
            spec.config_json(), spec.arrays, special_text="plain", surrogates="refuse", cache_bytes=1 << 16
        )
    except TokenloomError as error:
        raise FormatError(f"{place}: {error}") from error

    def normal(text: str) -> str:
        try:
            return b"".join(pipeline.pretokens(text, None, None)).decode()
        except TokenloomError as error:
            raise FormatError(f"{place}, normalizer, in added token {quoted(text)}: {error}") from error

    return normal


def cannot_hold(place: str, added: AddedToken, what: str) -> FormatError:
    """The error for a token that the file cannot hold."""
    return FormatError(
        f"{place}: cannot hold {added.kind} {quoted(added.content)} (id {added.id}): {what}. "
        "Rename it, or use another format."
    )
