"""`tokenloom replay`: a training at any of its steps, from the record that `train --record` has written."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tokenloom.cli.options import AsJson, Config, exact_bytes
from tokenloom.cli.output import print_facts, print_json, print_table, printable
from tokenloom.cli.terminal import Terminal
from tokenloom.cli.token_view import ASCII_MARKS, MARKS, view_tokens
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.jobs.replay import LoggedMerge, ReplayedStep, TokenKind
    from tokenloom.trainers import Segmentation, TrainingRecord

__all__ = ["EXAMPLE", "replay"]

EXAMPLE: Final = 'tokenloom replay run.tlr --text "lowest"'

_MOST_BYTES: Final = 10_000
"""Of a text whose history is shown: each line of it has the whole text."""


def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="The file that train --record has written.")],
    at: Annotated[
        int | None, typer.Option(min=0, metavar="STEP", help="Show the state behind so many merges; 0 is before all.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Show how a text is cut: at every step that cuts it anew, or at --at."),
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="List the merges, one a line.")] = False,
    first: Annotated[int | None, typer.Option(min=1, metavar="N", help="Of --log: so many. Default: all.")] = None,
    start: Annotated[int | None, typer.Option("--from", min=1, metavar="STEP", help="Of --log: from here on.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show a recorded training at any of its steps.

    Without --at, --text or --log: what the record holds. Special tokens in a text are read as ordinary text.
    """
    del config
    from tokenloom.trainers import open_record

    _check_together(at=at, text=text, has_log=log, first=first, start=start)
    opened = open_record(record)
    if log:
        _log(opened, start=start or 1, first=first, as_json=as_json)
    elif at is not None:
        _state(opened, at, text, as_json=as_json)
    elif text is not None:
        _history(opened, exact_bytes(text), as_json=as_json)
    else:
        _summary(record, opened, as_json=as_json)


def _check_together(*, at: int | None, text: str | None, has_log: bool, first: int | None, start: int | None) -> None:
    if has_log and (at is not None or text is not None):
        raise typer.BadParameter("--log does not go with --at or --text. Leave one of them out.")
    if not has_log and (first is not None or start is not None):
        raise typer.BadParameter(f"{'--from' if first is None else '--first'} is for --log. Add --log.")
    if at is None and text is not None and len(text.encode(errors="surrogateescape")) > _MOST_BYTES:
        raise typer.BadParameter(
            f"--text: is longer than {_MOST_BYTES:,} bytes, and every step would show all of it. Add --at STEP, or "
            "take a part of it."
        )


def _summary(path: Path, record: "TrainingRecord", *, as_json: bool) -> None:
    from tokenloom.jobs.cuts import pattern_name

    header, training = record.header, record.header.training
    options = training.get("options", {})
    facts: dict[str, Any] = {
        "record": str(path),
        "n_merges": record.n_merges,
        "tokenizer_fingerprint": header.tokenizer_fingerprint,
        "counts_sha256": header.counts_sha256,
        "n_bytes": header.n_bytes,
        "n_tokens": record.n_tokens_at(record.n_merges),
        "n_broken_ties": sum(n_tied > 0 for n_tied in record.columns["n_tied"]),
        "training": dict(training),
    }
    if as_json:
        print_json(facts)
        return
    print_facts(
        [
            ("record", str(path)),
            ("merges", f"{record.n_merges:,}, of which a tie was broken for {facts['n_broken_ties']:,}"),
            ("tie rule", str(options.get("tie_break", "not told"))),
            ("pattern", pattern_name(record.start.pretokenizer)),
            ("text", f"{format_bytes(header.n_bytes)}, {counted(facts['n_tokens'], 'token')} at the end"),
            ("tokenizer", header.tokenizer_fingerprint),
            ("counts", header.counts_sha256),
            ("tokenloom", str(training.get("tokenloom", "not told"))),
        ]
    )


def _state(record: "TrainingRecord", step: int, text: str | None, *, as_json: bool) -> None:
    from tokenloom.jobs.replay import replay_step
    from tokenloom.trainers import segmentation_at

    state = replay_step(record, step)
    cut = None if text is None else segmentation_at(record, exact_bytes(text), step=step)
    if as_json:
        print_json(_state_json(state) | ({} if cut is None else {"text": _cut_json(cut)}))
        return
    rows = _state_rows(state, record.n_merges)
    if cut is not None:
        since = "since the beginning" if cut.step == 0 else f"since step {cut.step:,}"
        rows.append(("text", f"{counted(len(cut.tokens), 'token')} {since}\n{_shown(cut.tokens)}"))
    print_facts(rows)


def _state_json(state: "ReplayedStep") -> dict[str, Any]:
    return {
        "step": state.step,
        "merge": None if state.logged is None else _merge_json(state.logged),
        "n_tokens": state.n_tokens,
        "bytes_per_token": state.bytes_per_token,
        "vocabulary_size": state.vocabulary_size,
        "n_made": state.n_of_kind,
        "longest_tokens": [_token_json(token) for token in state.longest],
    }


