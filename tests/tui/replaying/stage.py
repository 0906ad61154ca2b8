"""What the tests of replays in the app share: the server, a session that can be run again, the way to its plan."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Session, Step

SIZE = (130, 44)

Settle = Callable[[Pilot[None]], Awaitable[str]]


class Server(Protocol):
    """What is asked of the fixture `sshd`."""

    port: int

    @property
    def user(self) -> str: ...
    @property
    def identity(self) -> Path: ...
    @property
    def known_hosts(self) -> Path: ...
    def received(self) -> list[str]: ...


def session(*commands: tuple[str, str]) -> tuple[Session, Tree]:
    """Return a session that ran these commands on 192.0.2.174 with these outputs, all evidence for one cause."""
    steps = tuple(
        Step(
            ordinal=n, kind="shell", tool="bash", command=f"ssh ops@192.0.2.174 '{command}'", output=output, exit_code=0
        )
        for n, (command, output) in enumerate(commands)
    )
    evidence = tuple(
        Evidence(step=step.ordinal, stance="supports", quote=step.output.split("\n")[0], deciding=True, source="rule:a")
        for step in steps
    )
    cause = Hypothesis(
        id="H1",
        key="a",
        statement="The worker's settings are stale",
        verdict="confirmed",
        evidence=evidence,
        source="rule:a",
    )
    told = Session(id="ses_r", format="codex", agent="codex", title="Stale", source="/logs/r", steps=steps)
    return told, Tree(hypotheses=(cause,))


async def plan(pilot: Pilot[None], settle: Settle, on: str = "bench") -> str:
    await settle(pilot)
    await pilot.press("r")
    await settle(pilot)
    pilot.app.screen.query_one("#target", Input).value = on
    await pilot.press("enter")
    return await settle(pilot)


async def wait_for(pilot: Pilot[None], settle: Settle, text: str) -> str:
    for _ in range(100):
        shown = await settle(pilot)
        if text in shown:
            return shown
        await pilot.pause(0.1)
    pytest.fail(f"{text!r} never appeared:\n{shown}")
