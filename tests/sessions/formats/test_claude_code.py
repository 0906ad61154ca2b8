from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.formats import claude_code
from sessions.models.session import Session, Step

Load = Callable[[Path], dict[str, Session]]

_ID = "5a1e{:04d}-0000-4000-8000-000000000001"


@pytest.fixture
def read_case(data: Path, load_log: Load) -> Callable[[str, int], Session]:
    def read(case: str, number: int) -> Session:
        session = _ID.format(number)
        return load_log(data / "claude-code" / case / f"{session}.jsonl")[session]

    return read


Read = Callable[[str, int], Session]


def _by_id(session: Session) -> dict[str | None, Step]:
    return {step.call_id: step for step in session.steps}


def test_an_answer_on_several_lines_is_counted_once(read_case: Read) -> None:
    session = read_case("results", 1)
    assert [(message.role, message.kind, message.text) for message in session.messages] == [
        ("user", "text", "The model loads, but every answer is garbled.\nWhy?"),
        ("agent", "reasoning", "The dequantization may be wrong."),
        ("agent", "text", "Let me look at the kernel."),
    ]
    first, others = (10, 44, 100, 20), 10
    assert (session.tokens.input, session.tokens.output) == (first[0] + others + 10, first[1] + others + 5)
    assert (session.tokens.cache_read, session.tokens.cache_write) == (first[2] + 100, first[3] + 20)
    assert [each.tokens for each in session.messages] == [None, None, session.tokens]


def test_results_are_paired_by_id_whatever_their_order(read_case: Read) -> None:
    steps = _by_id(read_case("results", 1))
    assert steps["t1"].output == "GPU 0: Example Card"
    assert steps["t2"].output == "    10→__global__ void dequant()\n    11→{"
    assert (steps["t1"].kind, steps["t2"].kind) == ("shell", "read")
    assert (steps["t1"].ordinal, steps["t2"].ordinal) == (0, 1)
    assert steps["t2"].message == 2
    assert not any(step.abandoned for step in steps.values())


