from tests.jobs.reports.runs import words
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.reports.speed import estimate_blocks, speed_section
from tokenloom.report import Section


def estimate(seconds: float) -> str:
    return words(Section("Speed", estimate_blocks(Stage("encode", 200_000_000, seconds), n_threads=2)))


def test_time_for_the_pile_follows_from_the_rate() -> None:
    text = estimate(2.0)  # 200 MB in 2 s: 825 GB take 8,250 s on 2 cores
    assert "this run, 2 threads | 100 MB/s | 2.3 h |" in text
    assert "1 core | 50.0 MB/s | 4.6 h | 8 cores | 400 MB/s | 0.57 h | 64 cores | 3.20 GB/s | 0.07 h |" in text
    assert "An estimate, not a measurement" in text


def test_nothing_is_foretold_from_a_short_run() -> None:
    assert estimate_blocks(Stage("encode", 200_000_000, 0.9), n_threads=2) == []


def test_stages_stand_with_time_rate_memory_and_text() -> None:
    text = words(speed_section([Stage("count", 2_000_000, 0.5, 50_000_000), Stage("merge", 0, 0.25)]))
    assert "count | 0.500 s | 4.00 MB/s | 50.0 MB | 2.00 MB | merge | 0.250 s | – | – | – |" in text
