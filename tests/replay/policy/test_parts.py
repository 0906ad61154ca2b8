"""Parts of the policy by themselves: what no whole command of the other tests comes by."""

import pytest

from probes.host.script import quote
from replay.policy.coverage import NOTHING, UNKNOWN, cover, family
from replay.policy.judge import assess, judge
from replay.policy.lines import hygiene
from replay.policy.options import Program, understand
from replay.policy.programs.git import folded
from replay.policy.sed import line_range, prints_only


def test_coverage_counts_decisions_by_the_family_of_what_a_command_is_about() -> None:
    commands = ["ls", "cd /x && ls", "rm x", "ssh h 'cat f'", "cat /etc/shadow", "echo a", "/opt/x/frob", "frob; ls"]
    coverage = cover(map(assess, commands))
    assert coverage.rows() == [
        (UNKNOWN, {"refuse": 3}),
        ("files", {"run": 2}),
        ("text", {"run": 1, "ask": 1}),
        (NOTHING, {"run": 1}),
    ]
    assert coverage.total() == {"run": 4, "ask": 1, "refuse": 3}
    assert family("sudo nvidia-smi -L | grep x") == "gpu"


WHY = [
    ("ls 3>&1", "the redirection 3>&1 is not on the list"),
    ("ls 1>&-", "the redirection 1>&- writes a file"),
    ("cat <<E\nx\nE", "text given by << is not on the list"),
    ("ls > x", "the redirection > x writes a file"),
    ("nice -n", "nice: in a form that is not known"),
    ("nice -z ls", "nice: in a form that is not known"),
    ("nice", "nice: in a form that is not known"),
    ("sudo -b ls", "sudo: in a form that is not known"),
    ("timeout x ls", "timeout: 'x' is no duration"),
    ("timeout 5", "timeout: in a form that is not known"),
    ("sshpass -p x scp a b", "sshpass: in a form that is not known"),
    ("sshpass -z", "sshpass: in a form that is not known"),
    ("ssh -z h ls", "ssh: an option that is not known"),
    ("ssh -p", "ssh: an option that is not known"),
    ("ssh -W h:1 h ls", "ssh -W: is not replayable"),
    ("ssh h", "ssh: an interactive session or no host"),
    ("ssh", "ssh: an interactive session or no host"),
    ("ssh -o 'LocalCommand=x' h ls", "ssh -o LocalCommand: runs a program on this side"),
    ("ssh ~/x ls", "ssh: is given a word that the shell on this side expands"),
    ("env -u X ls", "env: in a form that is not known"),
    ("env A=b ls", "env: sets A"),
    ("env LC_ALL=C", "env: in a form that is not known"),
    ("docker exec --privileged c ls", "docker exec: option --privileged is not on the list"),
    ("docker exec c", "docker exec: no container, or no program"),
    ("docker exec -x c ls", "docker exec: option -x is not on the list"),
    ("docker exec -u", "docker exec: option -u is not on the list"),
    ("incus exec c --", "incus exec: no container, or no program"),
    ("kubectl exec p --", "kubectl exec: no container, or no program"),
    ("kubectl exec p -x -- ls", "kubectl exec: not one of the forms on the list"),
    ("docker exec c ssh h ls", "leads from inside a container to another place"),
    ("cat f | ssh h cat", "a pipeline between a list or a host and another call"),
    ("ssh h 'cat f' | (cat)", "subshell: is not on the list"),
    ("ssh h 'cat f' | sort < g", "a filter on this side that is not known"),
    ("ssh h 'cat f' | bash -c 'sort; uniq'", "a filter on this side that is not known"),
    ("ssh h 'cat f' | head; ls", "speaks to several hosts"),
    ("ssh h 'cat f' | head; echo x", "filters on this side, within a list"),
    ("bash -c 'cat f; cat g' < x", "a file as input of more than one call"),
    ("cd x | cat", "cd inside a pipeline"),
    ("ssh h 'ls' && ssh g 'ls'", "speaks to several hosts"),
    ("ls " + "a" * 40_000, "longer than 32 KiB"),
    ("true; " * 65 + "true", "more than 64 commands"),
    ("bash -c " * 12 + "ls", "bash: runs a script"),
    ("sudo " * 9 + "ls", "nested too deep"),
    ("$(ls) x", "$(ls): a substitution is not on the list"),
    ("x=1; x=2 y=3 ls $x", "sets x"),
    ("A=b > f", "the redirection > f writes a file"),
    ("head --lines f", "head: --lines 'f' is not on the list"),
    ("head -n x f", "head: -n 'x' is not on the list"),
    ("whoami x", "whoami: 1 operands"),
    ("nvidia-smi --query-gpu name", "nvidia-smi: --query-gpu takes its value after ="),
    ("pip", "pip: no subcommand"),
    ("git", "git: its own options can make it run programs"),
    ("git count-objects -- f", "git count-objects: takes no path"),
    ("git log --format", "git: --format without a format"),
    ("git log --format=own", "git: the format 'own' is not on the list"),
    ("git log --format=%G?", "git: the format has a program check signatures"),
    ("curl http://a@h/", "curl: operand 'http://a@h/' is not on the list"),
    ("printf -v x y", "printf: takes a format, not an option"),
    ("tail +5 f", "tail: +N without -n"),
    ("tac - f", "tac: keeps what it is given in a temporary file"),
    ("[ -f x", "[: no ]"),
    ("test a b c d", "test: not one of the forms on the list"),
    ("sed -n '#n' f", "sed: the script is not on the list"),
    ("sed '#n' f", "sed: the script is not on the list"),
    ("sed 'r x' f", "sed: the script 'r x' is not on the list"),
    ("sed '1e id' f", "sed: the script runs a program"),
    ("sed 'w m' f", "sed: the script writes a file"),
    ("sed 's/a/b/e' f", "sed: the script runs a program"),
    ("sed 's|a|b|w m' f", "sed: the script writes a file"),
    ("sed '' f", "sed: the script '' is not on the list"),
    ("python3 -c '" + "1;" * 3000 + "'", "python: the program is more than looking at versions and devices"),
    ("kill -0 1", "kill -0: asks for a process by a call that can end it"),
    ("ls && bash -c 'id; pwd'", "a list that runs only under a condition"),
    ("ls || bash -c 'id && pwd'", "a list that runs only under a condition"),
    ("F=a || ls", "never runs"),
    ("ls ||\nF=a", "sets F"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "reason"), WHY)
