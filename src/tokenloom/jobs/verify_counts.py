"""Whether a tokenizer is what a training on some counts gives: its merges are made again, one after the other.

Where the tokenizer says by which rule it was trained, each merge must be the choice of that rule. Where it does not, as
one of another library, each must at least occur. A record must have what is found, number for number.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Never

from tokenloom import _core
from tokenloom.errors import FormatError
from tokenloom.jobs.cuts import other_cuts
from tokenloom.jobs.train_counts import COUNTS_FILE, counted_words, counts_file_of
from tokenloom.spec import TokenizerSpec
from tokenloom.storage.magic import has_magic
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import (
    CharacterAlphabet,
    CountOptions,
    Progress,
    TrainingRecord,
    counts_checksum,
    load_counts,
    open_record,
    read_count_header,
)
from tokenloom.trainers.must_have import must_have_merges
from tokenloom.trainers.start_alphabets import OldStart
from tokenloom.wording import counted, quoted

__all__ = ["VerifiedMerges", "verify_merges"]

_AGAIN: Final = "Name the counts that it was trained on, or train again"
_ANY_RULE: Final = "lexicographic"
"""Plays no part where merges are made without being chosen."""
_WORDS: Final = {
    "n_pairs": "its count",
    "n_tokens": "tokens left",
    "n_tied": "other pairs with that count",
    "n_runner_up_pairs": "the count of the runner-up",
    "runner_up_left": "the left id of the runner-up",
    "runner_up_right": "the right id of the runner-up",
    "left": "the left id",
    "right": "the right id",
}


@dataclass(frozen=True, slots=True)
class VerifiedMerges:
    """What was made again and found equal.

    Args:
        tokenizer: where it lies.
        counts: the count file.
        n_merges: the merges, all of which occur.
        tie_break: the rule whose choice each of them is; None if the tokenizer does not say by which it was trained.
        record: the record that has the same numbers; None if none was given.
    """

    tokenizer: Path
    counts: Path
    n_merges: int
    tie_break: str | None
    record: Path | None


def verify_merges(
    tokenizer: str | os.PathLike[str],
    counts: str | os.PathLike[str],
    *,
    record: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> VerifiedMerges:
    """Make the merges of a tokenizer again on counts.

    Args:
        tokenizer: any that `Tokenizer.load` reads; one that tokenloom has not trained must have merges of bytes.
        counts: the count file, the folder that `tokenloom count-pretokens` wrote, or a file of word counts, as
            `read_word_counts` takes it.
        record: what `tokenloom train --record` wrote.
        progress: called with `"merge"`, merges made and merges there are.
    Raises: FormatError naming the first merge that does not occur, is not the choice of the rule, or has other numbers
        in the record; for a tokenizer with other merges than its training made; for counts of a text that was cut in
        another way, or without the first positions that the rule needs; for a record of another tokenizer or of other
        counts. TrainingError for a line that is no word with its count.
    """
    place = Path(tokenizer)
    loaded = Tokenizer.load(place)
    spec, provenance = loaded.spec, loaded.provenance
    recorded = None if record is None else _record_of(Path(record), place, spec)
    file, loaded_counts = _counts_of(Path(counts), place, loaded)
    given = _given_merges(place, loaded, recorded, loaded_counts)
    _check_number(place, provenance, len(given.merges))
    if recorded is not None and record is not None:
        _check_counts(Path(record), recorded, file, loaded_counts)
    rule = _rule_of(provenance)
    merges = _Merges(place, loaded_counts, given, rule, _Limits.of(provenance))
    report = (lambda done: progress("merge", done, len(merges.pairs))) if progress else None
    steps = merges.chosen(report) if rule else merges.made(report)
    if recorded is not None and record is not None:
        _check_record(Path(record), recorded, merges, steps)
    return VerifiedMerges(place, file, len(merges.pairs), rule, None if record is None else Path(record))


@dataclass(frozen=True, slots=True)
class _Given:
    """The merges of a tokenizer, and what they begin with.

    Args:
        start: what pretokens begin as.
        tokens: the tokens of that, in the order of symbols.
        merges: what they join.
        ids: of all symbols, those that merges make too, as a record has them.
    """

    start: bytes | _core.Start
    tokens: list[bytes]
    merges: list[tuple[bytes, bytes]]
    ids: list[int]


def _given_merges(
    place: Path, tokenizer: Tokenizer, recorded: TrainingRecord | None, counts: _core.PretokenCounts
) -> _Given:
    """The merges of a training: all of a tokenizer, or those by which another one has grown, which its record holds."""
    spec, options = tokenizer.spec, tokenizer.provenance.get("options")
    if isinstance(options, Mapping) and "init" in options:
        if recorded is None:
            what = "it has grown from another tokenizer, whose tokens its merges begin with"
            _refuse(place, what, "Add the record of its training, which holds that one")
        old, header = OldStart(recorded.start), recorded.header
        ids = [token_id for token_id, token in enumerate(recorded.start.model_tokens()) if token]
        ids += range(header.first_id, header.first_id + recorded.n_merges)
        return _Given(old.core, list(old.tokens), [step[:2] for step in recorded.merges()], ids)
    merges = spec.merge_list()
    if isinstance(options, Mapping) and "characters" in options:
        alphabet = CharacterAlphabet(**options["characters"])
        start = alphabet.start(counts, special_tokens=options["special_tokens"], pretokenizer=spec.pretokenizer)
        n_before = len(alphabet.fixed_tokens)
        begun = [*start.tokens, *(left + right for left, right in merges)]
        if spec.model_tokens()[n_before : n_before + len(begun)] != begun:
            _refuse(place, f"its characters are not the {len(start.characters):,} that these counts give it", _AGAIN)
        return _Given(start.core, list(start.tokens), merges, _consecutive(n_before, start.tokens, merges))
    if not spec.joins_bytes or spec.bpe.semantics != "merges":
        _refuse(place, "it has no list of merges to make again", "Name a tokenizer that tokenloom has trained")
    tokens = [token for token in spec.model_tokens() if len(token) == 1]
    return _Given(b"".join(tokens), tokens, merges, _consecutive(0, tokens, merges))


def _consecutive(first_id: int, tokens: Sequence[bytes], merges: Sequence[tuple[bytes, bytes]]) -> list[int]:
    return list(range(first_id, first_id + len(tokens) + len(merges)))


@dataclass(frozen=True, slots=True)
class _Limits:
    """What a training was told of its merges beside the tie rule, see `BpeOptions`."""

    must_have: Sequence[tuple[bytes, bytes]] = ()
    min_pair_count: int = 1
    max_token_bytes: int | None = None
    whole_characters: bool = False

    @classmethod
    def of(cls, provenance: Mapping[str, Any]) -> "_Limits":
        """The limits of a training of ours; a tokenizer of another library knows none."""
        if _rule_of(provenance) is None:
            return cls()
        names = ("min_pair_count", "max_token_bytes", "whole_characters")
        known = {name: provenance["options"][name] for name in names if name in provenance["options"]}
        must_have = provenance["options"].get("must_have", ())
        return cls(must_have_merges(must_have, whole_characters=known.get("whole_characters", False)), **known)


class _Merges:
    """The merges of a tokenizer as symbols of a training that makes them again."""

    def __init__(
        self, place: Path, counts: _core.PretokenCounts, given: _Given, rule: str | None, limits: _Limits
    ) -> None:
        self.tokens = list(given.tokens)
        self.pairs: list[tuple[int, int]] = []
        self._place, self._counts, self._rule, self._given, self._limits = place, counts, rule, given, limits
        for row, pair in enumerate(limits.must_have):
            if given.merges[row : row + 1] != [pair]:
                what = (
                    f"merge {row + 1:,} does not join {quoted(pair[0])} and {quoted(pair[1])}, as must-have tokens do"
                )
                _refuse(place, what, "Train again")
        symbols = {token: symbol for symbol, token in enumerate(self.tokens)}
        for row, (left, right) in enumerate(given.merges):
            if missing := {left, right} - symbols.keys():
                what = f"merge {row + 1:,} joins {quoted(missing.pop())}, which no merge before it makes"
                _refuse(place, what, "No training gives such merges: train again")
            self.pairs.append((symbols[left], symbols[right]))
            symbols[left + right] = len(self.tokens)
            self.tokens.append(left + right)

    def recorded(self, step: tuple[int, ...]) -> tuple[int, ...]:
        """What a training says of a step, as a record holds it: with ids in place of symbols."""
        left, right, n_pairs, n_tokens, n_tied, second_left, second_right, n_second = step
        ids = self._given.ids
        return ids[left], ids[right], n_pairs, n_tokens, n_tied, ids[second_left], ids[second_right], n_second

    def chosen(self, report: Any) -> Sequence[tuple[int, ...]]:
        """What the rule chooses, if that is what the tokenizer has."""
        n_given, trainer = len(self._limits.must_have), self._trainer()
        no_second = (0, 0, 0)
        steps: list[tuple[int, ...]] = [(*step, *no_second) for step in trainer.give(self.pairs[:n_given])]
        steps += trainer.advance(len(self.pairs) - n_given, report, runner_up=True)
        for row, pair in enumerate(self.pairs):
            if row == len(steps) or steps[row][:2] != pair:
                self._refuse_choice(row, steps[row][:3] if row < len(steps) else None)
        return steps

    def made(self, report: Any) -> Sequence[tuple[int, ...]]:
        """The merges as they are, if each occurs."""
        steps = self._trainer().apply(self.pairs, report, runner_up=True, may_miss=True)
        for row, step in enumerate(steps):
            if step[2] == 0:
                self._refuse_choice(row, None)
        return steps

    def named(self, row: int, pair: tuple[int, int] | None = None) -> str:
        """A merge, or another pair of its step, as messages name it."""
        left, right = (quoted(self.tokens[part]) for part in pair or self.pairs[row])
        return f"{left} and {right}" if pair else f"merge {row + 1:,} joins {left} and {right}"

    def _refuse_choice(self, row: int, chosen: tuple[int, ...] | None) -> Never:
        n_given, trainer = len(self._limits.must_have), self._trainer()
        trainer.give(self.pairs[:n_given])
        trainer.apply(self.pairs[n_given:row])
        ((_, _, n_found, *_),) = trainer.apply([self.pairs[row]], may_miss=True)
        found = f"{self.named(row)}, which then stand side by side {counted(n_found, 'time')}"
        if not n_found or chosen is None:
            _refuse(self._place, found, _AGAIN)
        left, right, n_chosen = chosen
        _refuse(
            self._place,
            f"{found}, and the rule {self._rule!r} chooses {self.named(row, (left, right))}, "
            f"{counted(n_chosen, 'time')}",
            _AGAIN,
        )

    def _trainer(self) -> _core.Trainer:
        limits = (self._limits.min_pair_count, self._limits.max_token_bytes, self._limits.whole_characters)
        return _core.Trainer(self._counts, self._given.start, self._rule or _ANY_RULE, *limits)


def _rule_of(provenance: Mapping[str, Any]) -> str | None:
    """The tie rule of a training of ours."""
    options = provenance.get("options")
    rule = options.get("tie_break") if isinstance(options, Mapping) and provenance.get("trainer") == "bpe" else None
    return rule if isinstance(rule, str) else None


def _counts_of(path: Path, place: Path, tokenizer: Tokenizer) -> tuple[Path, _core.PretokenCounts]:
    """The file of counts that a path stands for, and what it holds of the pretokens that were trained on."""
    min_count = tokenizer.provenance.get("min_count", 1)
    if _holds_words(path):
        options = CountOptions(tokenizer.spec.pretokenizer, _special_tokens(tokenizer) or (), has_positions=True)
        with TemporaryDirectory() as folder:
            counted_words(path, Path(folder) / COUNTS_FILE, options)
            return path, load_counts(Path(folder) / COUNTS_FILE, min_count=min_count)
    file = counts_file_of(path)
    _check_cuts(place, tokenizer, file)
    return file, load_counts(file, min_count=min_count)


def _holds_words(path: Path) -> bool:
    """Whether a file is none of ours, so that it can be a list of words alone."""
    return path.is_file() and not has_magic(path)


def _special_tokens(tokenizer: Tokenizer) -> Sequence[str] | None:
    """Those that cut the text of a training of ours; None if the tokenizer does not say."""
    options = tokenizer.provenance.get("options")
    return options.get("special_tokens") if isinstance(options, Mapping) else None


def _check_cuts(place: Path, tokenizer: Tokenizer, file: Path) -> None:
    """Whether the counts are of pretokens as the tokenizer has them, with what its rule needs."""
    found, provenance, again = read_count_header(file).options, tokenizer.provenance, "Name those it was trained on"
    specials = _special_tokens(tokenizer)
    pretokenizer = tokenizer.spec.pretokenizer
    others = other_cuts(
        found,
        pretokenizer=pretokenizer,
        special_tokens=found.special_tokens if specials is None else specials,
        normalizer=tokenizer.spec.normalizer,
    )
    limit = provenance.get("max_pretoken_bytes", found.max_pretoken_bytes)
    if not others and limit != found.max_pretoken_bytes:
        others = "max_pretoken_bytes", repr(limit), repr(found.max_pretoken_bytes)
    if others:
        name, ours, theirs = others
        _refuse(file, f"its text was cut with {name} {theirs}, that of {str(place)!r} with {ours}", again)
    if _rule_of(provenance) == "first-seen" and not found.has_positions:
        what = f"it has no first positions, which the rule 'first-seen' of {str(place)!r} needs"
        _refuse(file, what, "Count again with count-pretokens --positions")


def _check_number(place: Path, provenance: Mapping[str, Any], n_merges: int) -> None:
    """Whether the tokenizer has all merges of its training: one that lost the last is the choice of its rule too."""
    made = provenance.get("n_merges")
    if _rule_of(provenance) and "truncated_from" not in provenance and made not in (None, n_merges):
        what = f"it has {counted(n_merges, 'merge')}, and its training made {quoted(made)}"
        _refuse(place, what, "Restore it from a copy, or train again")


def _record_of(path: Path, place: Path, spec: TokenizerSpec) -> TrainingRecord:
    recorded = open_record(path)
    if recorded.header.tokenizer_fingerprint != spec.fingerprint:
        _refuse(
            path,
            f"it is the record of another tokenizer, {recorded.header.tokenizer_fingerprint!r}, and {str(place)!r} is "
            f"{spec.fingerprint!r}",
            "Name the record of its training",
        )
    return recorded


def _check_counts(path: Path, recorded: TrainingRecord, file: Path, counts: _core.PretokenCounts) -> None:
    found = counts_checksum(counts, has_positions=_rule_of(recorded.header.training) == "first-seen")
    if found != recorded.header.counts_sha256:
        _refuse(
            path,
            f"it is the record of a training on other counts, {recorded.header.counts_sha256!r}, and those of "
            f"{str(file)!r} are {found!r}",
            "Name the counts that were trained on",
        )


def _check_record(path: Path, recorded: TrainingRecord, merges: _Merges, steps: Sequence[tuple[int, ...]]) -> None:
    """Compare all numbers of a record with what was found."""
    if recorded.n_merges != len(steps):
        what = f"it has {counted(recorded.n_merges, 'merge')}, the tokenizer {len(steps):,}"
        _refuse(path, what, "Name the record of its training")
    names = tuple(recorded.columns)
    for row, (step, numbers) in enumerate(zip(steps, zip(*recorded.columns.values(), strict=True), strict=True)):
        found = merges.recorded(step)
        if found != numbers:
            column = next(n for n in range(len(names)) if found[n] != numbers[n])
            what = f"{merges.named(row)}: recorded for {_WORDS[names[column]]} is {numbers[column]:,}"
            _refuse(path, f"{what}, found {found[column]:,}", "Train again with --record")


def _refuse(place: Path, what: str, remedy: str) -> Never:
    raise FormatError(f"{str(place)!r}: {what}. {remedy}.")
