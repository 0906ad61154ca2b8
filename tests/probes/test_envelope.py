"""The document is found in noise, cleaned, and refused where it is none."""

import json

from probes import envelope

DOCUMENT = {
    "schema_version": 1,
    "name": "a.b",
    "status": "ok",
    "measurements": [{"name": "x", "value": 1.5, "unit": "s"}],
}


def marked(document: object) -> bytes:
    return f"{envelope.BEGIN}\n{json.dumps(document)}\n{envelope.END}\n".encode()


def test_noise_around_it_is_not_looked_at() -> None:
    found = envelope.read(b"\xff warning {\n" + marked(DOCUMENT) + b"bye\n")
    assert found is not None
    assert (found.name, found.measurements[0].value, found.measurements[0].unit) == ("a.b", 1.5, "s")


def test_the_last_document_counts() -> None:
    found = envelope.read(marked(DOCUMENT) + marked({**DOCUMENT, "status": "failed"}))
    assert found is not None
    assert found.status == "failed"


def test_escapes_of_the_host_do_not_reach_the_screen() -> None:
    found = envelope.read(
        marked({**DOCUMENT, "detail": "\x1b[31mred\x1b[0m \u202e", "details": {"k\x07": ["\x1b]0;t\x07"]}})
    )
    assert found is not None
    assert "\x1b" not in repr(found.model_dump())
    assert found.detail.startswith("red ")
    assert list(found.details) == ["k␇"]


def test_numbers_that_json_does_not_have_are_words() -> None:
    found = envelope.read(marked({**DOCUMENT, "measurements": [{"name": "x", "value": float("nan")}]}))
    assert found is not None
    assert found.measurements[0].value == "NaN"


def test_what_is_no_document_is_none() -> None:
    assert envelope.read(b"") is None
    assert envelope.read(b"Traceback ...") is None
    assert envelope.read(marked(DOCUMENT)[:-30]) is None
    assert envelope.read(marked(["a"])) is None
    assert envelope.read(marked({**DOCUMENT, "schema_version": 2})) is None
    assert envelope.read(marked({**DOCUMENT, "status": "splendid"})) is None


def test_a_probe_without_a_document_says_why() -> None:
    document = envelope.without_document("a.b", "failed", "exit code 1", output=b"x" * 9000 + b"MemoryError\n")
    assert document.detail.startswith("exit code 1\nxxx")
    assert document.detail.endswith("MemoryError")
    assert len(document.detail) < 2100