def test_the_reason_is_given(command: str, reason: str) -> None:
    judged = judge(command)
    assert judged.decision == "refuse"
    assert reason in judged.reasons


def test_what_no_program_of_the_list_has_is_refused_by_the_grammar_too() -> None:
    program = Program("x", operands=(), most=3, valued={"-a": r"\d"}, instead=("-a",))
    assert getattr(understand(program, ["y"]), "reason", "") == "x: takes no operand"
    assert getattr(understand(program, ["-a"]), "reason", "") == "x: -a has no value"


@pytest.mark.parametrize(
    ("script", "lines"), [("29,70p", (29, 70)), ("7p", (7, 7)), ("3,$p", (3, None)), ("/x/p", None), ("5,6p;", (5, 6))]
)
def test_a_script_that_prints_one_range_is_told_from_others(script: str, lines: tuple[int, int | None] | None) -> None:
    assert line_range(script) == lines


@pytest.mark.parametrize(
    ("script", "expected"),
    [("1p", True), ("$p;=", True), ("/a/,/b/p", True), ("s/a/b/gp", True), ("1,5{p;=}", True), ("2q5", True),
     ("w", False), ("1,3!d", True), ("0~4p", True), ("y/a/b/", False), ("s/a/b/m1", False), (" ", False),
     ("a x", False), ("}", False),
     ("1p" * 3000, False)],
)  # fmt: skip
def test_what_a_script_of_sed_only_prints(script: str, *, expected: bool) -> None:
    assert prints_only(script) is expected


def test_what_hardens_git_is_folded_for_people() -> None:
    assert folded(assess("git log -1").sent or "") == "'git' [hardened] 'log' '--no-ext-diff' '--no-textconv' '-n' '1'"
    assert folded("'ls'") == "'ls'"


def test_limits_are_exact() -> None:
    assert hygiene.check("x" * hygiene.LONGEST) is None
    assert hygiene.check("x" * (hygiene.LONGEST + 1)) is not None
    assert assess("; ".join(["true"] * hygiene.MOST_CALLS)).decision == "run"
    assert assess("; ".join(["true"] * (hygiene.MOST_CALLS + 1))).decision == "refuse"
    nested = "ls"
    for _ in range(3):
        nested = f"bash -c {quote(nested)}"
    assert assess(nested).decision == "run"
    assert assess(f"bash -c {quote(nested)}").decision == "refuse"
    assert assess("sudo " * 6 + "ls").decision == "run"
    assert assess("sudo " * 7 + "ls").decision == "refuse"


TIMES = [
    ("timeout 2m ls", 120.0), ("timeout 1.5 ls", 1.5), ("timeout 1h ls", 3600.0), ("timeout 1d ls", 86400.0),
    ("timeout -k 5 -s KILL 10 ls", 10.0), ("timeout --signal=KILL --foreground 10 ls", 10.0), ("ls", None),
    ("timeout 5 ls; timeout 6 id", 11.0), ("timeout 5 ls; id", None), ("timeout 9 timeout 4 ls", 4.0),
]  # fmt: skip


@pytest.mark.parametrize(("command", "seconds"), TIMES)
def test_the_recorded_limit_of_time_is_known(command: str, seconds: float | None) -> None:
    assert assess(command).timeout == seconds


