from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from sessions.formats import codex
from sessions.models.session import Session, Step

Load = Callable[[Path], dict[str, Session]]

_ID = "019e{:04d}-0000-7000-8000-000000000001"


@pytest.fixture
def read_case(data: Path, load_log: Load) -> Callable[[str, int], Session]:
    def read(case: str, number: int) -> Session:
        (path,) = (data / "codex" / case).iterdir()
        return load_log(path)[_ID.format(number)]

    return read


Read = Callable[[str, int], Session]


def _by_id(session: Session) -> dict[str | None, Step]:
    return {step.call_id: step for step in session.steps}


def test_talk_that_the_log_holds_twice_is_counted_once(read_case: Read) -> None:
    session = read_case("talk", 1)
    assert [(message.role, message.kind, message.text) for message in session.messages[2:]] == [
        ("user", "text", "why is the output garbled?"),
        ("agent", "reasoning", "**Looking at the kernel**"),
        ("agent", "reasoning", "It may be the tensor map."),
        ("agent", "text", "I will look at the kernel."),
        ("user", "text", "ok"),
        ("agent", "text", "It is the map."),
        ("user", "text", "ok"),
        ("user", "text", "<my_table>1</my_table>"),
        ("agent", "text", "Only on the screen."),
        ("user", "text", "[image]"),
        ("user", "text", "see the picture"),
    ]


def test_injected_context_is_told_from_what_a_person_wrote(read_case: Read) -> None:
    messages = read_case("talk", 1).messages
    assert [message.text[:21] for message in messages if message.injected] == [
        "# AGENTS.md instructi",
        "<environment_context>",
    ]


def test_repeated_token_counts_are_one_answer(read_case: Read) -> None:
    session = read_case("talk", 1)
    tokens = session.tokens
    spoken = [each.tokens for each in session.messages if each.tokens]
    assert sum(each.total for each in spoken) == tokens.total
    assert (tokens.input, tokens.cache_read) == (40 + 50, 60 + 100)
    assert (tokens.output, tokens.reasoning) == (15 + 20, 5 + 10)


def test_what_the_log_says_of_the_session(read_case: Read) -> None:
    session = read_case("talk", 1)
    assert (session.title, session.model, session.agent_version) == ("Garbled output", "gpt-5.5", "0.150.0")
    assert (session.cwd, session.started) == ("/srv/engine", "2026-05-04T10:00:00.000Z")
    assert session.tally.unknown_types == {
        "event_msg/quantum_event": 1,
        "quantum_line": 1,
        "response_item/quantum_item": 1,
    }


@pytest.mark.parametrize(
    ("call", "command", "cwd", "result"),
    [
        ("c1", "ls /srv", "/srv", ("ok", 0, 0.5, "engine\n")),
        ("c2", "cat 'a b'", "/srv/engine/sub", ("error", 2, 0.25, "no such file\n")),
        ("c3", "grep -n x f", "/srv", ("error", 1, 1.5, "first\n…812 tokens truncated…\nlast")),
        ("c4", "uname\n -s", "/srv", ("ok", 0, 0.25, "Linux\n")),
        ("c5", "sleep 100", "/srv/engine", ("interrupted", None, 12.5, "aborted by user after 12.5 s")),
        (
            "c6",
            "ps",
            "/srv/engine",
            ("error", None, 1.0, 'exec_command failed for `/bin/zsh -lc ps`: CreateProcess { message: "denied" }'),
        ),
        ("c7", "rm -rf build", "/srv/engine", ("rejected", None, 1.0, "exec command rejected by user")),
        (
            "c8",
            '{"cmd":"ls","cmd":',
            "/srv/engine",
            ("error", None, 1.0, "failed to parse function arguments: EOF while parsing"),
        ),
        ("c9", "cat big", "/srv/engine", ("ok", 0, 0.25, "first\n…30000 tokens truncated…\nlast\n")),
        ("c10", "make", "/srv/engine", ("interrupted", 124, 0.25, "command timed out after 1000 milliseconds\n")),
        ("c11", "tail -f log", "/srv/engine", ("no-result", None, None, "")),
    ],
)
def test_all_forms_of_shell_calls(
    read_case: Read, call: str, command: str, cwd: str, result: tuple[str, int | None, float | None, str]
) -> None:
    step = _by_id(read_case("shells", 2))[call]
    assert (step.kind, step.command, step.cwd) == ("shell", command, cwd)
    assert (step.status, step.exit_code, step.duration, step.output) == result
    assert step.exit_source == (None if step.exit_code is None else "log")
    assert step.truncated == (call in {"c3", "c9"})


