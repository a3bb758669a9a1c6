"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# No test fails because a machine is slow.
settings.register_profile("tokenloom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tokenloom")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real vocabularies and corpora, which is not part of the repository."""
    folder = Path(os.environ.get("TOKENLOOM_SHARED") or ROOT.parent / "shared")
    if not (folder / "vocabs").is_dir():
        pytest.skip(f"no vocabs/ in {folder}: set TOKENLOOM_SHARED to the folder of shared test data")
    return folder
