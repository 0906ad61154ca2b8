"""Logs read the way the program reads them: recognised, read, folded into sessions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.ingest.builder import build
from sessions.ingest.events import Count
from sessions.ingest.registry import format_named
from sessions.ingest.sniff import recognise
from sessions.models.session import Session

_DATA = Path(__file__).parents[2] / "data"


def _load(path: Path) -> dict[str, Session]:
    found: dict[str, Session] = {}
    for source in recognise(path):
        count = Count()
        events = format_named(source.format).read(source, count)
        found |= {session.id: session for session in build(events, source, count)}
    return found


@pytest.fixture
def data() -> Path:
    """The folder of hand-made logs."""
    return _DATA


@pytest.fixture
def load_log() -> Callable[[Path], dict[str, Session]]:
    """Read the sessions of a log, of all its files, by id."""
    return _load
