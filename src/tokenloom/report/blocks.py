"""The plain blocks of a page: paragraphs, notes, figures at a glance, and token chips.

A block is a small frozen value with one method: `html(name)` gives its part of the page. `name` is unique on the page;
blocks that need ids for labels derive them from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tokenloom.report.characters import chip, escape

__all__ = ["Block", "Fact", "Facts", "Note", "Text", "Tokens"]


class Block(Protocol):
    """A part of a page."""

    def html(self, name: str) -> str:
        """The HTML of this block; `name` is unique on the page and safe inside an id."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph.

    >>> Text("a < b").html("b1")
    '<p>a &lt; b</p>'
    """

    text: str

    def html(self, name: str) -> str:  # noqa: ARG002 - needs no id
        """One `p` element."""
        return f"<p>{escape(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that must not be overlooked: a limit, an estimate, something that was left out.

    >>> Note("An estimate.").html("b1")
    '<p class="note" role="note">An estimate.</p>'
    """

    text: str

    def html(self, name: str) -> str:  # noqa: ARG002 - needs no id
        """One `p` element with the role of a note."""
        return f'<p class="note" role="note">{escape(self.text)}</p>'


@dataclass(frozen=True, slots=True)
class Fact:
    """A value with its name, and perhaps a few words on it."""

    label: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Values at a glance, as cards.

    >>> Facts([Fact("Tokens", "8,192")]).html("b1")
    '<dl class="facts"><div><dt>Tokens</dt><dd>8,192</dd></div></dl>'
    """

    facts: Sequence[Fact]

    def html(self, name: str) -> str:  # noqa: ARG002 - needs no id
        """One `dl` element."""
        return f'<dl class="facts">{"".join(map(_card, self.facts))}</dl>'


def _card(fact: Fact) -> str:
    detail = f'<dd class="detail">{escape(fact.detail)}</dd>' if fact.detail else ""
    return f"<div><dt>{escape(fact.label)}</dt><dd>{escape(fact.value)}</dd>{detail}</div>"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as chips: blanks visible, bytes of half characters in hex.

    Args:
        caption: what these tokens are.
        tokens: their bytes.
        details: a few words on each, such as a count; empty for none.
    """

    caption: str
    tokens: Sequence[bytes]
    details: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.details and len(self.details) != len(self.tokens):
            raise ValueError(
                f"Tokens {self.caption!r}: {len(self.tokens)} tokens have {len(self.details)} details. "
                "Pass one detail a token, or none."
            )

    def html(self, name: str) -> str:
        """A `figure` with a list of chips."""
        details = self.details or [""] * len(self.tokens)
        items = "".join(
            f"<li>{chip(token)}{f'<small>{escape(detail)}</small>' if detail else ''}</li>"
            for token, detail in zip(self.tokens, details, strict=True)
        )
        body = f'<ul class="tokens">{items}</ul>' if items else '<p class="none">None.</p>'
        caption = f'<figcaption id="{name}">{escape(self.caption)}</figcaption>'
        return f'<figure aria-labelledby="{name}">{caption}{body}</figure>'