PLACES = [
    ("ssh u@h ls", ("h", "u", None)), ("ssh -l u h ls", ("h", "u", None)), ("ssh h ls", ("h", None, None)),
    ("ssh ssh://u@h:22 ls", ("h", "u", None)), ("docker exec c ls", (None, None, None)), ("ls", (None, None, None)),
    ("sshpass -p x ssh u@h ls", ("h", "u", None)), ("ssh h -p 22 ls", ("h", None, None)),
    ("echo x", (None, None, None)),
    ("ssh a ssh b ls", ("b", None, None)), ("cd /x && ssh h 'ls; id'", ("h", None, None)),
    ("ssh h 'docker exec c ls'", ("h", None, None)),
]  # fmt: skip


@pytest.mark.parametrize(("command", "expected"), PLACES)
def test_the_place_is_the_innermost_host(command: str, expected: tuple[str | None, ...]) -> None:
    place = assess(command).place
    assert (place.host, place.user, place.container) == expected


NOTES = [
    ("sudo ls", ("runs without privilege: sudo is not used",)),
    ("bash -lc ls", ("no profile is read",)), ("bash -c ls", ()),
    ("LC_ALL=C ls", ("locale and variables that readers do not use are left out",)),
    ("env LC_ALL=C ls", ("locale and variables that readers do not use are left out",)),
    ("sshpass -e ssh h ls", ("the recorded password is not used",)),
    ("nvidia-smi dmon", ("a monitor ends after at most 99 lines",)), ("ls", ()),
    ("python3 -c 'import torch'", ("python runs isolated: -I -B",)),
]  # fmt: skip


@pytest.mark.parametrize(("command", "notes"), NOTES)
def test_what_differs_is_said(command: str, notes: tuple[str, ...]) -> None:
    assert assess(command).notes == notes


SENT = [
    ("command -v python3", "'which' 'python3'"),
    ("ssh -4Aqp2222 h -- ls -l", "'ls' '-l'"),
    ("ls 2>&1 >/dev/null", "'ls' 2>&1 >/dev/null"),
    ("ls 1>/dev/null", "'ls' >/dev/null"),
    ("ls &>>/dev/null", "'ls' 2>/dev/null >/dev/null"),
    ("ls 2>>/dev/null", "'ls' 2>/dev/null"),
    ("bash -c 'ls | wc -l' 2>/dev/null", "'ls' 2>/dev/null | 'wc' '-l' 2>/dev/null"),
    ("bash -c 'ls | wc -l' >/dev/null", "'ls' | 'wc' '-l' >/dev/null"),
    ("bash -c 'ls 2>&1 | wc -l' 2>/dev/null", "'ls' 2>&1 | 'wc' '-l' 2>/dev/null"),
    ("bash -c 'cat' < f", "'cat' < 'f'"),
    ("docker exec c sh -c 'ls 2>/dev/null'", "'docker' 'exec' 'c' 'sh' '-c' ''\\''ls'\\'' 2>/dev/null'"),
    ("docker exec -it -u a --workdir=/x c ls", "'docker' 'exec' '-u' 'a' '--workdir=/x' 'c' 'ls'"),
    ("kubectl exec -it p -c c -- ls", "'kubectl' 'exec' 'p' '-c' 'c' '--' 'ls'"),
    ("dpkg -l x", "'dpkg-query' '-l' '--' 'x'"),
    ("egrep a f", "'grep' '-E' '--' 'a' 'f'"),
    ("cat <<-'E'\n\tx\n\tE", "'printf' '%s' 'x\n' | 'cat'"),
    ("echo -ne 'a'", "'printf' '%b' 'a'"),
    ("echo -eE 'a'", "'printf' '%s\\n' 'a'"),
    ("printf -- '%s' a", "'printf' '%s' 'a'"),
    ("git -C /r log -1", None),
    ("git diff a..b f", "'--ignore-submodules=dirty' 'a..b' '--' 'f'"),
    ("journalctl -u x", "'journalctl' '--no-pager' '-n' '10000' '-u' 'x'"),
    ("docker logs c", "'docker' 'logs' '--tail' '10000' 'c'"),
    ("docker container logs c", "'docker' 'container' 'logs' '--tail' '10000' 'c'"),
    ("nvidia-smi dmon", "'nvidia-smi' 'dmon' '-c' '10'"),
    ("systemctl --failed", "'systemctl' '--no-pager' 'list-units' '--failed'"),
    ("kubectl -n ml get pods", "'kubectl' 'get' '-n' 'ml' 'pods'"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "sent"), SENT)
def test_the_canonical_form_is_exact(command: str, sent: str | None) -> None:
    judged = assess(command)
    assert judged.decision != "refuse"
    assert judged.sent is not None
    assert sent is None or judged.sent.endswith(sent)
