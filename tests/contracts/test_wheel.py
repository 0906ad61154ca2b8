"""What is shipped: exactly the four folders, with their data, and one console script."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_top_level_names_are_the_four_folders(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"replay", "tui", "sessions", "probes"}


def test_every_source_and_data_file_is_in_it(wheel: zipfile.ZipFile) -> None:
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "replay", "tui", "sessions", "probes"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")
    assert set(filter(None, tracked)) - set(wheel.namelist()) == set()


def test_the_console_script_is_necropsy(wheel: zipfile.ZipFile) -> None:
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "necropsy = tui.cli.entry:run" in wheel.read(entry_points).decode()
