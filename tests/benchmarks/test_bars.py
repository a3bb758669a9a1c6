from typing import Any

from cases import CASES
from cases.rows import ANCHOR, ROWS
from measuring.bars import against, tables
from measuring.standings import standings
from peers.files import ENCODINGS
from tests.benchmarks.contests import run


def result(*, ours: float, ids: str = "equal", label: str = "cold") -> dict[str, Any]:
    trials = {"tokenloom": run(ours, ids=ids), "a|b": run(2.0, ids="equal")}
    runs = [run(ours, peer="tokenloom"), run(2.0, peer="a|b")]
    for each in (*trials.values(), *runs):
        each["sections"] = {label: each["sections"]["cold"]}
    return {
        "machine": {"cpu": "A", "cores": 2},
        "date": "2026-11-30",
        "versions": {"python": "3.11.7", "tokenloom commit": "0123456789abcdef"},
        "n_rounds": 5,
        "clock": "cpu_seconds",
        "section_bytes": {label: 4_000_000},
        "parts": {"all": standings(trials, runs, {}, clock="cpu_seconds", ours="tokenloom")},
        "runs": runs,
    }


def test_no_rows_give_no_tables() -> None:
    assert tables({}) == []


def test_row_tells_both_speeds_and_what_was_asked() -> None:
    text = "\n".join(tables({"encode_gpt2_code": result(ours=1.0)}))
    assert "| gpt2, code | 4 : 2 a\\|b | 2.00 ≥ 1.3 | - | - | - | - |" in text
    assert "Machine: A, 2 cores. 5 rounds, 2026-11-30;" in text


def test_row_that_is_lost_is_shown() -> None:
    assert "| 2 : 2 a\\|b | 1.00 < 1.3 |" in "\n".join(tables({"encode_gpt2_code": result(ours=2.0)}))


def test_training_is_told_in_seconds() -> None:
    text = "\n".join(tables({"train_gpt2_english": result(ours=1.0, label="train")}))
    assert "| gpt2, 4 MB of english | 1.00 s : 2.00 s a\\|b | 2.00 ≥ 2 | - | - |" in text


def test_wrong_ids_of_ours_are_told_in_the_row() -> None:
    text = "\n".join(tables({"encode_gpt2_code": result(ours=1.0, ids="3 of 9 documents differ")}))
    assert "| gpt2, code (3 of 9 documents differ) |" in text


def test_fresh_process_has_a_place_for_what_cannot_be_measured_yet() -> None:
    text = "\n".join(tables({"fresh_process": result(ours=1.0, label="together")}))
    assert "| import, load and encode 1 MiB, fresh process | 1e+03 ms | 2e+03 ms a\\|b | 2.00 ≥ 1 |" in text
    assert "| the same from a packed vocabulary | - | - a\\|b | - |" in text


def test_what_is_asked_is_compared() -> None:
    assert [against(1.25, 1.25), against(1.249, 1.25), against(3.0, None)] == ["1.25 ≥ 1.25", "1.25 < 1.25", "3.00"]


def test_rows_are_of_known_cases_and_encodings() -> None:
    assert all(row.case in CASES and row.encoding in ENCODINGS for row in ROWS.values())
    assert ROWS[ANCHOR].case == "encode_rivals"
