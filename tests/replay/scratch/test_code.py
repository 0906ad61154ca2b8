"""Recorded code, run in a folder of its own: what runs, what it finds, and what it cannot do."""

import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest

from probes.host.targets import Target
from replay import consent
from replay.conduct import conduct
from replay.plan import Hosts, Selection, build_plan
from replay.progress import Done
from sessions.errors import PolicyRefusal
from sessions.ingest.source import Source
from sessions.models.replay import Plan, RunStep
from sessions.models.session import Session, Step, Tally
from sessions.shell.unwrap import unwrap
from sessions.store.reader import Reader
from sessions.store.writer import Writer

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")

HERE = Target(name="local")
WRITE = "cat > /w/t.py <<'E'\nimport sys, lib\nprint(lib.WORD, sys.argv[1:], open('/w/data.txt').read().strip())\nE"
LIB = "cat > /w/lib.py <<'E'\nWORD = 'rebuilt'\nE"
DATA = "echo data > /w/data.txt"


class Server(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path


PYTHON = Path(sys.executable).resolve()
Recorded = Callable[..., Plan]
Runs = Callable[..., Awaitable[RunStep]]


@pytest.fixture
def record(tmp_path: Path) -> Recorded:
    """Store a session of these commands and return its plan, code allowed."""

    def recorded(*commands: str, target: Target = HERE, printed: str = "", code: bool = True) -> Plan:
        steps = tuple(
            Step(
                ordinal=n, kind="shell", tool="bash", command=text, commands=unwrap(text, "/w"), cwd="/w",
                output=printed,
            )
            for n, text in enumerate(commands)
        )  # fmt: skip
        session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=steps)
        with Writer.open(tmp_path / "store.db") as writer:
            writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
        hosts = Hosts({"local": target.name, "h": target.name})
        with Reader.open(tmp_path / "store.db") as reader:
            last = Selection(frozenset({len(steps) - 1}))
            return build_plan(reader, "s", target, last, hosts, code=code)

    return recorded


@pytest.fixture
def run(tmp_path: Path) -> Runs:
    async def ran(plan: Plan, target: Target = HERE, without: frozenset[str] = frozenset()) -> RunStep:
        granted = consent.grant(plan, {plan.steps[0].step}, "ops")
        events = [event async for event in conduct(tmp_path / "store.db", target, granted, without)]
        (result,) = [event.result for event in events if isinstance(event, Done)]
        return result

    return ran


def scratch_of(plan: Plan) -> Path:
    (step,) = plan.steps
    assert step.scratch is not None, step.reasons
    return Path(step.scratch.folder)


async def test_a_script_finds_what_its_session_wrote(record: Recorded, run: Runs) -> None:
    plan = record(WRITE, LIB, DATA, "python3 t.py 'a b' 2>&1 | tail -n 1", printed="rebuilt ['a b'] data\n")
    (step,) = plan.steps
    assert (step.decision, step.effect) == ("ask", "code")
    folder = scratch_of(plan)
    assert step.sent == f"'python3' '{folder}/w/t.py' 'a b'"
    assert step.scratch is not None
    assert {file.path for file in step.scratch.files} == {"/w/t.py", "/w/lib.py", "/w/data.txt"}
    result = await run(plan)
    assert (result.outcome, result.output, result.comparison) == ("completed", "rebuilt ['a b'] data\n", "identical")
    assert not folder.exists()


