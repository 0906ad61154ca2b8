"""An output of 100 MB in a real replay: cut, its size told, judged as such, and no burden on memory."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import Sshd
from tests.replay.failing.stage import Stage

SIZE = 100_000_000
MOST_MORE = 64 * 1024 * 1024
PROGRAM = """
import asyncio, json, resource, sys
from pathlib import Path
from probes.host.targets import Target
from replay.conduct import conduct
from replay.plan import Hosts, Selection, build_plan
from replay.progress import Done
from sessions.store.reader import Reader

async def run(store, target, step):
    with Reader.open(store) as reader:
        plan = build_plan(reader, "s", target, Selection(frozenset({step})), Hosts({"h": "gpu"}))
    return [event.result async for event in conduct(store, target, plan) if isinstance(event, Done)][0]

async def main():
    store, target = Path(sys.argv[1]), Target.model_validate_json(sys.argv[2])
    small = await run(store, target, 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = await run(store, target, 1)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([(after - before) * 1024, small.outcome, large.outcome, large.detail, len(large.output)]))

asyncio.run(main())
"""
"""Replays a step with a small output, then one with a large one; prints by how much that raised the peak of memory."""


def test_a_flood_is_cut_and_costs_no_memory(server: Sshd, tmp_path: Path) -> None:
    stage = Stage.set(tmp_path, server, pause="0", steps=2)
    line = b"INFO 11-29 18:02:11 [core.py:7] throughput 1234.5 tokens/s of request 0123456789\n"
    stage.trace(1).write_bytes(line * (SIZE // len(line) + 1))
    words = [sys.executable, "-c", PROGRAM, str(stage.store), stage.target.model_dump_json()]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    more, small, large, detail, kept = json.loads(done.stdout)
    assert (small, large) == ("completed", "output-limit")
    assert "100,0" in detail
    assert hashlib.sha256(stage.trace(1).read_bytes()).hexdigest() in detail
    assert 1_000_000 < kept <= 8 * 1024 * 1024
    assert more < MOST_MORE
    result = next(step for step in stage.runs()[-1].steps if step.step == 1)
    assert (result.outcome, len(result.output)) == ("output-limit", kept)
    assert {standing.standing for standing in stage.runs()[-1].standings} == {"undetermined"}
    assert stage.checked().problems == ()
