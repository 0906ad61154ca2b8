"""A reader finishes a file in one sitting: limits, and the one list in which each exception has its reason."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("sessions", "probes", "replay", "tui", "tests", "docs")

FILE_LINES = 300
FUNCTION_LINES = 40
FOLDER_FILES = 14

LIFTED: dict[str, str] = {
    "probes/payloads/backend/choice.py": "a payload is one file, and this one rebuilds another program's classes",
}
"""Path, or ``path::function``, of what may be longer, and why."""


def _python_files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body without the docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _lines(text: str) -> int:
    """Lines of a file; the blocks that payloads repeat word for word, between ``# >>>`` and ``# <<<``, do not count."""
    return len(re.sub(r"^# >>> .*?^# <<< [^\n]*\n", "", text, flags=re.MULTILINE | re.DOTALL).splitlines())


def _too_long() -> dict[str, int]:
    found: dict[str, int] = {}
    for path in _python_files():
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        if _lines(text) > FILE_LINES:
            found[name] = _lines(text)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > FUNCTION_LINES:
                found[f"{name}::{node.name}"] = _length(node)
    return found


def test_files_and_functions_stay_short() -> None:
    too_long = {name: lines for name, lines in _too_long().items() if name not in LIFTED}
    assert too_long == {}


def test_every_lifted_limit_is_still_needed() -> None:
    assert set(LIFTED) - set(_too_long()) == set()


@pytest.mark.parametrize("top", FOLDERS)
def test_folders_stay_small(top: str) -> None:
    crowded = {
        folder.relative_to(ROOT).as_posix(): count
        for folder in [ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())]
        if (count := sum(path.suffix == ".py" and path.name != "__init__.py" for path in folder.iterdir()))
        > FOLDER_FILES
        and folder.relative_to(ROOT).as_posix() not in LIFTED
    }
    assert crowded == {}


def test_no_module_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}
    assert [path for path in _python_files() if path.stem in drawers] == []
