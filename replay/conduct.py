"""One replay from store to store: the recording, the host, the run. What both front ends call."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from probes.host.connection import connect
from probes.host.targets import Target
from replay import engine, recording
from replay.progress import Progress
from replay.rewrite import PathRules
from sessions.models.replay import Plan
from sessions.store.reader import Reader
from sessions.store.writer import Writer


async def conduct(store: Path, target: Target, plan: Plan) -> AsyncGenerator[Progress, None]:
    """Carry `plan` out on `target` and yield what happens; closing the generator ends what runs there.

    Raises HostProblem where the target cannot be reached, and StoreProblem where results cannot be kept.
    """
    with Reader.open(store) as reader:
        recorded = recording.load(reader, plan.session, PathRules(target.paths))
    async with connect(target) as executor:
        with Writer.open(store) as writer:
            events = engine.replay(plan, executor, writer, recorded)
            async with aclosing(events):
                async for event in events:
                    yield event
