"""Functions that give and take the bytes of runs, and arguments that do not fit."""

from io import BytesIO

import pytest

from tokenloom import _core
from tokenloom.errors import FormatError, TrainingError
from tokenloom.trainers import pretoken_counts

RUN = b"\x00\x03low\x05"


def merge(reads: list[bytes], *, shifts: list[int], multipliers: list[int]) -> object:
    return _core.merge_runs(
        [BytesIO(run).read for run in reads],
        BytesIO().write,
        has_positions=False,
        shifts=shifts,
        multipliers=multipliers,
    )


def fail(_argument: object) -> bytes:
    raise OSError(28, "No space left on device")


def test_what_a_function_raises_comes_out_as_it_is() -> None:
    counter = _core.PretokenCounter('{"type":"gpt2","unicode":"16.0"}', [])
    counter.push(b"low low")
    counts = pretoken_counts({"low": 5})
    for act in (
        lambda: counter.finish_run(fail, has_positions=False),
        lambda: counts.write_run(fail, has_positions=True),
        lambda: _core.PretokenCounts.from_run(fail, has_positions=True),
        lambda: _core.merge_runs([fail], fail, has_positions=True, shifts=[0], multipliers=[1]),
    ):
        with pytest.raises(OSError, match="No space left"):
            act()


def test_a_function_that_gives_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError, match="'str' object"):
        _core.PretokenCounts.from_run(lambda n: "low", has_positions=False)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("shifts", "multipliers", "message"),
    [
        ([0], [1, 1], "2 runs have 1 shifts and 2 multipliers. Give one of each"),
        ([0, 0], [1, 0], "the multiplier of run 1 is 0. Leave the run out"),
        ([0, 0], [1, 2**63], "with b'low' the counts outgrow 64 bits"),
    ],
)
def test_shifts_and_multipliers_that_do_not_fit_are_refused(
    shifts: list[int], multipliers: list[int], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        merge([RUN, RUN], shifts=shifts, multipliers=multipliers)


def test_a_damaged_run_of_several_is_named() -> None:
    with pytest.raises(FormatError, match=r"^run 1, byte 0: the record ends too early\. Restore"):
        merge([RUN, RUN[:-1]], shifts=[0, 0], multipliers=[1, 1])


def test_first_seen_needs_positions() -> None:
    counts = _core.PretokenCounts.from_run(BytesIO(RUN).read, has_positions=False)
    with pytest.raises(TrainingError, match="the counts do not say where pretokens occur first"):
        _core.Trainer(counts, bytes(range(256)), "first-seen")
    assert _core.Trainer(counts, bytes(range(256)), "lowest-id").advance(2)


def test_a_limit_below_a_character_is_refused() -> None:
    with pytest.raises(TrainingError, match="max_pretoken_bytes 3: must be from 4, the bytes of the longest character"):
        _core.PretokenCounter('{"type":"gpt2","unicode":"16.0"}', [], max_pretoken_bytes=3)
