"""An output folder inside the corpus: a repeated run must not read what the first one wrote."""

from collections.abc import Callable
from pathlib import Path

import pytest

import tokenloom
from tokenloom import CorpusError
from tokenloom.jobs.encode import encode_corpus
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.trainers import BpeOptions


def _train(corpus: Path, out: Path) -> object:
    return train_corpus([corpus], options=BpeOptions(260, []), out=out)


def _encode(corpus: Path, out: Path) -> object:
    return encode_corpus([corpus], tokenizer=tokenloom.train(["the cat the cat"], 260), out=out)


@pytest.mark.parametrize("run", [_train, _encode])
def test_the_second_run_refuses_its_own_output(tmp_path: Path, run: Callable[[Path, Path], object]) -> None:
    (tmp_path / "a.txt").write_text("the cat the cat")
    out = tmp_path / "out"
    run(tmp_path, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(CorpusError, match="lies in the output folder"):
        run(tmp_path, out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_neighbour_with_a_longer_name_is_no_output(tmp_path: Path) -> None:
    (tmp_path / "out-2").mkdir()
    (tmp_path / "out-2" / "a.txt").write_text("the cat the cat")
    _train(tmp_path / "out-2", tmp_path / "out")
    _train(tmp_path / "out-2", tmp_path / "out")
