"""Arguments and surroundings that nobody tested at home: a refusal in one sentence, never a bug of ours."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

NECROPSY = Path(sys.executable).with_name("necropsy")
BYTES = os.fsdecode(b"\xff\xfe")
"""An argument that is no UTF-8."""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["steps", "latest", "--only", "0-1000000000"], 2),
        (["steps", "latest", "--only", "9" * 20], 2),
        (["steps", "latest", "--only", "9" * 5000], 2),
        (["steps", "latest", "--only", "5-3"], 2),
        (["steps", "latest", "--only", "٣"], 2),
        (["steps", "latest", "--only", "999999"], 3),
        (["search", "x", "--limit", "-1"], 2),
        (["search", "x", "--limit", "9" * 30], 2),
        (["journal", "verify", "--head", "24:9f0c"], 2),
        (["search", BYTES], 1),
        (["show", BYTES], 3),
        (["show", ""], 3),
        (["report", "latest", "--output", "/"], 4),
        (["report", "latest", "--output", "."], 4),
        (["report", "latest", "--output", ""], 4),
        (["report", "latest", "--output", "/no/such/folder/x"], 4),
        (["edit", "latest", "H1", "--evidence", "²:refutes:x"], 2),
        (["edit", "latest", "H1", "--evidence", "9" * 20 + ":refutes:x"], 2),
        (["edit", "latest", "H1", "--no-evidence", "9" * 20], 2),
    ],
)
def test_arguments_beyond_all_bounds(bundled: Run, arguments: list[str], code: int) -> None:
    done = bundled(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr
    assert "bug of ours" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["H0", "--verdict", "refuted"],
        ["H0", "--remove"],
        ["H0", "--parent", "H1"],
        ["H1", "--parent", "H1"],
        ["H1", "--merge", "H1"],
        ["H1", "--promote"],
        ["H1", "--no-evidence", "9999"],
        ["--add", "the driver is too old", "--statement", "it is not"],
        ["--add", "the driver is too old", "--evidence", "0:supports:x"],
    ],
)
def test_a_correction_that_would_change_nothing(bundled: Run, arguments: list[str]) -> None:
    before = bundled("report", "latest", "--format", "json").stdout
    done = bundled("edit", "latest", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert bundled("report", "latest", "--format", "json").stdout == before


def test_what_a_person_types_is_cleaned_before_it_is_stored(bundled: Run, store: Path) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    statement = f"the \x1b]0;title\x07token\n{secret} \u202e is wrong"
    done = bundled("edit", "latest", "H1", "--statement", statement, "--author", f"me\x1b[31m{BYTES}")
    assert done.returncode == 0, done.stderr
    report = json.loads(bundled("report", "latest", "--format", "json").stdout)
    node = next(each for each in report["hypotheses"] if each["id"] == "H1")
    assert node["statement"].startswith("the token <redacted:github:")
    assert node["statement"].endswith("> \\u{202e} is wrong")
    kept = b"".join(path.read_bytes() for path in store.parent.glob(store.name + "*"))
    assert secret.encode() not in kept
    assert b"\x1b]" not in kept
    assert "\u202e".encode() not in kept


@pytest.mark.parametrize("name", ["list", "demo", "show", "app"])
def test_a_store_named_like_a_command(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [NECROPSY, "--store", name, "demo", "--print", "--output", "page.html"], cwd=tmp_path, check=False
    )
    assert done.returncode == 0
    listed = subprocess.run(
        [NECROPSY, "--store", name, "list", "--json"], cwd=tmp_path, check=True, capture_output=True
    )
    assert len(json.loads(listed.stdout)) == 1


@pytest.mark.parametrize("columns", ["", "abc", "0", "-5", "1", "9" * 30, "²"])
def test_any_width(bundled: Run, columns: str) -> None:
    done = bundled("show", "latest", env={"COLUMNS": columns})
    assert done.returncode == 0
    assert "H8" in done.stdout


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1:strict"},
    ],
)
@pytest.mark.parametrize("command", ["list", "show latest", "steps latest", "report latest"])
def test_any_locale(bundled: Run, command: str, environment: dict[str, str]) -> None:
    plain = bundled(*command.split())
    done = bundled(*command.split(), env=environment, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, plain.stdout)


@pytest.mark.parametrize("command", ["list", "list --json", "show latest", "steps latest", "report latest"])
def test_a_reader_that_goes_away_and_a_full_disk(bundled: Run, store: Path, command: str) -> None:
    del bundled
    words = f"{NECROPSY} --store {store} {command}"
    gone = subprocess.run(
        ["bash", "-c", f"{words} | true; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, check=False
    )
    assert gone.returncode == 0
    assert "Traceback" not in gone.stderr
    full = subprocess.run(["bash", "-c", f"{words} >/dev/full"], capture_output=True, text=True, check=False)
    assert full.returncode == 4
    assert "No space left on device" in full.stderr


@pytest.mark.parametrize(
    ("redirect", "command", "code"),
    [(">&-", "list", 0), ("2>&-", "show latest", 0), ("<&-", "ingest -", 3), ("<&- >&- 2>&-", "list --json", 0)],
)
def test_closed_streams(bundled: Run, store: Path, redirect: str, command: str, code: int) -> None:
    del bundled
    done = subprocess.run(
        ["bash", "-c", f"{NECROPSY} --store {store} {command} {redirect}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "bug of ours" not in done.stderr


def test_a_report_goes_to_a_device_or_along_a_link(bundled: Run, tmp_path: Path) -> None:
    assert bundled("report", "latest", "--output", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()
    link, target = tmp_path / "link.md", tmp_path / "target.md"
    link.symlink_to(target)
    assert bundled("report", "latest", "--output", link).returncode == 0
    assert link.is_symlink()
    assert target.read_text() == bundled("report", "latest").stdout


def test_a_pipe_is_no_store(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in (["list"], ["ingest", "/dev/null"]):
        done = subprocess.run(
            [NECROPSY, "--store", pipe, *command], capture_output=True, text=True, timeout=20, check=False
        )
        assert done.returncode in {3, 4}


def test_a_home_that_nobody_has(tmp_path: Path) -> None:
    environment = {**os.environ, "NECROPSY_STORE": "~nobody-at-all/store.db"}
    done = subprocess.run([NECROPSY, "list"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "there is no store at ~nobody-at-all/store.db" in done.stderr
    assert not list(tmp_path.iterdir())
