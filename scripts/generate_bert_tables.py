r"""Write the tables of BERT's normalizer that tokenloom-core reads, as version 0.23.3 of `tokenizers` behaves.

The library has Unicode tables of several versions: categories are those of Unicode 8, normal forms those of 9, lower
case that of the compiler. So nothing is derived here: the library is asked about every scalar value, one option at a
time, and what it answers is written down.

    DROPPED      what cleaning takes away
    BLANKS       what cleaning makes a space
    IDEOGRAPHS   what gets a space on each side
    MARKS        what taking accents away takes away, that only marks before a character are ordered with
    STARTERS     the same, where the order of marks begins anew
    ORDERED      what is left of decompositions and still has a place in the order of marks, with its class
    BARE         what becomes another text when accents are taken away, Hangul syllables left out
    LOWER        what becomes another text in lower case

Usage:
    python scripts/generate_bert_tables.py            write crates/tokenloom-core/src/bert/tables.rs
    python scripts/generate_bert_tables.py --check    exit with 1 if that file is not what would be written
"""

import argparse
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path

from tokenizers.normalizers import NFD, BertNormalizer

VERSION = "0.23.3"
COMMAND = "python scripts/generate_bert_tables.py"
TABLES = Path(__file__).resolve().parents[1] / "crates/tokenloom-core/src/bert/tables.rs"
CHARACTERS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
LINE_CHARS = 120

_OPTIONS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
_NFD = NFD().normalize_str


class GenerationError(Exception):
    """The tables cannot be generated from what is installed."""


def normalizing(*options: str) -> Callable[[str], str]:
    """The library's normalizer with these options alone."""
    return BertNormalizer(**{option: option in options for option in _OPTIONS}).normalize_str


def is_ordered(character: str) -> bool:
    """Whether a character has a place in the order of marks: it goes before U+0345 or behind U+0334."""
    return _NFD("\u0345" + character)[0] == character or _NFD(character + "\u0334")[0] == "\u0334"


def combining_class(character: str) -> int:
    """The class of a mark, found by comparing it with marks whose class has always been what it is."""
    known = {unicodedata.combining(mark): mark for mark in CHARACTERS if unicodedata.ucd_3_2_0.combining(mark)}
    for number, mark in sorted(known.items()):
        if _NFD(mark + character)[0] == mark and _NFD(character + mark)[0] == character:
            return number
    raise GenerationError(f"U+{ord(character):04X} has no known class among the marks")


def ranges(characters: Iterable[str]) -> list[tuple[int, int]]:
    """First and last of each run of neighbours."""
    runs: list[tuple[int, int]] = []
    for point in sorted(map(ord, characters)):
        if runs and runs[-1][1] == point - 1:
            runs[-1] = (runs[-1][0], point)
        else:
            runs.append((point, point))
    return runs


def changed(normalize: Callable[[str], str]) -> dict[str, str]:
    """What a normalizer changes, and to what."""
    return {character: text for character in CHARACTERS if (text := normalize(character)) != character}


def check(bare: Mapping[str, str], lower: Mapping[str, str]) -> None:
    """Refuse what the core does not expect: it puts both changes together character by character, and spells Hangul."""
    both = changed(normalizing("strip_accents", "lowercase"))
    for character in CHARACTERS:
        parts = (lower.get(part, part) for part in bare.get(character, character))
        if "".join(parts) != both.get(character, character):
            raise GenerationError(f"U+{ord(character):04X}: its lower case without accents is not made of both")
    for point in HANGUL:
        if bare[chr(point)] != unicodedata.normalize("NFD", chr(point)):
            raise GenerationError(f"U+{point:04X} is no Hangul syllable")