def test_polls_complete_the_command_that_they_poll(read_case: Read) -> None:
    steps = _by_id(read_case("polls", 3))
    assert (steps["c1"].output, steps["c1"].status, steps["c1"].exit_code) == ("start\nmiddle\nend\n", "error", 1)
    assert [(steps[call].kind, steps[call].continues) for call in ("c2", "c3")] == [("poll", 0), ("poll", 0)]
    assert (steps["c3"].command, steps["c3"].output, steps["c3"].exit_code) == ("y\n", "end\n", None)
    assert (steps["c9"].output, steps["c9"].status) == ("up\n", "running")
    assert (steps["c8"].status, steps["c8"].continues) == ("error", None)


def test_the_event_of_a_commands_end_knows_best(read_case: Read) -> None:
    steps = _by_id(read_case("polls", 3))
    assert (steps["c4"].output, steps["c4"].exit_code, steps["c4"].duration) == ("a\nb\nc\n", 0, 7.5)
    assert (steps["c7"].truncated, steps["c7"].output.endswith("tail\n")) == (False, True)
    assert steps["c7"].duration == 2.0


def test_commands_are_found_in_programs(read_case: Read) -> None:
    steps = _by_id(read_case("programs", 4))
    assert (steps["c1"].kind, steps["c1"].command) == ("shell", "sed -n '29,70p' mla.py")
    assert (steps["c1"].cwd, steps["c1"].output, steps["c1"].exit_code) == ("/srv/vllm", "import torch\n", None)
    assert [command.argv for command in steps["c2"].commands] == [("nvidia-smi", "-L"), ("cat", "/etc/os-release")]
    assert (steps["c2"].output, steps["c2"].exit_code) == ("GPU 0\n\nDebian\n", 0)
    assert (steps["c3"].output, steps["c3"].exit_code, steps["c3"].status) == ("bad type", 2, "error")
    assert (steps["c6"].status, steps["c6"].output) == (
        "error",
        "Script error: SyntaxError: missing ) after argument list",
    )


def test_a_program_goes_on_in_its_cell(read_case: Read) -> None:
    steps = _by_id(read_case("programs", 4))
    assert (steps["c4"].output, steps["c4"].status) == ("cc a.c\ncc b.c\n", "ok")
    assert (steps["c5"].kind, steps["c5"].continues) == ("poll", steps["c4"].ordinal)
    assert (steps["c10"].output, steps["c10"].exit_code) == ("up\ndown\n", 0)
    assert (steps["c11"].kind, steps["c11"].continues) == ("poll", steps["c10"].ordinal)


def test_what_a_program_computes_stays_a_program(read_case: Read) -> None:
    steps = _by_id(read_case("programs", 4))
    assert steps["c7"].command == "const cmd = pick(); text(await tools.exec_command({cmd}));"
    assert (steps["c7"].kind, steps["c7"].commands) == ("shell", ())
    assert (steps["c8"].kind, steps["c8"].command.splitlines()[1]) == ("edit", "*** Add File: a")
    assert (steps["c9"].kind, steps["c9"].command, steps["c9"].output) == ("other", "text(1+1)", "2")


