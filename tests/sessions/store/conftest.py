"""Sessions made by hand, and stores to put them in."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sessions.ingest.source import Source
from sessions.models.command import Command
from sessions.models.session import Message, Session, Span, Step, Tally
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "necropsy.db"


@pytest.fixture
def writer(path: Path) -> Iterator[Writer]:
    with Writer.open(path, key=b"k" * 32) as writer:
        yield writer


@pytest.fixture
def reader(writer: Writer, path: Path) -> Iterator[Reader]:
    with Reader.open(path) as reader:
        yield reader


@pytest.fixture
def make_session() -> MakeSession:
    """Make a session of `texts` (messages) and `calls` (pairs of command and output)."""

    def make(
        texts: tuple[str, ...] = ("the model prints garbage",),
        calls: tuple[tuple[str, str], ...] = (("nvidia-smi -L", "GPU 0: made-up"),),
        *,
        source: str = "/logs/a.jsonl",
        **fields: object,
    ) -> Session:
        messages = tuple(
            Message(ordinal=place, role="agent" if place else "user", text=text, span=Span(start=place, end=place + 1))
            for place, text in enumerate(texts)
        )
        steps = tuple(
            Step(
                ordinal=place,
                message=0,
                kind="shell",
                tool="bash",
                command=command,
                commands=(Command(argv=tuple(command.split()), text=command, host="192.0.2.7", env={"A": "1"}),),
                output=output,
                duration=1,
                result_span=Span(start=7, end=9, file="part/x"),
            )
            for place, (command, output) in enumerate(calls)
        )
        facts = {
            "id": "ses_1",
            "format": "opencode",
            "agent": "opencode",
            "title": "Garbage",
            "source": source,
        } | fields
        return Session.model_validate(facts | {"messages": messages, "steps": steps})

    return make


@pytest.fixture
def put(writer: Writer) -> Put:
    """Store sessions as the content of one source."""

    def put(*sessions: Session, stamp: str = "1") -> Stored:
        source = Source(Path(sessions[0].source), "opencode", stamp, size=3)
        return writer.store(source, sessions, Tally(read=len(sessions)))

    return put
