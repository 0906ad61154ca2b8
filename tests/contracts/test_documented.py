"""An undocumented command, option or log format fails here."""

import argparse
import importlib
import tomllib
from pathlib import Path

import pytest

from tui.cli.main import COMMANDS, MODULES

ROOT = Path(__file__).parents[2]
GUIDE = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def _options(command: str) -> set[str]:
    module = importlib.import_module(f"tui.cli.{MODULES[command]}")
    parser = argparse.ArgumentParser(add_help=False)
    module.configure(parser)
    return {option for action in parser._actions for option in action.option_strings if option.startswith("--")}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_guide_shows_the_command(command: str) -> None:
    assert f"necropsy {command}" in GUIDE


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_guide_names_every_option_of(command: str) -> None:
    assert {option for option in _options(command) if option not in GUIDE} == set()


def test_the_guide_names_every_log_format() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    formats = project["entry-points"]["necropsy.formats"]
    assert {name for name in formats if f"`{name}`" not in GUIDE} == set()


def test_the_architecture_page_names_every_folder() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for top in ("sessions", "probes", "replay", "tui")
        for path in (ROOT / top).rglob("__init__.py")
    }
    assert {folder for folder in folders if f"{folder}/" not in page} == set()