@pytest.mark.sshd
async def test_over_ssh(record: Recorded, run: Runs, sshd: Server) -> None:
    target = Target(
        name="bench", host="127.0.0.1", port=sshd.port, user=sshd.user, identity=sshd.identity,
        known_hosts=sshd.known_hosts, ssh_config=False,
    )  # fmt: skip
    commands = [
        "ssh root@h 'cat > /root/it\\ is.py' <<'E'\nprint('hm: \\'\"$HOME`')\nE",
        "ssh root@h 'cd /root && FLAG=1 python3 \"it is.py\"'",
    ]
    plan = record(*commands, target=target, printed="hm: '\"$HOME`\n")
    result = await run(plan, target)
    assert (result.outcome, result.comparison) == ("completed", "identical"), result
    assert not scratch_of(plan).exists()


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("python3 - <<'E'\nprint(1 + 1)\nE", "2\n"),
        ("python3 <<'E'\nprint(__name__)\nE", "__main__\n"),
        ("python3 -c 'import os; print(len(os.listdir(\"/tmp\")))'", "0\n"),
        ("ssh root@h \"python3 - <<'E'\nimport sys; print(sys.argv)\nE\"", "['-']\n"),
        ("cat > /w/r.sh <<'E'\nfor n in 1 2; do echo $n; done\nE\nbash /w/r.sh | head -1", "1\n"),
        ("python3 - <<EOF\nprint(1)\nEOF", "1\n"),
        ("bash <<'EOF'\nfor n in 1 2; do echo $((n + 1)); done\nEOF", "2\n3\n"),
        ("ssh root@h bash -s -- a b <<'EOF'\nset -e\nif [ $# = 2 ]; then echo $2; fi\nEOF", "b\n"),
        ("bash -euo pipefail -c 'x=$(echo 5); echo $x $1' name it", "5 it\n"),
        ("sh -c 'if true; then python3 - <<E\nprint(7)\nE\nfi' 2>&1 | tail -n 1", "7\n"),
        ("cat > /w/m.py <<'E'\nprint(4)\nE\nbash <<'X'\ncd /w\nfor n in 1 2; do python3 m.py; done\nX", "4\n4\n"),
        ("bash -lc 'cd /tmp && while read -r x; do echo $x; done < /proc/sys/kernel/ostype'", "Linux\n"),
        ("FLAG=yes python3 -c 'import os; print(os.environ[\"FLAG\"])'", "yes\n"),
        ('cat > /w/f.py <<\'E\'\nimport os; print(os.getcwd().partition("/w")[2] == "")\nE\npython3 f.py', "True\n"),
    ],
)
async def test_forms_of_code(record: Recorded, run: Runs, command: str, printed: str) -> None:
    result = await run(record(command, printed=printed))
    assert (result.outcome, result.output) == ("completed", printed), result


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        (["python3 t.py"], "/w/t.py cannot be rebuilt: no earlier step of the session wrote it"),
        (["date > /w/t.py", "python3 t.py"], "it holds what a program printed"),
        ([WRITE, "rm -rf /data; python3 t.py"], "removes or ends something"),
        ([WRITE, "systemctl stop vllm && python3 t.py"], "systemctl"),
        (["cat > r.sh <<'E'\nrm -rf /data\nE", "bash r.sh"], "removes or ends something"),
        (["cat > r.sh <<'E'\nif true; then systemctl restart x; fi\nE", "bash r.sh"], "restart"),
        (["bash <<'E'\nif true; then rm -rf /data; fi\nE"], "removes or ends something"),
        (["bash -c 'for i in $(seq 3); do systemctl stop x; done'"], "systemctl"),
        (["bash <<E\nfor i in 1; do echo $(date); done\nE"], "needs a shell"),
        (["bash -i -c 'for i in $(seq 3); do echo; done'"], "unknown form"),
        (["bash <<'E'\nfor i in $(seq 3); do echo; done\nE\nnvidia-smi"], "nvidia-smi"),
        (["python3 -c 'import shutil; shutil.rmtree(\"/data\")'"], "removes or ends something"),
        (["cat > t.py <<'E'\n" + "x = 1\n" * 2000 + "import os; os.remove('/data/f')\nE", "python3 t.py"], "os.remove"),
        ([WRITE, "python3 t.py > out.txt"], "goes to a file"),
        ([WRITE, "LD_PRELOAD=/tmp/x.so python3 t.py"], "sets LD_PRELOAD"),
        ([WRITE, "docker exec c python3 /w/t.py"], "container"),
        ([WRITE, "for i in $(seq 3); do python3 t.py; done"], "for"),
        ([WRITE, "curl -s http://192.0.2.1/ | python3 t.py"], "another program"),
        ([WRITE, "pip install x && python3 t.py"], "pip"),
        ([WRITE, "python3 t.py | tee log"], "filter"),
        ([WRITE, "python3 t.py | sh"], "more than one"),
        (["/tmp/own/python3 - <<'E'\nprint(1)\nE"], "more than code"),
        (["cat > t.py <<'E'\nkey = '<redacted:token:ab>'\nE", "python3 t.py"], "held a secret"),
    ],
)
def test_what_does_not_run_as_code(record: Recorded, commands: list[str], reason: str) -> None:
    (step,) = record(*commands).steps
    assert (step.decision, step.scratch, step.sent) == ("refuse", None, None)
    assert reason in " ".join(step.reasons)


def test_code_is_not_even_asked_about_unless_it_is_allowed(record: Recorded) -> None:
    (step,) = record("python3 - <<'E'\nprint(1)\nE", code=False).steps
    assert step.decision == "refuse"


async def test_without_consent_it_does_not_run(record: Recorded, tmp_path: Path) -> None:
    plan = record("python3 - <<'E'\nprint(1)\nE")
    events = [event async for event in conduct(tmp_path / "store.db", HERE, plan)]
    assert [event.result.outcome for event in events if isinstance(event, Done)] == ["refused"]


async def test_a_plan_that_says_other_than_the_recording_runs_nothing(
    record: Recorded, run: Runs, tmp_path: Path
) -> None:
    plan = record("python3 - <<'E'\nprint(1)\nE")
    (step,) = plan.steps
    assert step.scratch is not None
    for change in (
        {"scratch": step.scratch.model_copy(update={"script": f"open('{tmp_path}/marker', 'w')"})},
        {"scratch": step.scratch.model_copy(update={"folder": "/etc"})},
        {"sent": "'python3' '/etc/x.py'"},
    ):
        with pytest.raises(PolicyRefusal):
            await run(plan.model_copy(update={"steps": (step.model_copy(update=change),)}))
    assert not (tmp_path / "marker").exists()