@pytest.mark.parametrize(
    ("call", "status", "code", "source", "output"),
    [
        ("t1", "ok", 0, "derived", "GPU 0: Example Card"),
        ("t3", "error", 127, "log", "(eval):1: command not found: nvcc"),
        ("t4", "ok", 1, "derived", "No matches found"),
        (
            "t5",
            "rejected",
            None,
            None,
            "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        ),
        ("t6", "interrupted", None, None, "Sibling tool call errored"),
        ("t7", "interrupted", None, None, "Command timed out after 2m 0.0s"),
        ("t8", "error", None, None, "String to replace not found in file."),
        ("t9", "interrupted", None, None, "partial"),
        ("t10", "ok", 0, "derived", ""),
        ("t11", "interrupted", 143, "log", "Command timed out after 2m 0.0s\nstep 1"),
        ("t12", "ok", None, None, "[image]"),
        ("t13", "no-result", None, None, ""),
    ],
)
def test_what_came_of_a_call(  # noqa: PLR0913, PLR0917 - a row of the table
    read_case: Read, call: str, status: str, code: int | None, source: str | None, output: str
) -> None:
    step = _by_id(read_case("results", 1))[call]
    assert (step.status, step.exit_code, step.exit_source, step.output) == (status, code, source, output)


def test_what_the_log_says_of_the_session(read_case: Read) -> None:
    session = read_case("results", 1)
    assert session.title == "Garbled answers"
    assert (session.model, session.agent_version) == ("claude-opus-4-5", "2.1.49")
    assert session.cwd == "/home/ada/engine"
    assert session.started == "2026-03-02T09:00:01.000Z"
    assert session.ended == session.steps[-1].started
    assert session.tally.unknown_types == {"quantum-state": 1}
    assert session.tally.calls_without_result == 1
    assert session.tally.read == 33


def test_steps_say_where_in_the_log_they_stand(read_case: Read, data: Path) -> None:
    step = _by_id(read_case("results", 1))["t3"]
    content = (data / "claude-code" / "results" / f"{_ID.format(1)}.jsonl").read_bytes()
    assert step.span is not None
    assert step.result_span is not None
    assert b'"id": "t3"' in content[step.span.start : step.span.end]
    assert b"Exit code 127" in content[step.result_span.start : step.result_span.end]
    assert content[step.span.start : step.span.end].count(b"\n") == 0


@pytest.mark.parametrize(
    ("call", "kind", "command"),
    [
        ("t0", "edit", "/srv/a.py\nprint(1)\nprint(2)\n"),
        ("t1", "edit", "/srv/a.py\n<<<<<<<\nprint(1)\n=======\nprint(3)\n>>>>>>>"),
        ("t2", "edit", "/srv/a.py\n<<<<<<<\na\n=======\nb\n>>>>>>>\n<<<<<<<\nc\n=======\nd\n>>>>>>>"),
        ("t3", "edit", "/srv/n.ipynb\nx = 1"),
        ("t4", "search", "kv_b_proj /srv"),
        ("t5", "search", "**/*.cu"),
        ("t6", "web", "https://example.org/notes"),
        ("t7", "web", "sm_120 dequant"),
        ("t8", "other", '{"todos": [{"content": "look", "status": "pending"}]}'),
        ("t9", "other", '{"id": "7"}'),
        ("t10", "read", "/srv"),
    ],
)
def test_every_tool_has_a_kind_and_a_main_input(read_case: Read, call: str, kind: str, command: str) -> None:
    step = _by_id(read_case("tools", 2))[call]
    assert (step.kind, step.command) == (kind, command)
    assert step.commands == ()


def test_a_poll_completes_what_runs_in_the_background(read_case: Read) -> None:
    steps = _by_id(read_case("background", 3))
    served, benched = steps["t1"], steps["t4"]
    assert (served.status, served.exit_code, served.exit_source) == ("error", 3, "log")
    assert served.output == "loading\nout of memory\n"
    assert (benched.status, benched.exit_code, benched.output) == ("ok", 0, "round 1\nround 2")
    assert [steps[call].continues for call in ("t2", "t3", "t5", "t6")] == [0, 0, 3, 3]
    assert {steps[call].kind for call in ("t2", "t3", "t5", "t6")} == {"poll"}
    assert (steps["t3"].status, steps["t3"].exit_code) == ("ok", None)


def test_notices_and_stops_complete_it_too(read_case: Read) -> None:
    session = read_case("background", 3)
    steps = _by_id(session)
    assert (steps["t7"].status, steps["t7"].exit_code) == ("error", 2)
    assert (steps["t8"].status, steps["t8"].exit_code) == ("interrupted", None)
    assert (steps["t10"].status, steps["t10"].exit_code) == ("running", None)
    assert [message.injected for message in session.messages] == [False, True]


def test_large_outputs_are_read_from_beside_the_log_and_from_nowhere_else(read_case: Read) -> None:
    steps = _by_id(read_case("persisted", 4))
    assert (steps["t1"].output, steps["t1"].truncated) == ("line 1\nline 2\nline 3\nline 4\n", False)
    assert (steps["t2"].output[:18], steps["t2"].truncated) == ("<persisted-output>", True)
    assert (steps["t3"].output, steps["t3"].truncated) == ("line 1\n", True)
    assert steps["t4"].truncated


def test_rewound_branches_are_abandoned_and_only_those(read_case: Read) -> None:
    session = read_case("rewind", 5)
    assert [(message.text, message.abandoned) for message in session.messages] == [
        ("find the leak", False),
        ("I suspect the cache.", False),
        ("Memory is fine.", False),
        ("blame the network", True),
        ("The network it is.", True),
        ("no: look at the allocator", False),
        ("The allocator fragments.", False),
        ("It does fragment.", False),
        ("thanks", False),
    ]
    assert [step.command for step in session.steps if step.abandoned] == ["ss -s"]


def test_a_compaction_joins_the_talk(read_case: Read) -> None:
    session = read_case("compacted", 6)
    assert not any(message.abandoned for message in session.messages)
    assert [message.injected for message in session.messages] == [False, False, True, False, True, False]


def test_a_resumed_log_is_one_session_and_its_copies_count_once(read_case: Read) -> None:
    session = read_case("resumed", 8)
    assert [message.text for message in session.messages] == [
        "is the driver loaded?",
        "I will check.",
        "and the firmware?",
        "Also loaded.",
    ]
    assert [step.output for step in session.steps] == ["nvidia 1234"]
    assert not any(message.abandoned for message in session.messages)
    assert not any(step.abandoned for step in session.steps)
    assert session.tokens.output == 10
    assert session.title == "Driver and firmware"


def test_two_talks_in_one_file_stay_two_sessions(data: Path, load_log: Load) -> None:
    found = load_log(data / "claude-code" / "glued" / "two.jsonl")
    assert {name: session.messages[0].text for name, session in found.items()} == {
        _ID.format(9): "first talk",
        _ID.format(10): "second talk",
    }


def test_sub_agents_are_child_sessions(data: Path, load_log: Load) -> None:
    main = _ID.format(11)
    found = load_log(data / "claude-code" / "agents" / f"{main}.jsonl")
    assert set(found) == {main, f"{main}/a1", f"{main}/side0001", f"{main}/old7"}
    assert [found[name].parent for name in (main, f"{main}/a1", f"{main}/side0001")] == [None, main, main]
    assert [step.child for step in found[main].steps] == [f"{main}/a1", f"{main}/side0001", f"{main}/a2"]
    assert [step.command for step in found[f"{main}/a1"].steps] == ["md5sum dequant.cu"]
    assert [message.text for message in found[f"{main}/side0001"].messages] == [
        "Check the name map.",
        "The map is empty.",
    ]


def test_a_sub_agent_reports(data: Path, load_log: Load) -> None:
    main = _ID.format(11)
    steps = load_log(data / "claude-code" / "agents" / f"{main}.jsonl")[main].steps
    assert [step.kind for step in steps] == ["agent"] * 3
    assert (steps[0].command, steps[0].duration) == ("Check the dequant kernel.", 4.2)
    assert (steps[2].status, steps[2].output) == ("ok", "It holds.")


def test_each_file_is_listed_once_and_only_with_its_own_session(data: Path) -> None:
    folder = data / "claude-code" / "agents"
    listed = [source.path.name for source in claude_code.sources(folder / f"{_ID.format(11)}.jsonl")]
    assert listed == [f"{_ID.format(11)}.jsonl", "agent-a1.jsonl", "agent-old7.jsonl"]
    assert [source.path.name for source in claude_code.sources(folder / "agent-x9.jsonl")] == ["agent-x9.jsonl"]


def test_what_the_program_writes_is_no_human(read_case: Read) -> None:
    session = read_case("texts", 12)
    assert [(message.text.splitlines()[0][:40], message.injected) for message in session.messages] == [
        ("<command-message>review</command-message", True),
        ("<local-command-stdout>Goodbye!</local-co", True),
        ("Caveat: what follows was generated.", True),
        ("<system-reminder>Be brief.</system-remin", True),
        ("What does <system-reminder> in the log m", False),
        ("<system-reminder>Be brief.</system-remin", False),
        ("[Request interrupted by user for tool us", True),
        ("see the picture", False),
        ("[image]", False),
        ("It is put there by the program: <system-", False),
        ("API Error: 529 overloaded", True),
        ("also check the fans", False),
    ]
    assert session.messages[7].text == "see the picture\n[image]"
    assert session.title == "What does <system-reminder> in the log mean?"