def _state_rows(state: "ReplayedStep", n_merges: int) -> list[tuple[str, str]]:
    ratio = state.bytes_per_token
    return [
        ("step", f"{state.step:,} of {n_merges:,}"),
        *(_merge_rows(state.logged) if state.logged else ()),
        ("tokens left", f"{state.n_tokens:,}" + ("" if ratio is None else f", {ratio:.2f} bytes per token")),
        ("vocabulary", f"{counted(state.vocabulary_size, 'token')}\nmade by merges: {_kinds(state.n_of_kind)}"),
        *([("longest", "\n".join(map(printable, state.longest)))] if state.longest else []),
    ]


def _kinds(counts: "Mapping[TokenKind, int]") -> str:
    return ", ".join(f"{kind} {n:,}" for kind, n in counts.items())


def _merge_rows(logged: "LoggedMerge") -> list[tuple[str, str]]:
    merge = logged.merge
    runner_up = "none"
    if merge.runner_up:
        left, right = map(printable, merge.runner_up)
        runner_up = f"{left} + {right}, {counted(merge.n_runner_up_pairs, 'time')}"
    if logged.is_given:
        runner_up = "none: a must-have token gave the merge"
    others = f"{counted(merge.n_tied, 'other pair')} occurred as often, so the tie rule chose"
    return [
        ("merge", f"{printable(merge.left)} + {printable(merge.right)}"),
        ("new token", f"{printable(logged.token)}, id {logged.id:,}, {logged.kind}"),
        ("count", counted(merge.n_pairs, "time")),
        ("runner-up", runner_up),
        ("tie", others if merge.n_tied else "none"),
    ]


def _history(record: "TrainingRecord", text: bytes, *, as_json: bool) -> None:
    """Each step that cut the text anew, and whether it became one token."""
    from tokenloom.trainers import segmentations

    cuts = list(segmentations(record, text))
    one_token_at = cuts[-1].step if len(cuts[-1].tokens) == 1 else None
    if as_json:
        print_json({"segmentations": [_cut_json(cut) for cut in cuts], "one_token_at": one_token_at})
        return
    print_table(
        ("step", "tokens", "text"), [(f"{cut.step:,}", f"{len(cut.tokens):,}", _shown(cut.tokens)) for cut in cuts]
    )
    n_left = counted(len(cuts[-1].tokens), "token")
    verdict = f"never one token: {n_left} at the end" if one_token_at is None else f"one token at step {one_token_at:,}"
    typer.echo(f"\n{verdict}")


def _log(record: "TrainingRecord", *, start: int, first: int | None, as_json: bool) -> None:
    from tokenloom.jobs.replay import count_kinds, log_of

    logged = list(log_of(record, start=start, first=first))
    kinds = count_kinds(entry.token for entry in logged)
    if as_json:
        print_json({"merges": [_merge_json(entry) for entry in logged], "n_made": kinds})
        return
    rows = [
        (
            f"{entry.step:,}",
            f"{entry.merge.n_pairs:,}",
            f"{entry.merge.n_tokens:,}",
            entry.kind,
            f"{printable(entry.merge.left)} + {printable(entry.merge.right)} = {printable(entry.token)}",
        )
        for entry in logged
    ]
    print_table(("step", "count", "tokens left", "new token", "pair"), rows)
    n_given = sum(entry.is_given for entry in logged)
    given = f"; {n_given:,} given by must-have tokens" if n_given else ""
    typer.echo(f"\n{counted(len(rows), 'merge')}{given}: {_kinds(kinds)}")


def _merge_json(logged: "LoggedMerge") -> dict[str, Any]:
    merge = logged.merge
    return {
        "step": logged.step,
        "left": _token_json(merge.left),
        "right": _token_json(merge.right),
        "token": _token_json(logged.token),
        "id": logged.id,
        "kind": logged.kind,
        "n_pairs": merge.n_pairs,
        "n_tokens": merge.n_tokens,
        "n_tied": merge.n_tied,
        "runner_up": [_token_json(part) for part in merge.runner_up] if merge.runner_up else None,
        "n_runner_up_pairs": merge.n_runner_up_pairs,
        "is_given": logged.is_given,
    }


def _cut_json(cut: "Segmentation") -> dict[str, Any]:
    return {"step": cut.step, "n_tokens": len(cut.tokens), "tokens": [_token_json(token) for token in cut.tokens]}


def _token_json(token: bytes) -> dict[str, str]:
    return {"text": token.decode(errors="replace"), "hex": token.hex()}


def _shown(tokens: Sequence[bytes]) -> str:
    """Tokens side by side on one line."""
    marks = MARKS if Terminal.of(sys.stdout).can_show(MARKS.characters()) else ASCII_MARKS
    joined = b"".join(tokens)
    views: Iterable[Any] = view_tokens(joined, range(len(tokens)), tokens, [joined], marks=marks) if tokens else ()
    return "|".join(view.shown.replace("\n", "") for view in views)
