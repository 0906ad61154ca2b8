"""What lies at a path, and what the person is told where nothing does."""

import io
import os
import subprocess
import sys
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sessions.errors import BadInput, NotALog
from sessions.formats import claude_code
from sessions.ingest import registry, sniff
from sessions.ingest.discovery import known_logs
from sessions.ingest.sniff import recognise, spool, survey

LOG = (
    b'{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-01T00:00:00Z",'
    b'"cwd":"/srv","message":{"role":"user","content":"it prints garbage"}}\n'
)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "b.txt").write_bytes(LOG)
    (tmp_path / "deep" / "er" / "a.dat").write_bytes(LOG)
    (tmp_path / "deep" / "notes.md").write_text("# notes")
    (tmp_path / "empty.jsonl").touch()
    for name in (".git", "node_modules"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.jsonl").write_bytes(LOG)
    return tmp_path


def test_a_log_is_told_by_its_content(logs: Path) -> None:
    (source,) = recognise(logs / "b.txt")
    assert (source.format, source.name, source.size) == ("claude-code", str(logs / "b.txt"), len(LOG))


def test_a_folder_is_searched_in_a_stable_order(logs: Path) -> None:
    assert [source.path for source in recognise(logs)] == [logs / "b.txt", logs / "deep" / "er" / "a.dat"]


def test_what_is_no_log_is_told_with_its_reason(logs: Path) -> None:
    skipped = {each.path.name: each.reason for each in survey(logs).skipped}
    assert set(skipped) == {"notes.md", "empty.jsonl"}
    assert "no log of a known format" in skipped["notes.md"]
    assert "is empty" in skipped["empty.jsonl"]


def test_links_are_not_followed(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.jsonl").write_bytes(LOG)
    (logs / "link").symlink_to(outside)
    (logs / "file-link").symlink_to(outside / "x.jsonl")
    (logs / "loop").symlink_to(logs)
    assert len(recognise(logs)) == 2


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "is empty"), (b"hello\n", "no log of a known format"), (b"\0" * 400, "no log of")]
)
def test_a_file_that_is_no_log_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(NotALog, match=message):
        recognise(tmp_path / "x")


def test_paths_that_cannot_be_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="No such file"):
        recognise(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a regular file") as caught:
        recognise(tmp_path / "pipe")
    assert "necropsy ingest -" in caught.value.hint
    with pytest.raises(NotALog, match="no log was found"):
        recognise(tmp_path)


def test_a_folder_without_permission_is_refused_and_inside_another_skipped(logs: Path) -> None:
    closed = logs / "deep"
    closed.chmod(0)
    for folder in (logs, *logs.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o555)
    program = (
        "import os; from pathlib import Path\n"
        "from sessions.errors import NotALog\n"
        "from sessions.ingest.sniff import recognise, survey\n"
        "from sessions.ingest.registry import formats\n"
        "formats(); os.getuid() or os.setresuid(65534, 65534, 65534)\n"  # root may read everything
        f"logs = Path({str(logs)!r})\n"
        "found = survey(logs)\n"
        "print(len(found.sources), [each.reason for each in found.skipped if each.path == logs / 'deep'])\n"
        "try: recognise(logs / 'deep')\n"
        "except NotALog as error: print(error.message)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    closed.chmod(0o755)
    assert ended.stdout == f"1 ['Permission denied']\n{closed} cannot be read: Permission denied\n", ended.stderr


def test_standard_input_becomes_a_file_named_by_its_content() -> None:
    one, two = spool(io.BytesIO(LOG)), spool(io.BytesIO(LOG))
    assert one.read_bytes() == LOG
    assert one.name == two.name
    assert recognise(one)[0].format == "claude-code"
    with pytest.raises(NotALog, match="standard input is empty"):
        spool(io.BytesIO())


def test_the_agents_own_folders_are_found_by_their_variables(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(logs / "nobody"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(logs / "config"))
    assert known_logs() == ()
    folder = logs / "config" / "projects" / "-srv"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_bytes(LOG)
    (place,) = known_logs()
    assert (place.agent, place.path) == ("claude-code", folder.parent)
    assert [source.path.name for source in place.sources] == ["s1.jsonl"]


def test_a_broken_format_is_left_out_with_a_warning_and_raises_when_named(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("broken", "sessions.formats.none_such", registry.GROUP),
        EntryPoint("claude-code", "sessions.formats.claude_code", registry.GROUP),
        EntryPoint("hollow", "sessions.times", registry.GROUP),
    ]

    def installed(*, group: str, name: str | None = None) -> list[EntryPoint]:
        assert group == registry.GROUP
        return [point for point in points if name in {None, point.name}]

    monkeypatch.setattr(registry, "entry_points", installed)
    registry.formats.cache_clear()
    registry.format_named.cache_clear()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert [each.name for each in registry.formats()] == ["claude-code"]
        assert [str(each.message).split(" cannot")[0].split(" lacks")[0] for each in caught] == [
            "the log format broken (sessions.formats.none_such)",
            "the log format hollow (sessions.times)",
        ]
        with pytest.raises(registry.BrokenFormat, match="none_such"):
            registry.format_named("broken")
        with pytest.raises(registry.BrokenFormat, match="no log format nothing"):
            registry.format_named("nothing")
    finally:
        registry.formats.cache_clear()
        registry.format_named.cache_clear()


def test_the_head_is_large_enough_for_a_long_first_line(tmp_path: Path) -> None:
    assert sniff.HEAD == 65536
    long = b'{"type":"session_meta","padding":"' + b"x" * 20_000 + b'"}\n'
    (tmp_path / "x").write_bytes(long)
    assert len(sniff._head(tmp_path / "x")) == len(long)


def test_folders_deeper_than_python_can_call(tmp_path: Path) -> None:
    deepest = tmp_path
    for _ in range(sys.getrecursionlimit() + 100):
        deepest /= "a"
        deepest.mkdir()
    (deepest / "log.jsonl").write_bytes(LOG)
    assert [source.path for source in recognise(tmp_path)] == [deepest / "log.jsonl"]
    while deepest != tmp_path:  # pytest's own clean-up is recursive
        for path in deepest.iterdir():
            path.unlink() if path.is_file() else path.rmdir()
        deepest = deepest.parent
    (tmp_path / "a").rmdir()


def test_a_folder_with_many_sub_agents_opens_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        (tmp_path / f"s{number}.jsonl").write_bytes(LOG.replace(b'"s1"', b'"s%d"' % number))
        (tmp_path / f"agent-{number}.jsonl").write_bytes(LOG.replace(b'"s1"', b'"s%d"' % number))
    opened: list[Path] = []
    read_head = claude_code.named_in

    def watch(path: Path) -> set[str]:
        opened.append(path)
        return read_head(path)

    monkeypatch.setattr(claude_code, "named_in", watch)
    assert len(recognise(tmp_path)) == 40
    assert len(opened) == 20
    assert [source.path.name for source in recognise(tmp_path / "s7.jsonl")] == ["s7.jsonl", "agent-7.jsonl"]
