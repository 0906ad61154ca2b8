import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.formats.rollout.programs import exit_mark, tool_calls


def _commands(program: str) -> list[str | None]:
    return [call.command for call in tool_calls(program)]


@pytest.mark.parametrize(
    ("program", "commands"),
    [
        ('await tools.exec_command({"cmd":"pwd && rg --files","workdir":"/tmp"})', ["pwd && rg --files"]),
        ("await tools.exec_command({cmd: 'it\\'s', yield_time_ms: 1_000,})", ["it's"]),
        ('await tools["shell_command"]({command: "ls"})', ["ls"]),
        ('tools.shell({command: ["bash", "-lc", "ls | wc"]})', ["ls | wc"]),
        ('tools.shell({command: ["echo", "a b"]})', ["echo 'a b'"]),
        ("tools.exec_command({cmd: `a\nb`})", ["a\nb"]),
        (r'tools.exec_command({cmd: "tab\there \x41\u0042\u{43} \"q\""})', ['tab\there ABC "q"']),
        (r"tools.exec_command({cmd: String.raw`grep '\d+\n' f`})", ["grep '\\d+\\n' f"]),
        ('tools.exec_command({cmd: "a " + "b " + 3})', ["a b 3"]),
        ('tools.exec_command({cmd: ["set -e", "ls"].join("\\n")})', ["set -e\nls"]),
        ('const dir = "/srv"; tools.exec_command({cmd: `ls ${dir}/x`})', ["ls /srv/x"]),
        ('const o = {dir: "/srv"}; tools.exec_command({cmd: "ls " + o.dir})', ["ls /srv"]),
        ('const o = {workdir: "/w"}; tools.exec_command({...o, cmd: "ls"})', ["ls"]),
        ('const cmd = "ls"; tools.exec_command({cmd})', ["ls"]),
        ('for (const c of ["a", "b"]) { await tools.exec_command({cmd: c}); }', ["a", "b"]),
        ('const cs = ["a", "b"]; await Promise.all(cs.map(c => tools.exec_command({cmd: c})))', ["a", "b"]),
        ('await Promise.all(["a", "b"].map(async (c, i) => tools.exec_command({cmd: c})))', ["a", "b"]),
        ('[{n: "x"}, {n: "y"}].map(e => tools.exec_command({cmd: `cat ${e.n}`}))', ["cat x", "cat y"]),
        (
            'const run = async (cmd) => (await tools.exec_command({cmd})).output; await run("a"); await run("b");',
            ["a", "b"],
        ),
        ('async function sh(c) { return tools.exec_command({cmd: c}) }\nawait sh("a")', ["a"]),
        ('tools.exec_command({cmd: "a" /* why */ })', ["a"]),
    ],
)
def test_what_a_program_runs(program: str, commands: list[str]) -> None:
    assert _commands(program) == commands


@pytest.mark.parametrize(
    "program",
    [
        "tools.exec_command({cmd: build(x)})",
        "tools.exec_command({cmd: x})",
        "tools.exec_command(options)",
        'tools.exec_command({cmd: a ? "x" : "y"})',
        'tools.exec_command({cmd: "x".repeat(3)})',
        'tools.exec_command({cmd: ["a", x].join(" ")})',
    ],
)
def test_what_a_program_computes_is_not_guessed(program: str) -> None:
    assert _commands(program) == [None]


def test_a_template_keeps_what_it_cannot_fill_in() -> None:
    assert _commands("const h = host(); tools.exec_command({cmd: `ssh ${h} 'uptime'`})") == ["ssh ${h} 'uptime'"]


@pytest.mark.parametrize(
    "program",
    [
        '// tools.exec_command({cmd: "ls"})',
        '/* tools.exec_command({cmd: "ls"}) */',
        "text(\"tools.exec_command({cmd: 'ls'})\")",
        "mytools.exec_command({cmd: 'ls'})",
        "tools.exec_command",
    ],
)
def test_what_is_no_call_runs_nothing(program: str) -> None:
    assert _commands(program) == []


def test_other_tools_of_a_program_are_seen_with_their_arguments() -> None:
    (call,) = tool_calls('await tools.apply_patch("*** Begin Patch\\n*** End Patch")')
    assert (call.tool, call.given, call.runs) == ("apply_patch", "*** Begin Patch\n*** End Patch", False)
    (call,) = tool_calls('tools.web__run({search_query: [{q: "a"}], n: -1.5, on: true, off: null})')
    assert call.given == {"search_query": [{"q": "a"}], "n": -1.5, "on": True, "off": None}


@given(st.text(alphabet="tols.exec_command({cmd:\"'`$}) ,;[]+=/*\\\n.map(=>ofconstlet ", max_size=120))
def test_no_text_hangs_or_breaks_the_reader(text: str) -> None:
    assert len(tool_calls(text)) <= len(text)
    assert tool_calls('tools.exec_command({cmd: "ls"});\n' + text)[0].command == "ls"


@pytest.mark.parametrize(
    ("program", "mark"),
    [
        ("text(`\\nexit=${r.exit_code}`)", "exit="),
        ("text(`${r.output}\\nexit code: ${r.exit_code}\\n`)", "exit code: "),
        ("text(`${r.output}exit: ${r.exit_code}`)", "exit: "),
        ("text(`${r.exit_code}`)", None),
        ("text(r.output)", None),
    ],
)
def test_where_a_program_prints_the_exit_code(program: str, mark: str | None) -> None:
    assert exit_mark(program) == mark
