"""What every payload file promises: a frame like the others', a document on a bare host, a size one can read."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from probes import catalogue, envelope

PAYLOADS = Path(__file__).parents[3] / "probes" / "payloads"
FILES = sorted(PAYLOADS.glob("*/*.py"))
NAMES = [path.relative_to(PAYLOADS).as_posix() for path in FILES]


def oldest() -> str | None:
    """Return a Python 3.8 that runs: pyenv leaves a word on the path that may not."""
    found = [*map(str, sorted(Path.home().glob(".pyenv/versions/3.8*/bin/python3.8"))), shutil.which("python3.8")]
    runs = (each for each in found if each and not subprocess.run([each, "-V"], check=False).returncode)
    return next(runs, None)


OLDEST = oldest()


def block(text: str, title: str) -> str:
    start, end = text.find(f"# >>> {title}"), text.find(f"# <<< {title}")
    return text[start:end] if start >= 0 else ""


def test_there_are_payloads() -> None:
    assert "gguf/counts.py" in NAMES


def test_the_frame_is_the_same_everywhere() -> None:
    blocks = {block(path.read_text("utf-8"), "frame") for path in FILES}
    assert len(blocks) == 1
    assert 20 < len(blocks.pop().splitlines()) < 40


@pytest.mark.parametrize("title", ["gguf reader", "gguf rows", "dequantization", "grids", "products", "attention"])
def test_a_block_that_several_hold_is_the_same_in_all(title: str) -> None:
    copies = [found for path in FILES if (found := block(path.read_text("utf-8"), title))]
    assert len(copies) > 1
    assert len(set(copies)) == 1


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_the_catalogue_reads_it(path: Path) -> None:
    probe = catalogue.parse(path.read_text("utf-8"), "here")
    assert probe.name.partition(".")[0] == path.parent.name
    assert all(suspicion.terms for suspicion in probe.hypotheses)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_bare_host_gets_a_document(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / path.name)
    command = [sys.executable, "-I", "-S", path.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    document = envelope.read(done.stdout)
    assert done.returncode == 0
    assert document is not None, done.stderr.decode()
    assert document.findings == ()
    if document.needs:
        assert document.status == "blocked"
        assert document.detail.startswith("needs ")
    else:
        assert document.status == "ok"


@pytest.mark.skipif(OLDEST is None, reason="no Python 3.8 on this machine")
@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_python_3_8_runs_it(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([str(OLDEST), "-I", "-S", path], cwd=tmp_path, capture_output=True, check=False)
    assert envelope.read(done.stdout) is not None, done.stderr.decode()


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_one_reads_it_in_a_sitting(path: Path) -> None:
    own = re.sub(r"^# >>> .*?^# <<< [^\n]*\n", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(own.encode()) <= 20_000
