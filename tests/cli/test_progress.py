"""Progress: lines for logs, bars for terminals."""

import io
import os
import sys

import pytest

from tokenloom.cli.progress import _Bars, _Lines, _Paces, reported


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_stage_begins_with_a_line_and_then_has_one_every_ten_seconds(clock: Clock) -> None:
    stream = io.StringIO()
    lines = _Lines(stream, clock=clock)
    for second in range(31):
        clock.now = 100.0 + second
        lines("count", second * 1_000_000, 40_000_000)
    assert stream.getvalue().splitlines() == [
        "count 40.0 MB ...",
        "count 25 %, 1.00 MB/s, 30 s left",
        "count 50 %, 1.00 MB/s, 20 s left",
        "count 75 %, 1.00 MB/s, 10 s left",
    ]


def test_an_unknown_total_gives_what_is_done(clock: Clock) -> None:
    stream = io.StringIO()
    lines = _Lines(stream, clock=clock)
    lines("encode", 0, None)
    clock.now += 10
    lines("encode", 50_000_000, None)
    assert stream.getvalue() == "encode ...\nencode 50.0 MB, 5.00 MB/s\n"


def test_merges_are_counted_as_merges(clock: Clock) -> None:
    stream = io.StringIO()
    lines = _Lines(stream, clock=clock)
    lines("merge", 0, 4000)
    clock.now += 10
    lines("merge", 1000, 4000)
    assert stream.getvalue() == "merge 4,000 merges ...\nmerge 25 %, 100 merges/s, 30 s left\n"


def test_a_total_that_grows_under_way_never_shows_more_than_all(clock: Clock) -> None:
    stream = io.StringIO()
    lines = _Lines(stream, clock=clock)
    lines("encode", 0, 10)
    clock.now += 10
    lines("encode", 20, 10)
    clock.now += 10
    lines("encode", 30, 60)
    assert [line.split(",")[0] for line in stream.getvalue().splitlines()[1:]] == ["encode 100 %", "encode 50 %"]


def test_what_an_earlier_run_had_done_is_not_speed(clock: Clock) -> None:
    paces = _Paces(clock)
    paces.note("encode", 1000, 3000)
    clock.now += 10
    pace, _ = paces.note("encode", 2000, 3000)
    assert (pace.rate(), pace.seconds_left()) == (100.0, 10.0)


def test_the_clock_of_a_stage_stands_while_another_one_reports(clock: Clock) -> None:
    paces = _Paces(clock)
    for seconds, stage, done in [(0, "encode", 0), (1, "encode", 10), (7, "decode", 0), (1, "encode", 20)]:
        clock.now += seconds
        pace, _ = paces.note(stage, done, None)
    assert (pace.seconds, pace.rate()) == (2.0, 10.0)


def test_quiet_reports_nothing() -> None:
    with reported(is_quiet=True) as progress:
        assert progress is None


@pytest.mark.parametrize(
    ("is_terminal", "term", "kind"), [(True, "xterm", _Bars), (True, "dumb", _Lines), (False, "xterm", _Lines)]
)
def test_bars_are_for_terminals_that_can_draw_them(
    is_terminal: bool, term: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setitem(os.environ, "TERM", term)
    with reported() as progress:
        assert isinstance(progress, kind)
        assert progress is not None
        progress("count", 0, None)
        progress("count", 5, 10)
    assert stream.getvalue()


def test_bars_show_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(file=io.StringIO()))
    bars = _Bars(progress)
    bars("count", 0, 100)
    bars._paces._stages["count"].seconds = 10.0
    bars._paces._last = bars._paces.clock()
    bars("count", 50, 100)
    fields = progress.tasks[0].fields
    assert (fields["rate"], fields["left"]) == ("5 B/s", "10 s left")
