"""What every test may ask for."""

import os
from pathlib import Path

import pytest


def _shared(folder: str) -> Path:
    root = Path(os.environ.get("NECROPSY_SHARED", Path(__file__).parents[2] / "shared"))
    path = root / folder
    if not path.is_dir():
        pytest.skip(f"needs the annotated corpus of real logs: {folder} is not on this machine (NECROPSY_SHARED)")
    return path


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real public logs."""
    return _shared("corpus")


@pytest.fixture(scope="session")
def gold() -> Path:
    """The folder of annotations of some of those logs."""
    return _shared("gold")
