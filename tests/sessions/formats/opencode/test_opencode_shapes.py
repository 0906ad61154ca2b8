"""The three shapes tell the same session in the same events; only the places in the log differ."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sessions.formats import opencode, opencode_db, opencode_storage
from sessions.ingest.events import About, Called, Count, Event, Returned, Said, Used
from sessions.ingest.source import Format

Document = dict[str, Any]
Told = tuple[list[Event], Count]
Read = Callable[[Format, Path], Told]


@pytest.fixture(params=["export", "storage", "old storage", "database"])
def told(request: pytest.FixtureRequest, document: Document, read_all: Read) -> Told:
    """The session, read from each of the shapes in turn."""
    shape: str = request.param
    if "storage" in shape:
        path = request.getfixturevalue("write_storage")(document, shape)
        assert opencode_storage.sniff(path, b"")
        return read_all(opencode_storage, path)
    path = request.getfixturevalue(f"write_{shape}")(document)
    format_: Format = opencode if shape == "export" else opencode_db
    assert format_.sniff(path, path.read_bytes()[:65536])
    return read_all(format_, path)


def _of(kind: type, told: Told) -> list[Any]:
    return [event for event in told[0] if isinstance(event, kind)]


def test_session(told: Told) -> None:
    first, *others = _of(About, told)
    assert first == About(
        "ses_1f00fixture0001", "1.18.4", "Why is the answer empty?", None, "/srv/app", 1790000000.0, 1790000090.0
    )
    assert [about.model for about in others] == ["example/small-1", "example/small-1"]


def test_messages_in_order_with_what_the_program_put_there_marked(told: Told) -> None:
    assert [(said.role, said.kind, said.injected, said.text) for said in _of(Said, told)] == [
        ("user", "text", False, "The service on 192.0.2.7 answers with nothing — why?"),
        ("user", "text", True, "Called the Read tool with the following input: app.toml"),
        ("agent", "reasoning", False, "The port may be wrong."),
        ("agent", "text", False, "I look at what listens."),
        ("agent", "text", True, "Summary: the service bound to loopback only."),
    ]
    assert [said.time for said in _of(Said, told)][:3] == [1790000000.5, 1790000000.5, 1790000001.5]


def test_calls_with_their_kind_main_input_and_directory(told: Told) -> None:
    assert [(called.tool, called.kind, called.command, called.cwd) for called in _of(Called, told)] == [
        ("bash", "shell", "ss -ltn | grep 8080", "/srv/app/deploy"),
        ("bash", "shell", "grep -n bind app.toml", "/srv/app"),
        ("bash", "shell", "curl http://192.0.2.7:8080", "/srv/app"),
        ("edit", "edit", '/srv/app/app.toml\n-bind = "127.0.0.1"\n+bind = "0.0.0.0"', "/srv/app"),
        ("bash", "shell", "rm -r /srv/app", "/srv/app"),
        ("read", "read", "/srv/app/none.toml", "/srv/app"),
        ("task", "agent", "What does bind mean?", "/srv/app"),
        ("bash", "shell", "journalctl -f", "/srv/app"),
        ("bash", "shell", "make", "/srv/app"),
        ("glob", "search", "", "/srv/app"),
    ]
    assert [called.programs for called in _of(Called, told)][2:4] == [("curl http://192.0.2.7:8080",), ()]


def test_results_with_exit_codes_status_and_duration(told: Told) -> None:
    calls = {called.call: called.command for called in _of(Called, told)}
    results = {calls[result.call]: result for result in _of(Returned, told)}
    assert {command: (result.status, result.exit_code, result.duration) for command, result in results.items()} == {
        "ss -ltn | grep 8080": ("ok", 0, 0.25),
        "grep -n bind app.toml": ("ok", 1, 0.1),
        "curl http://192.0.2.7:8080": ("interrupted", None, 5.0),
        '/srv/app/app.toml\n-bind = "127.0.0.1"\n+bind = "0.0.0.0"': ("ok", None, 0.01),
        "rm -r /srv/app": ("rejected", None, 1.0),
        "/srv/app/none.toml": ("error", None, 0.001),
        "What does bind mean?": ("ok", None, 2.5),
        "make": ("running", None, None),
    }
    assert results["ss -ltn | grep 8080"].output == "LISTEN 0 128 127.0.0.1:8080\n"
    assert results["ss -ltn | grep 8080"].exit_source == "log"
    assert results["grep -n bind app.toml"].output == ""
    assert "exceeding timeout 5000 ms" in results["curl http://192.0.2.7:8080"].output
    assert results["/srv/app/none.toml"].output == "File not found: /srv/app/none.toml"
    assert results["What does bind mean?"].child == "ses_1f00fixture0002"
    assert results["make"].output == "cc -c a.c\n"


def test_tokens_once_per_answer_all_of_its_model_calls_together(told: Told) -> None:
    assert _of(Used, told)[:2] == [
        Used("ses_1f00fixture0001", "msg_e0002", 110, 10, 3, 40, 4, 0.25),
        Used("ses_1f00fixture0001", "msg_e0004", 5, 6, cost=0.0),
    ]


def test_every_record_is_counted_and_the_unknown_one_named(told: Told) -> None:
    count = told[1]
    assert (count.read, count.skipped, count.live) == (1 + 5 + 21, 0, False)
    assert count.unknown_types == {"part:hologram": 1}


@pytest.mark.parametrize("shape", ["export", "storage", "database"])
def test_a_child_and_a_reconstruction_say_so(
    request: pytest.FixtureRequest, document: Document, read_all: Read, shape: str
) -> None:
    document["info"] |= {"parentID": "ses_parent", "metadata": {"reconstruction": True}}
    write = request.getfixturevalue(f"write_{shape}")
    path = write(document, shape) if shape == "storage" else write(document)
    format_: Format = {"export": opencode, "storage": opencode_storage, "database": opencode_db}[shape]
    events, _ = read_all(format_, path)
    assert isinstance(events[0], About)
    assert (events[0].parent, events[0].reconstructed) == ("ses_parent", True)


@pytest.mark.parametrize(
    ("revert", "kept"), [({"messageID": "msg_e0002", "partID": "prt_e0015"}, 2), ({"messageID": "msg_e0003"}, 8)]
)
def test_what_the_person_took_back_is_marked(
    document: Document, read_all: Read, write_export: Callable[[Document], Path], revert: Document, kept: int
) -> None:
    document["info"]["revert"] = revert
    events, _ = read_all(opencode, write_export(document))
    calls = [event for event in events if isinstance(event, Called)]
    assert [called.abandoned for called in calls] == [False] * kept + [True] * (10 - kept)


def test_all_shapes_give_the_same_events(
    document: Document,
    read_all: Read,
    write_export: Callable[[Document], Path],
    write_storage: Callable[[Document, str], Path],
    write_database: Callable[[Document], Path],
) -> None:
    def without_places(told: Told) -> list[Event]:
        return [event if isinstance(event, About | Used) else replace(event, span=None) for event in told[0]]

    export = without_places(read_all(opencode, write_export(document)))
    assert without_places(read_all(opencode_db, write_database(document))) == export
    assert without_places(read_all(opencode_storage, write_storage(document, "storage"))) == export
    assert without_places(read_all(opencode_storage, write_storage(document, "old storage"))) == export