def test_other_tools(read_case: Read) -> None:
    session = read_case("tools", 5)
    steps = _by_id(session)
    assert [step.kind for step in session.steps] == [
        *("edit", "edit", "other", "read", "web", "web", "agent", "agent", "agent", "agent", "other", "edit"),
    ]
    assert [step.command for step in session.steps if step.kind == "web"] == [
        "sm_120 dequant",
        "https://example.org/notes",
    ]
    assert (steps["c1"].exit_code, steps["c1"].output) == (0, "Success. Updated the following files:\nD a\n")
    assert (steps["c2"].status, steps["c2"].exit_code) == ("error", None)
    assert (steps["c4"].command, steps["c4"].output) == ("/srv/loss.png", "[image]")
    assert (steps["c9"].output, steps["c10"].output) == ("issue 7", "Success.\n")


def test_sub_agents_are_named(read_case: Read) -> None:
    steps = _by_id(read_case("tools", 5))
    assert [steps[call].child for call in ("c5", "c6", "c7", "c8")] == [_ID.format(6), None, _ID.format(7), None]
    assert [steps[call].status for call in ("c5", "c6")] == ["ok", "error"]


def test_a_sub_agents_copy_of_its_parents_talk_is_injected(read_case: Read) -> None:
    session = read_case("child", 6)
    assert session.parent == _ID.format(5)
    assert [(message.text, message.injected) for message in session.messages] == [
        ("what is wrong?", True),
        ("I will ask somebody.", True),
        ("Check the map.", False),
        ("The map is empty.", False),
    ]
    assert (session.tokens.input, session.tokens.output) == (100, 10)
    assert session.steps[-1].cwd == "/srv/map"


def test_turns_that_were_rolled_back_are_abandoned(read_case: Read) -> None:
    session = read_case("rollback", 8)
    assert [message.text for message in session.messages if not message.abandoned] == ["first", "one", "fourth", "four"]
    assert [step.abandoned for step in session.steps] == [True]


def test_records_without_envelope(read_case: Read) -> None:
    session = read_case("bare", 9)
    assert [(message.text[:10], message.injected) for message in session.messages] == [
        ("<environme", True),
        ("list files", False),
        ("Listing.", False),
        ("One file.", False),
    ]
    assert [(step.command, step.output, step.exit_code) for step in session.steps] == [("ls", "a\n", 0)]
    assert session.started == "2025-08-01T10:00:00.000Z"
    assert session.tally.unknown == 0


def test_one_document(read_case: Read) -> None:
    session = read_case("document", 10)
    assert [message.text for message in session.messages] == ["list files", "One file."]
    assert [(step.command, step.exit_code) for step in session.steps] == [("ls", 0)]
    assert session.tally.read == 5


def test_a_log_without_its_beginning_is_named_by_its_file(read_case: Read) -> None:
    session = read_case("torn", 11)
    assert [message.text for message in session.messages] == ["hello?", "events only", "answer"]


def test_a_compressed_log_reads_as_the_plain_one(data: Path, tmp_path: Path, load_log: Load) -> None:
    (plain,) = (data / "codex" / "talk").iterdir()
    packed = tmp_path / f"{plain.name}.zst"
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    session = load_log(packed)[_ID.format(1)]
    assert session.messages == load_log(plain)[_ID.format(1)].messages


def test_a_compressed_log_that_breaks_off_is_live(data: Path, tmp_path: Path, load_log: Load) -> None:
    (plain,) = (data / "codex" / "shells").iterdir()
    content = plain.read_bytes()
    half = content.index(b"\n", len(content) // 2) + 1
    packed = tmp_path / f"{plain.name}.zst"
    packed.write_bytes(zstandard.compress(content[:half]) + zstandard.compress(content[half:])[:40])
    session = load_log(packed)[_ID.format(2)]
    assert session.live
    assert 0 < len(session.steps) < 11


def test_the_plain_log_wins_over_its_compressed_self(data: Path, tmp_path: Path) -> None:
    (plain,) = (data / "codex" / "talk").iterdir()
    beside = tmp_path / plain.name
    packed = tmp_path / f"{plain.name}.zst"
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    assert [source.path for source in codex.sources(packed)] == [packed]
    beside.write_bytes(plain.read_bytes())
    assert [source.path for source in codex.sources(packed)] == [beside]
