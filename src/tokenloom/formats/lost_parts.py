"""What a tokenizer may have that a format has no room for: one list, so that no format drops a part in silence.

A format names the parts that it lacks; a tokenizer that has one of them is refused, and the message names all of them.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from tokenloom.errors import FormatError
from tokenloom.spec import BpeModel, Pretokenizer, TokenizerSpec
from tokenloom.wording import quoted

__all__ = ["PARTS", "Part", "refuse_lost"]

Part = Literal[
    "characters",
    "ranks",
    "ignore_merges",
    "normalizer",
    "other pretokenizers",
    "sequence",
    "custom pattern",
    "flags",
    "postprocessor",
]


def refuse_lost(spec: TokenizerSpec, *, lacks: tuple[Part, ...], place: str, holder: str) -> None:
    """Refuse a tokenizer that has parts which a format lacks.

    Args:
        spec: the tokenizer.
        lacks: what the format has no room for.
        place: names the file in errors.
        holder: names the format, such as "a rank file".
    Raises: FormatError naming all parts that would be lost.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [], pretokenizer=Pretokenizer("o200k"))
    >>> refuse_lost(spec, lacks=("flags",), place="x", holder="x")
    >>> refuse_lost(spec, lacks=("other pretokenizers",), place="merges.txt", holder="a list of merges")
    Traceback (most recent call last):
    tokenloom.errors.FormatError: merges.txt: a list of merges cannot hold pretokenizer 'o200k'. Use another format.
    """
    lost = [found for part in lacks if (found := PARTS[part](spec)) is not None]
    if lost:
        raise FormatError(f"{place}: {holder} cannot hold {' and '.join(lost)}. Use another format.")


def _characters(spec: TokenizerSpec) -> str | None:
    if isinstance(spec.model, BpeModel):
        return None if spec.joins_bytes else "a model that joins characters"
    return f"model {spec.model.type!r}"


def _ranks(spec: TokenizerSpec) -> str | None:
    is_ranks = isinstance(spec.model, BpeModel) and spec.model.semantics == "ranks"
    return "semantics 'ranks'" if is_ranks else None


def _ignore_merges(spec: TokenizerSpec) -> str | None:
    return "ignore_merges" if isinstance(spec.model, BpeModel) and spec.model.ignore_merges else None


def _normalizer(spec: TokenizerSpec) -> str | None:
    return "a normalizer" if spec.normalizer else None


def _other_pretokenizer(spec: TokenizerSpec) -> str | None:
    return None if spec.pretokenizer == Pretokenizer("gpt2") else f"pretokenizer {spec.pretokenizer.type!r}"


def _sequence(spec: TokenizerSpec) -> str | None:
    return "a sequence of pretokenizers" if spec.pretokenizer.steps else None


def _custom_pattern(spec: TokenizerSpec) -> str | None:
    if spec.pretokenizer.regex is None:
        return None
    return f"the custom pattern {quoted(spec.pretokenizer.regex)}, which may leave text out that is dropped there"


def _flags(spec: TokenizerSpec) -> str | None:
    added = next((token for token in spec.added_tokens if token.flags()), None)
    return None if added is None else f"the flags {sorted(added.flags())} of {added.kind} {quoted(added.content)}"


def _postprocessor(spec: TokenizerSpec) -> str | None:
    return "a postprocessor" if spec.postprocessor else None


PARTS: Final[Mapping[Part, Callable[[TokenizerSpec], str | None]]] = {
    "characters": _characters,
    "ranks": _ranks,
    "ignore_merges": _ignore_merges,
    "normalizer": _normalizer,
    "other pretokenizers": _other_pretokenizer,
    "sequence": _sequence,
    "custom pattern": _custom_pattern,
    "flags": _flags,
    "postprocessor": _postprocessor,
}
"""What a tokenizer has of each part, in words; None for nothing."""
