"""JSON lines as logs really hold them."""

import io
import os
import zlib
from pathlib import Path

import orjson
import pytest

from sessions.errors import BadInput
from sessions.ingest.events import Count
from sessions.ingest.lines import read_lines

A, B = b'{"timestamp":"1","n":1}', b'{"timestamp":"2","n":"\xc3\xbc"}'


def read(content: bytes) -> tuple[list[object], list[bytes], Count]:
    count = Count()
    records = list(read_lines(io.BytesIO(content), count))
    places = [content[record.span.start : record.span.end] for record in records]
    return [record.value.get("n") for record in records], places, count


def counts(count: Count) -> tuple[int, int, int, bool]:
    return count.read, count.repaired, count.skipped, count.live


@pytest.mark.parametrize(
    ("content", "values", "expected"),
    [
        pytest.param(A + b"\n" + B + b"\n", [1, "ü"], (2, 0, 0, False), id="plain"),
        pytest.param(A + b"\r\n\r\n" + B, [1, "ü"], (2, 0, 0, False), id="crlf, blank line, no last line feed"),
        pytest.param(b"\xef\xbb\xbf" + A + b"\n", [1], (1, 0, 0, False), id="byte order mark"),
        pytest.param(A + B + b"\n" + A + b"\n", [1, "ü", 1], (3, 1, 0, False), id="two on one line"),
        pytest.param(A + b" \t, " + B + b"\n", [1, "ü"], (2, 1, 0, False), id="two with something between"),
        pytest.param(A + B + B[:9], [1, "ü"], (2, 1, 0, True), id="two, then one being written"),
        pytest.param(A[:15] + A + b"\n", [1], (1, 1, 0, False), id="broken off and written again"),
        pytest.param(A + b"\n{not json\n" + B + b"\n", [1, "ü"], (2, 0, 1, False), id="bad line in the middle"),
        pytest.param(A + b"\n" + B[:-4], [1], (1, 0, 0, True), id="last one being written"),
        pytest.param(A + b"\n" + B[:-4] + b"\n", [1], (1, 0, 1, False), id="last one broken for good"),
        pytest.param(A + b"\n\0\0\0\0" + B + b"\n", [1, "ü"], (2, 1, 0, False), id="NUL block before a record"),
        pytest.param(A + b"\n\0\0\0\0\n" + B + b"\n", [1, "ü"], (2, 0, 1, False), id="NUL line"),
        pytest.param(A + b"\n" + b"\0" * 4096, [1], (1, 0, 1, False), id="NUL block at the end"),
        pytest.param(b"[1,2]\n3\n" + A + b"\n", [1], (1, 0, 2, False), id="values that are no records"),
        pytest.param(b'{"n":"a\xff\xfeb"}\n', ["a\ufffd\ufffdb"], (1, 1, 0, False), id="invalid UTF-8"),
        pytest.param(b'{"n":"\xff"}' + A + b"\n", ["\ufffd", 1], (2, 1, 0, False), id="invalid UTF-8, two on one line"),
        pytest.param(b'{"n":"\\ud83d"}\n', ["\ud83d"], (1, 0, 0, False), id="lone surrogate"),
        pytest.param(b'{"n":"a\tb\x01"}\n', ["a\tb\x01"], (1, 0, 0, False), id="controls in a string"),
        pytest.param(b'{"n":Infinity}\n', [float("inf")], (1, 0, 0, False), id="infinity"),
        pytest.param(b'{"n":' + b"[" * 100_000 + b"\n" + A + b"\n", [1], (1, 0, 1, False), id="nested too deeply"),
        pytest.param(
            b'{"n":"a\\n\\user1@example.org"}', ["a\n\\user1@example.org"], (1, 1, 0, False), id="damaged escape"
        ),
        pytest.param(b'{"n":"\\"}\n' + A + b"\n", [1], (1, 0, 1, False), id="string that never ends"),
        pytest.param(b"", [], (0, 0, 0, False), id="empty"),
    ],
)
def test_every_line_is_accounted_for(
    content: bytes, values: list[object], expected: tuple[int, int, int, bool]
) -> None:
    found, _, count = read(content)
    assert found == values
    assert counts(count) == expected


def test_spans_are_the_bytes_of_each_record() -> None:
    _, places, _ = read(b"\xef\xbb\xbf" + A + B + b" \r\n\0\0" + B + b"\n " + A + b"  \n" + b'{"n":"\xff"}' + A + b"\n")
    assert places == [A, B, B, A, b'{"n":"\xff"}', A]


def test_a_line_of_30_megabytes_is_one_record() -> None:
    long = orjson.dumps({"n": "x" * 30_000_000})
    found, places, count = read(long + b"\n" + long + A + b"\n")
    assert [len(str(value)) for value in found] == [30_000_000, 30_000_000, 1]
    assert places[1] == long
    assert counts(count) == (3, 1, 0, False)


def test_a_hostile_line_is_given_up() -> None:
    found, _, count = read(b'{"timestamp"' * 50_000 + b"\n" + A + b"\n")
    assert found == [1]
    assert counts(count) == (1, 0, 1, False)


def test_noise_never_raises_and_never_loses_the_record_behind_it() -> None:
    noise = bytes(zlib.crc32(bytes([n % 256, n // 256])) % 256 for n in range(20_000))
    found, _, count = read(noise + b"\n" + A + b"\n")
    assert found[-1] == 1
    assert count.read == len(found)


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        list(read_lines(tmp_path / "none.jsonl", Count()))
    if os.name == "posix":
        with pytest.raises(BadInput, match="Is a directory"):
            list(read_lines(tmp_path, Count()))
