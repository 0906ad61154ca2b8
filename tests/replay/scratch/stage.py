"""What the tests of writing steps share: the session that writes, and what is asked of their fixtures."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from probes.host.targets import Target
from replay.progress import Progress
from sessions.models.replay import Plan, RunStep

HERE = Target(name="local")


class Server(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path


Recorded = Callable[..., Plan]
Told = Callable[[Progress], None]
Runs = Callable[..., Awaitable[dict[int, RunStep]]]


def folder(plan: Plan) -> Path:
    (found,) = {step.scratch.folder for step in plan.steps if step.scratch}
    return Path(found)


SESSION = (
    "mkdir -p /tmp/exp/conf",
    "cat > /tmp/exp/a.yaml <<'E'\nworkers: 1\nname: it's\nE",
    "sed -i.bak 's/workers: 1/workers: 3/' /tmp/exp/a.yaml && cp /tmp/exp/a.yaml /tmp/exp/conf/",
    ("grep -n workers /tmp/exp/conf/a.yaml /tmp/exp/a.yaml.bak", "conf/a.yaml:1:workers: 3\na.yaml.bak:1:workers: 1\n"),
    ("cd /tmp/exp && echo 'more: 1' | tee -a a.yaml", "more: 1\n"),
    ("cd /tmp/exp/conf && ls; wc -l ../a.yaml", "a.yaml\n3 ../a.yaml\n"),
    ("cat /tmp/exp/a.yaml", "workers: 3\nname: it's\nmore: 1\n"),
)
