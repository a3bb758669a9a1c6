from pathlib import Path

import pytest

from tests.jobs.reports.runs import encoded, trained
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.train_corpus import TrainRun


@pytest.fixture(scope="session")
def training(tmp_path_factory: pytest.TempPathFactory) -> TrainRun:
    return trained(tmp_path_factory.mktemp("training"))


@pytest.fixture
def encoding(tmp_path: Path, training: TrainRun) -> EncodeRun:
    files = {"a.txt": "the cat||||in the hat", "b.txt": "你好 the hat the hat"}
    return encoded(tmp_path, files, training.tokenizer)
