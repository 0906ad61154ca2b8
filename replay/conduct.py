"""One replay from store to store: the recording, the host, the run. What both front ends call."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, nullcontext
from pathlib import Path

from probes.host import layers
from probes.host.connection import connect
from probes.host.targets import SANDBOX, Target
from probes.recorded import look
from replay import engine, recording
from replay.journal import Journal
from replay.progress import Progress
from replay.rewrite import PathRules
from replay.scratch.bench import Bench
from sessions.models.replay import Plan
from sessions.store.reader import Reader
from sessions.store.writer import Writer


async def conduct(
    store: Path, target: Target, plan: Plan, without: frozenset[str] = frozenset(), journal: Journal | None = None
) -> AsyncGenerator[Progress, None]:
    """Carry `plan` out on `target` and yield what happens; closing the generator ends what runs there.

    `without` names the layers that a person lets code run without (`probes.host.layers.CODE_NEEDS`); `journal` is that
    of the other runs of the store at this time, if there are any.
    Raises HostProblem where the target cannot be reached, and StoreProblem where results cannot be kept.
    """
    with Reader.open(store) as reader:
        recorded = recording.load(reader, plan.session, PathRules(target.paths), sandbox=target.name == SANDBOX)
    async with connect(target) as executor:
        idle = not any(step.sending for step in plan.steps)  # then the target is not contacted
        held = layers.Held(executor, executor, ()) if idle else await layers.hold(executor, target)
        found: dict[str, object] = {"layers": [layer.model_dump() for layer in held.layers], "without": sorted(without)}
        if not recorded.sandbox and not idle:
            hosts = {step.recorded_host for step in plan.steps if step.sending}
            steps = [recorded.steps[number] for number in sorted(recorded.steps)]
            found |= await look(held.executor, steps, hosts, recorded.rules.map)
        async with aclosing(Bench(held, recorded, without)) as bench:
            with _journal(store) if journal is None else nullcontext(journal) as kept:
                events = engine.replay(plan, held.reading, kept, recorded, found, bench=bench)
                async with aclosing(events):
                    async for event in events:
                        yield event


@contextmanager
def _journal(store: Path) -> Iterator[Journal]:
    with Writer.open(store) as writer:
        yield Journal(writer)
