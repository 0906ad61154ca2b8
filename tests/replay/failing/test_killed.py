"""necropsy is killed at any moment of a replay: nothing runs twice, the journal tells what is known, one can go on."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Sshd
from tests.replay.failing.stage import Stage, chance, moments, until

pytestmark = pytest.mark.sshd

MOMENTS = moments(50)
AT_ONCE = 4
"""Steps of which nobody can know whether they ran: as many as are under way at once, and their successors' intents."""

PROGRAM = """
import json, os, sys
import asyncssh, probes.host.ssh, replay.fleet, tui.cli.main, tui.cli.replaying.replay
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os._exit(tui.cli.main.main(json.loads(line)))
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""The command line, once for each line of arguments, in a child whose id it tells, and later how it ended."""


class Program:
    """Starts necropsy's command line again and again; everything is imported by then."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, *words: str) -> int:
        """Start it and return its process id."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._number()

    def end(self) -> int:
        """Wait for it to end and return how: 0, or the signal that killed it."""
        return self._number()

    def close(self) -> None:
        self._process.communicate()

    def _number(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    program = Program()
    yield program
    program.close()


@pytest.fixture
def stage(server: Sshd, tmp_path: Path) -> Stage:
    return Stage.set(tmp_path, server)


def words(stage: Stage) -> list[str]:
    target = stage.target
    settings = {
        "host": target.host, "port": target.port, "user": target.user, "identity": str(target.identity),
        "known_hosts": str(target.known_hosts), "ssh_config": False, "recorded": ["h"],
    }  # fmt: skip
    file = stage.folder / "targets.toml"
    file.write_text("[targets.gpu]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()))
    return ["--store", str(stage.store), "replay", "s", "--on", "gpu", "--targets", str(file), "--yes", "--json"]


@pytest.fixture(scope="module")
def whole(server: Sshd, program: Program, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many commands arrive when nothing happens: the looks at the layers, the fingerprint, and every step once."""
    stage = Stage.set(tmp_path_factory.mktemp("whole"), server)
    program.start(*words(stage))
    assert program.end() == 0
    assert set(stage.counted().values()) == {1}
    return len(stage.arrived())


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_it_may_die_at_any_moment(stage: Stage, program: Program, whole: int, moment: int) -> None:
    random = chance("necropsy", moment)
    process = program.start(*words(stage))
    at = random.randint(1, whole)
    until(lambda: len(stage.arrived()) >= at)
    time.sleep(random.uniform(0, 0.03))
    os.kill(process, signal.SIGKILL)
    assert program.end() in {signal.SIGKILL, 0}  # 0: it had just ended
    until(lambda: quiet(stage.server))
    stage.check_nothing_ran_twice()
    stage.check_journal()
    unknown = {step for _, step in stage.checked().unknown}
    assert len(unknown) <= 2 * AT_ONCE
    sent = stage.counted()
    asyncio.run(stage.go_on())
    assert {step: stage.counted()[step] for step in unknown} == {step: sent[step] for step in unknown}
    assert all(run.finished is None for run in stage.runs() if any(s.outcome == "unknown" for s in run.steps))


def quiet(server: Sshd) -> bool:
    """Tell whether the server has no connection left, so that nothing can arrive or run any more."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return not children