def tables() -> list[str]:
    """The tables as Rust, one after the other."""
    clean, bare, lower = (changed(normalizing(option)) for option in ("clean_text", "strip_accents", "lowercase"))
    apart = changed(normalizing("handle_chinese_chars"))
    check(bare, lower)
    gone = {character for character, text in bare.items() if not text}
    starters = {character for character in gone if not all(map(is_ordered, _NFD(character)))}
    kept = sorted({part for character in CHARACTERS for part in bare.get(character, character)})
    ordered = [(ord(part), combining_class(part)) for part in kept if is_ordered(part)]
    others = {character: text for character, text in bare.items() if text and ord(character) not in HANGUL}
    return [
        rust_pairs("DROPPED", "(u32, u32)", ranges(key for key, text in clean.items() if not text)),
        rust_pairs("BLANKS", "(u32, u32)", ranges(["\x20", *(key for key, text in clean.items() if text == " ")])),
        rust_pairs("IDEOGRAPHS", "(u32, u32)", ranges(apart)),
        rust_pairs("MARKS", "(u32, u32)", ranges(gone - starters)),
        rust_pairs("STARTERS", "(u32, u32)", ranges(starters)),
        rust_pairs("ORDERED", "(u32, u8)", ordered),
        rust_texts("BARE", others),
        rust_texts("LOWER", lower),
    ]


_DOCS = {
    "DROPPED": "Cleaning takes these away.",
    "BLANKS": "Cleaning makes these a space.",
    "IDEOGRAPHS": "These get a space on each side.",
    "MARKS": "Of these nothing is left without accents; they do not end a run of marks.",
    "STARTERS": "Of these nothing is left without accents; the order of marks begins anew.",
    "ORDERED": "Characters that are left without accents and have a place in the order of marks, and their class.",
    "BARE": "Characters that become other texts without accents, but for Hangul syllables.",
    "LOWER": "Characters that become other texts in lower case.",
}


def rust_pairs(name: str, kind: str, pairs: list[tuple[int, int]]) -> str:
    """Pairs of numbers."""
    shown = (f"(0x{first:X},{f'0x{last:X}' if kind.endswith('u32)') else last})," for first, last in pairs)
    return table(name, f"[{kind}; {len(pairs)}]", shown)


def rust_texts(name: str, texts: Mapping[str, str]) -> str:
    """Characters and texts, all characters as their numbers."""
    shown = (f'(0x{ord(key):X},"{spelled(text)}"),' for key, text in sorted(texts.items()))
    return table(name, f"[(u32, &str); {len(texts)}]", shown)


def spelled(text: str) -> str:
    r"""A text in ASCII: letters as themselves, others as \u{...}."""
    return "".join(part if part.isascii() and part.isalnum() else f"\\u{{{ord(part):X}}}" for part in text)


def table(name: str, kind: str, items: Iterable[str]) -> str:
    """A constant whose items fill lines."""
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > LINE_CHARS:
            lines.append(line)
            line = ""
        line += item
    body = "\n".join([*lines, line])
    return f"/// {_DOCS[name]}\n#[rustfmt::skip]\npub(super) static {name}: {kind} = [\n{body}\n];\n"


def rust_source() -> str:
    """The text of tables.rs."""
    head = f"//! Generated by `{COMMAND}` from tokenizers=={VERSION}. Do not edit.\n"
    return "\n".join([head, *tables()])


def main(arguments: list[str]) -> int:
    """Write the tables, or compare them with the file. Returns the exit code: 1 if they differ, 2 if that cannot be."""
    parser = argparse.ArgumentParser(description="Write the tables of BERT's normalizer as Rust.")
    parser.add_argument("--check", action="store_true", help="compare with the file and exit with 1 if it differs")
    is_check: bool = parser.parse_args(arguments).check
    try:
        if (installed := metadata.version("tokenizers")) != VERSION:
            raise GenerationError(f"the installed tokenizers is {installed!r}. Run: pip install tokenizers=={VERSION}")
        source = rust_source()
    except GenerationError as error:
        print(f"GenerationError: {error}", file=sys.stderr)
        return 2
    if not is_check:
        TABLES.write_text(source, encoding="ascii", newline="\n")
        return 0
    if TABLES.is_file() and TABLES.read_text(encoding="ascii") == source:
        return 0
    print(f"{TABLES} differs from what the script writes. Run: {COMMAND}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
