"""A report as one HTML file: no scripts, nothing loaded from outside, so it can be mailed, printed and kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.report.blocks import Block
from tokenloom.report.characters import escape
from tokenloom.report.style import STYLE

__all__ = ["Page", "Section"]

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What the page may do, said to the browser: nothing but its own style. Second lock behind the escaping."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a page."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Page:
    """A report.

    Args:
        title: what it is about; also the title of the browser's tab.
        subtitle: one line on what was done.
        sections: its parts; with three or more there is a list of contents.
        footer: how the page was made.

    >>> page = Page("A <b>", "two", [Section("Numbers", [])]).html()
    >>> "<h1>A &lt;b&gt;</h1>" in page, "<script" in page
    (True, False)
    """

    title: str
    subtitle: str
    sections: Sequence[Section]
    footer: str = ""

    def html(self) -> str:
        """The whole file as text; write it as UTF-8."""
        sections = "\n".join(_section(section, f"s{number}") for number, section in enumerate(self.sections, start=1))
        footer = f"<footer>{escape(self.footer)}</footer>\n" if self.footer else ""
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f"<header><h1>{escape(self.title)}</h1><p>{escape(self.subtitle)}</p></header>\n"
            f"{_contents(self.sections)}<main>\n{sections}\n</main>\n{footer}</body>\n</html>\n"
        )


def _section(section: Section, name: str) -> str:
    blocks = "\n".join(block.html(f"{name}b{number}") for number, block in enumerate(section.blocks, start=1))
    return f'<section aria-labelledby="{name}">\n<h2 id="{name}">{escape(section.title)}</h2>\n{blocks}\n</section>'


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 3:
        return ""
    links = "".join(
        f'<li><a href="#s{number}">{escape(section.title)}</a></li>' for number, section in enumerate(sections, start=1)
    )
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n'
