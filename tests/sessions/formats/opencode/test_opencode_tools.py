from pathlib import Path
from typing import Any

import pytest

from sessions.formats.opencode_tools import conclude, main_input

CUT = "...output truncated...\n\nFull output saved to: /home/user/.local/share/opencode/tool-output/{}\n\nlast line\n"


def _bash(output: str, **metadata: Any) -> dict[str, Any]:
    return {"status": "completed", "output": output, "metadata": metadata}


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("bash", {"command": "ls", "description": "List"}, "ls"),
        ("read", {"filePath": "/srv/a.py", "offset": 5}, "/srv/a.py"),
        ("list", {"path": "/srv"}, "/srv"),
        ("grep", {"pattern": "bind", "path": "/srv", "include": "*.toml"}, "bind"),
        ("glob", {"path": "/srv", "pattern": "**/*.py"}, "**/*.py"),
        ("write", {"filePath": "/srv/a", "content": "one\ntwo\n"}, "/srv/a\none\ntwo\n"),
        ("edit", {"filePath": "/srv/a", "oldString": "x\ny", "newString": "z"}, "/srv/a\n-x\n-y\n+z"),
        (
            "multiedit",
            {
                "filePath": "/srv/a",
                "edits": [{"oldString": "x", "newString": "y"}, {"oldString": "", "newString": "z"}],
            },
            "/srv/a\n-x\n+y\n+z",
        ),
        ("apply_patch", {"patchText": "*** Begin Patch\n"}, "*** Begin Patch\n"),
        ("webfetch", {"url": "https://example.org/", "format": "text"}, "https://example.org/"),
        ("websearch", {"query": "why"}, "why"),
        ("skill", {"name": "deploy"}, "deploy"),
        ("todowrite", {"todos": [{"content": "größer"}]}, '{"todos": [{"content": "größer"}]}'),
        ("bash", {}, ""),
    ],
)
def test_main_input(tool: str, given: dict[str, Any], told: str) -> None:
    assert main_input(tool, given) == told


@pytest.mark.parametrize(
    "output",
    [
        "x\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>",
        "x\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>\n",
        "x\n\n(Command timed out after 60000 ms)",
        "x\n(Command was aborted)",
    ],
)
def test_a_note_that_the_command_was_killed(output: str) -> None:
    result = conclude("bash", _bash(output), (), over=True)
    assert result is not None
    assert (result.status, result.output) == ("interrupted", output)


def test_the_note_counts_only_at_the_end_where_the_program_puts_it() -> None:
    note = "<shell_metadata>\nUser aborted the command\n</shell_metadata>"
    printed = f"(Command was aborted)\n{note}\nand more"
    result = conclude("bash", _bash(printed, exit=0), (), over=True)
    assert result is not None
    assert (result.status, result.exit_code) == ("ok", 0)


@pytest.mark.parametrize(
    ("output", "metadata"),
    [
        ("x\n\n<bash_metadata>\nbash tool truncated output as it exceeded 30000 char limit\n</bash_metadata>", {}),
        ("x\n\n(Output was truncated due to length limit)", {}),
        (CUT.format("REDACTED"), {}),
        ("head\n\n...812 lines truncated...\n\ntail", {}),
        ("short", {"truncated": True}),
    ],
)
def test_outputs_that_were_cut(output: str, metadata: dict[str, Any]) -> None:
    result = conclude("bash", _bash(output, exit=0, **metadata), (), over=True)
    assert result is not None
    assert (result.truncated, result.output) == (True, output)


@pytest.mark.parametrize("metadata", [{"truncated": True}, {"truncated": True, "outputPath": "C:\\data\\tool_a1"}])
def test_the_whole_output_is_taken_from_beside_the_log_while_it_is_there(tmp_path: Path, metadata: Any) -> None:
    (tmp_path / "tool_a1").write_bytes(b"first line\nlast line\xff\n")
    result = conclude("bash", _bash(CUT.format("tool_a1"), exit=0, **metadata), (tmp_path / "no", tmp_path), over=True)
    assert result is not None
    assert (result.truncated, result.output) == (False, "first line\nlast line\ufffd\n")


@pytest.mark.parametrize("named", ["../secret", "secret", "/etc/hostname", "tool_a1/../secret"])
def test_a_log_cannot_make_us_read_another_file(tmp_path: Path, named: str) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "tool-output"
    folder.mkdir()
    result = conclude("bash", _bash("cut", exit=0, truncated=True, outputPath=named), (folder, tmp_path), over=True)
    assert result is not None
    assert (result.truncated, result.output) == (True, "cut")


def test_an_exit_code_of_null_is_a_killed_command_and_none_at_all_an_old_log() -> None:
    killed, old = (conclude("bash", _bash("x", **metadata), (), over=True) for metadata in ({"exit": None}, {}))
    assert killed is not None
    assert old is not None
    assert (killed.status, old.status) == ("interrupted", "ok")
    assert (killed.exit_code, old.exit_code) == (None, None)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("The user rejected permission to use this specific tool call with the following feedback: no", "rejected"),
        ("The user has specified a rule which prevents you from using this specific tool call.", "rejected"),
        ("The user dismissed this question", "rejected"),
        ("Tool execution aborted", "interrupted"),
        ("File not found: /srv/none", "error"),
    ],
)
def test_calls_that_failed(error: str, status: str) -> None:
    result = conclude("bash", {"status": "error", "error": error, "metadata": {"output": "half\n"}}, (), over=True)
    assert result is not None
    assert (result.status, result.output) == (status, f"half\n\n{error}")


def test_a_running_call_of_a_complete_answer_was_left_behind() -> None:
    running = {"status": "running", "input": {}}
    assert conclude("bash", running, (), over=True) is None
    alive = conclude("bash", running, (), over=False)
    assert alive is not None
    assert alive.status == "running"


def test_a_call_that_the_model_got_wrong_is_an_error() -> None:
    wrong = conclude("invalid", {"status": "completed", "output": "The arguments are invalid"}, (), over=True)
    assert wrong is not None
    assert wrong.status == "error"
