r"""The code files of subword-nmt: on each line the two units that are merged, in the order in which they were learned.

    #version: 0.2
    e s
    es t</w>

Words are cut into characters, and `</w>` stands at the end of each. With the version 0.2 in the first line it is glued
to the last character, `t</w>`; files without that line are of version 0.1, where it is a symbol of its own and a merge
may join it like any other, `est </w>`. Words are what stands between spaces in a line.

A code file has no ids and no list of characters. Here the unknown token comes first, then the mark if it is a symbol,
the characters of all merges by code point, with glued marks all of them again, and what the merges make in their order:
what training over characters gives as well. In subword-nmt a character that no merge has stays as it is; here it
becomes the unknown token, and `tokenizer.SubwordUnits` prints it as it was.

Source: `apply_bpe.py` of rsennrich/subword-nmt 0.3.8; Sennrich, Haddow and Birch 2016, "Neural Machine Translation of
Rare Words with Subword Units".
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, Never

from tokenloom.errors import FormatError, SpecError
from tokenloom.formats.lost_parts import Part, refuse_lost
from tokenloom.formats.text import utf8_text
from tokenloom.spec import BpeModel, Pretokenizer, TokenizerSpec
from tokenloom.spec.decoder import DecodeEndOfWord, Decoder
from tokenloom.spec.packing import pack_arena, pack_uint32
from tokenloom.spec.pretokenizer_steps import SplitStep, WhitespaceSplitStep
from tokenloom.spec.texts import lone_surrogate
from tokenloom.storage import read_input, replace_files
from tokenloom.wording import quoted

__all__ = [
    "ENDS",
    "LACKS",
    "WORDS",
    "parse_subword_nmt",
    "parse_subword_vocabulary",
    "read_subword_nmt",
    "read_subword_vocabulary",
    "render_subword_nmt",
    "write_subword_nmt",
]

LACKS: Final[tuple[Part, ...]] = ("ranks", "ignore_merges", "normalizer", "flags", "postprocessor")
"""See `lost_parts`."""

Version = Literal["0.1", "0.2"]
Pair = tuple[str, str]

_VERSIONS: Final[dict[str, Version]] = {"0.1": "0.1", "0.2": "0.2"}
_MARK: Final = "</w>"
_HEADER: Final = "#version:"
ENDS: Final = "\r\n "
"""What is passed over at the ends of a line."""

WORDS: Final = Pretokenizer(
    "sequence", steps=(SplitStep(r"\A[\r ]+|[\r ]+\z|[\r ]*\n[\r\n ]*| +", behavior="removed"),)
)
"""Cuts where subword-nmt does: at spaces and ends of lines, and not at tabs or other blanks."""

_OTHER_WORDS: Final = Pretokenizer("sequence", steps=(WhitespaceSplitStep(),))
"""Cuts at tabs and other blanks too, which makes no difference in text that has none."""


def read_subword_nmt(
    path: str | os.PathLike[str], *, unk_token: str | None = "<unk>", characters: str = ""
) -> TokenizerSpec:
    """Read a code file.

    Args:
        path: the file.
        unk_token: what a character becomes that no merge has; None drops it.
        characters: others that get a token, beside those of merges.
    Raises: CorpusError for a missing file; FormatError naming file and line; SpecError for the other arguments.
    """
    return parse_subword_nmt(read_input(path), place=str(Path(path)), unk_token=unk_token, characters=characters)[0]


def parse_subword_nmt(
    data: bytes, *, place: str, unk_token: str | None = "<unk>", characters: str = ""
) -> tuple[TokenizerSpec, Version]:
    r"""The content of a code file, and its version; errors name `place`. See `read_subword_nmt`.

    >>> spec, version = parse_subword_nmt(b"#version: 0.2\na t</w>\nc at</w>\n", place="codes")
    >>> version, [token.decode() for token in spec.vocabulary().values()]
    ('0.2', ['<unk>', 'a', 'c', 't', 'a</w>', 'c</w>', 't</w>', 'at</w>', 'cat</w>'])
    """
    _check_options(unk_token, characters)
    lines = _lines(data, place)
    version, n_header = _version(lines[0], place)
    pairs = _pairs(lines[n_header:], place, first_line=1 + n_header)
    atoms = _atoms(pairs, version, place, has_version=n_header > 0)
    letters = sorted({atom.removesuffix(_MARK) for atom in atoms if atom != _MARK} | set(characters))
    is_symbol = version == "0.1"
    tokens = [_MARK, *letters] if is_symbol else [*letters, *(letter + _MARK for letter in letters)]
    tokens = list(dict.fromkeys([*tokens, *(left + right for left, right in pairs)]))
    if unk_token is not None:
        if unk_token in tokens:
            _refuse(place, f"unk_token {quoted(unk_token)} is a token of the file", "Pass another one")
        tokens.insert(0, unk_token)
    ids = {token: token_id for token_id, token in enumerate(tokens)}
    token_bytes, token_offsets = pack_arena([token.encode() for token in tokens])
    spec = TokenizerSpec(
        model=BpeModel(
            "merges",
            unit="character",
            unk_token=unk_token,
            end_of_word_suffix=_MARK,
            end_of_word_symbol=is_symbol,
        ),
        pretokenizer=WORDS,
        added_tokens=(),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=pack_uint32(ids[part] for pair in pairs for part in pair),
        decoder=Decoder((DecodeEndOfWord(_MARK),)),
    )
    return spec, version


def _version(first_line: str, place: str) -> tuple[Version, int]:
    """The version, and how many lines say it."""
    if not first_line.startswith(_HEADER):
        return "0.1", 0
    version = re.sub(r"(\.0+)*$", "", first_line.removeprefix(_HEADER).strip(ENDS))
    if version not in _VERSIONS:
        what = f"version {quoted(version)} is unknown"
        _refuse(f"{place}, line 1", what, "Use a file of version 0.1 or 0.2, or learn the codes again")
    return _VERSIONS[version], 1


def _pairs(lines: Sequence[str], place: str, *, first_line: int) -> dict[Pair, int]:
    """The merges, each with its line; of one that comes twice, as in subword-nmt, the first counts."""
    pairs: dict[Pair, int] = {}
    for number, line in enumerate(lines, first_line):
        units = line.strip(ENDS).split(" ")
        if len(units) != 2 or "" in units:
            what = f"{quoted(line)} is not two units with one space between" if line.strip(ENDS) else "it is empty"
            _refuse(f"{place}, line {number}", what, "Mend the line, or delete it if it is no merge")
        pairs.setdefault((units[0], units[1]), number)
    if not pairs:
        _refuse(place, "it has no merges", "Restore the file, or learn the codes again")
    return pairs


def _atoms(pairs: Mapping[Pair, int], version: Version, place: str, *, has_version: bool) -> set[str]:
    """The units that no merge makes: characters, with or without the mark, or the mark itself."""
    made = {left + right for left, right in pairs}
    for pair, number in pairs.items():
        for unit in pair:
            if unit not in made and not _is_atom(unit, version):
                what = f"{quoted(unit)} is no character, and no line makes it"
                remedy = "Restore the file if lines are missing, or delete this line"
                if not has_version and _is_atom(unit, "0.2"):
                    what = f"{what}: without a line '{_HEADER} 0.2' {_MARK!r} is a unit of its own"
                    remedy = "Put that line first if the file has lost it"
                _refuse(f"{place}, line {number}", what, remedy)
    return {unit for pair in pairs for unit in pair if _is_atom(unit, version)}


def _is_atom(unit: str, version: Version) -> bool:
    if version == "0.1":
        return len(unit) == 1 or unit == _MARK
    return len(unit) == 1 or (len(unit) == 1 + len(_MARK) and unit.endswith(_MARK))


def write_subword_nmt(spec: TokenizerSpec, path: str | os.PathLike[str]) -> None:
    """Write the merges of a tokenizer as a code file, of version 0.1 if the mark of word ends is a symbol of its own.

    It holds neither ids nor the unknown token nor characters that no merge has: subword-nmt leaves all of them to those
    who number its units.

    Raises: FormatError if the tokenizer has parts that a code file has not: bytes in the place of characters, another
        mark than `</w>`, words that are not cut at spaces, or added tokens; StorageError if it cannot be written.
    """
    replace_files({Path(path): render_subword_nmt(spec, place=str(path))})


def render_subword_nmt(spec: TokenizerSpec, *, place: str = "codes") -> bytes:
    r"""The content of a code file; errors name `place`.

    >>> spec, _ = parse_subword_nmt(b"a t\nat </w>\n", place="codes")
    >>> render_subword_nmt(spec)
    b'a t\nat </w>\n'
    """
    holder = "a code file of subword-nmt"
    model = spec.bpe
    if model.unit != "character" or model.end_of_word_suffix != _MARK:
        found = "bytes" if model.unit == "byte" else f"end_of_word_suffix {quoted(model.end_of_word_suffix)}"
        what = f"{holder} has merges of characters with end_of_word_suffix {_MARK!r}, and this tokenizer has {found}"
        _refuse(place, what, "Train with unit 'character' and that mark, or use another format")
    refuse_lost(spec, lacks=LACKS, place=place, holder=holder)
    others = {
        "continuing_subword_prefix": model.continuing_subword_prefix,
        "byte_fallback": model.byte_fallback,
        "added tokens": spec.added_tokens,
        f"pretokenizer {spec.pretokenizer.type!r}": spec.pretokenizer not in (WORDS, _OTHER_WORDS),
    }
    if lost := [name for name, value in others.items() if value]:
        _refuse(place, f"{holder} cannot hold {' and '.join(lost)}", "Use another format")
    lines = [] if model.end_of_word_symbol else [f"{_HEADER} 0.2\n"]
    for rank, pair in enumerate(spec.merge_list()):
        for part in pair:
            if part.strip(ENDS.encode()) != part or b" " in part or b"\n" in part:
                _refuse(place, f"merge {rank} has {quoted(part)}, and a unit has no blank", "Use another format")
        lines.append(f"{pair[0].decode()} {pair[1].decode()}\n")
    return "".join(lines).encode()


def read_subword_vocabulary(path: str | os.PathLike[str], *, threshold: int | None = None) -> frozenset[str]:
    """Read the units of a vocabulary file, as `get-vocab` writes it: on each line a unit, a space and its count.

    Args:
        path: the file.
        threshold: units that occur less often are left out; None takes all.
    Raises: CorpusError for a missing file; FormatError naming file and line; SpecError for the threshold.
    """
    return parse_subword_vocabulary(read_input(path), place=str(Path(path)), threshold=threshold)


def parse_subword_vocabulary(data: bytes, *, place: str, threshold: int | None = None) -> frozenset[str]:
    r"""The units of a vocabulary file; errors name `place`.

    >>> sorted(parse_subword_vocabulary(b"low@@ 12\nest 7\n", place="vocab", threshold=10))
    ['low@@']
    """
    if threshold is not None and (type(threshold) is not int or threshold < 0):
        raise SpecError(
            f"threshold {quoted(threshold)}: is no count. Pass a whole number from 0, or None for all units."
        )
    units = set()
    for number, line in enumerate(_lines(data, place), 1):
        parts = line.strip(ENDS).split(" ")
        if len(parts) != 2 or not parts[0] or not re.fullmatch("[0-9]{1,18}", parts[1]):
            what = f"{quoted(line)} is not a unit and its count with one space between"
            _refuse(f"{place}, line {number}", what, "Mend the line, or count the units again with get-vocab")
        if threshold is None or int(parts[1]) >= threshold:
            units.add(parts[0])
    return frozenset(units)


def _lines(data: bytes, place: str) -> list[str]:
    """The lines of a file, without those at its end that are empty or blank."""
    return utf8_text(data, place=place).rstrip(ENDS).split("\n")


def _check_options(unk_token: object, characters: object) -> None:
    if unk_token is not None and not _is_text(unk_token):
        raise SpecError(f"unk_token {quoted(unk_token)}: is no text. Pass a str such as '<unk>', or None.")
    if not _is_text(characters):
        raise SpecError(f"characters {quoted(characters)}: are no text. Pass them in one str, such as 'äöü'.")


def _is_text(value: object) -> bool:
    """Whether it is a str that has UTF-8 bytes."""
    return isinstance(value, str) and lone_surrogate(value) is None


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{place}: {what}. {remedy}.")
