"""Replays: the intent on the disk before anything is sent, then what came of it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.errors import UnknownSession
from sessions.models.replay import (
    EvidenceStanding,
    HypothesisStanding,
    Plan,
    PlannedStep,
    RunStep,
    TokenDifference,
)
from sessions.models.session import Session
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]

STEP = PlannedStep(
    step=0, command="cat x", effect="read", decision="run", stages=(("cat", "x"),), sent="cat x", target="box"
)
PLAN = Plan(session="ses_1", target="box", steps=(STEP,))


def test_a_run_comes_back_whole(make_session: MakeSession, put: Put, writer: Writer, reader: Reader) -> None:
    put(make_session())
    run = writer.start_run("ses_1", PLAN, {"gpu": ["made-up"]})
    writer.intend(run, STEP)
    result = RunStep(
        step=0, outcome="completed", comparison="drift", rules=("pid",), exit_code=0, output="o" * 40_000, sent="cat x",
        tokens=(TokenDifference(line=1, kind="number", recorded="1", new="2"),), duration=0.25, detail="d",
    )  # fmt: skip
    writer.record(run, result)
    standings = [EvidenceStanding(hypothesis="H1", step=0, standing="holds", why="same")]
    worths = [HypothesisStanding(hypothesis="H1", worth="upheld")]
    writer.finish_run(run, standings, worths)
    (row,) = reader.runs("ses_1")
    assert row.steps == (result,)
    assert (row.plan, row.target, row.fingerprint) == ((STEP,), "box", {"gpu": ["made-up"]})
    assert (row.standings, row.worths) == (tuple(standings), tuple(worths))
    assert row.finished is not None
    writer.forget("ses_1")
    assert reader.runs("ses_1") == ()


def test_a_step_that_was_sent_and_never_heard_of_again_is_unknown(
    make_session: MakeSession, put: Put, writer: Writer, reader: Reader, path: Path
) -> None:
    put(make_session())
    run = writer.start_run("ses_1", PLAN, {})
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from sessions.models.replay import PlannedStep\n"
        "from sessions.store.writer import Writer\n"
        f"writer = Writer.open(Path({str(path)!r}))\n"
        f"writer.intend({run}, PlannedStep.model_validate_json({STEP.model_dump_json()!r}))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False, cwd=os.getcwd())  # noqa: PTH109 (where the packages lie)
    assert ended.returncode == -signal.SIGKILL
    (row,) = reader.runs("ses_1")
    assert [(step.step, step.outcome, step.sent) for step in row.steps] == [(0, "unknown", "cat x")]
    assert row.finished is None


def test_a_run_needs_a_session(writer: Writer) -> None:
    with pytest.raises(UnknownSession):
        writer.start_run("ses_9", PLAN, {})