def sleepers(seconds: str) -> bytes:
    return subprocess.run(["pgrep", "-fx", f"sleep {seconds}"], capture_output=True, check=False).stdout


async def test_what_compiles_kernels_finds_a_cache_it_can_write_to(record: Recorded, run: Runs) -> None:
    code = "import os; os.makedirs(os.environ['TRITON_CACHE_DIR']); print(os.access(os.path.expanduser('~'), os.W_OK))"
    result = await run(record(f"python3 - <<'E'\n{code}\nE"))
    assert (result.exit_code, result.output) == (0, "False\n"), result


async def test_attacks_from_inside(record: Recorded, run: Runs, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("whole")
    seconds = f"{4000 + os.getpid() % 1000}.5"
    code = f"""
import os, signal, socket, subprocess
def attempt(what):
    try:
        what()
        print("done", flush=True)
    except Exception as error:
        print(type(error).__name__, flush=True)
attempt(lambda: open("{victim}", "w"))
os.symlink("{tmp_path}", "link")
attempt(lambda: open("link/marker", "w"))
attempt(lambda: open("../../../../../../etc/marker", "w"))
attempt(lambda: socket.create_connection(("192.0.2.1", 80), 2))
end = getattr(os, "ki" + "ll")
attempt(lambda: end(os.getppid(), signal.SIGKILL) or end(1, signal.SIGKILL) or end(0, signal.SIGURG))
attempt(lambda: os.mkdir("shut", 0) or os.chmod(".", 0o500))
none = subprocess.DEVNULL
subprocess.Popen(["setsid", "sleep", "{seconds}"], start_new_session=True, stdout=none, stderr=none)
"""
    plan = record(f"python3 - <<'E'\n{code}E")
    result = await run(plan)
    assert result.outcome in {"completed", "killed"}, result
    assert result.output.splitlines()[:4] == ["FileNotFoundError", "FileNotFoundError", "OSError", "OSError"]
    assert victim.read_text() == "whole"
    assert not (tmp_path / "marker").exists()
    assert sleepers(seconds) == b""
    assert not scratch_of(plan).exists()


@pytest.mark.parametrize(
    ("code", "ended", "told"),
    [
        ("import os; os.write(1, b'x'); getattr(os, 'ki' + 'll')(os.getppid(), 9)", ("killed", None), "SIGKILL"),
        ("import os; getattr(os, 'ki' + 'll')(os.getpid(), 15)", ("killed", None), "SIGTERM"),
        ("import os; os.abort()", ("completed", 134), ""),
        ("raise SystemExit(3)", ("completed", 3), ""),
    ],
)
async def test_code_that_a_signal_ended_is_killed_and_not_completed(
    record: Recorded, run: Runs, code: str, ended: tuple[str, int | None], told: str
) -> None:
    result = await run(record(f"python3 - <<'E'\n{code}\nE"))
    assert (result.outcome, result.exit_code) == ended, result
    assert told in result.detail


async def test_endless_output_and_endless_time_end(record: Recorded, run: Runs) -> None:
    result = await run(record("timeout 20 python3 -c 'print(\"x\" * 9000000)'"))
    assert (result.outcome, len(result.output) <= 4 << 20) == ("output-limit", True)
    result = await run(record("timeout 1 python3 -c 'import time; time.sleep(60)'"))
    assert result.outcome == "timed-out"


async def test_a_folder_that_is_there_already_is_left_alone(record: Recorded, run: Runs) -> None:
    plan = record("python3 - <<'E'\nprint(1)\nE")
    folder = scratch_of(plan)
    folder.mkdir()
    (folder / "others").write_text("kept")
    try:
        result = await run(plan)
        assert (result.outcome, "cannot be made" in result.detail) == ("not-replayable", True)
        assert (folder / "others").read_text() == "kept"
    finally:
        shutil.rmtree(folder)


async def test_without_the_layers_code_is_refused_unless_a_person_does_without(
    record: Recorded, run: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ["sh", "env", "timeout", "id", "mkdir", "chmod", "rm", "sha256sum", "prlimit", "true"]:
        (bare / name).symlink_to(shutil.which(name) or "")
    (bare / "python3").symlink_to(PYTHON)
    monkeypatch.setattr("probes.host.script.PATH", str(bare))
    plan = record("python3 -S - <<'E'\nprint(1)\nE")
    refused = await run(plan)
    assert refused.outcome == "refused"
    assert "code needs read-only mounts" in refused.reasons[-1]
    assert "code needs no network" in refused.reasons[-1]
    half = await run(plan, HERE, frozenset({"no network"}))
    assert "code needs read-only mounts" in half.reasons[-1]
    both = await run(plan, HERE, frozenset({"no network", "read-only mounts"}))
    assert (both.outcome, both.output) == ("completed", "1\n"), both
