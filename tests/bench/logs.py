"""How fast logs are taken in, beside bare parsing of the same bytes."""

import json
import os
import random
import tempfile
from contextlib import suppress
from pathlib import Path

import orjson

from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.ingest.source import Source
from sessions.store.writer import Writer
from tests.bench.figures import Figure, measure, say, timed

FOLDERS = ("claude-code", "codex", "opencode-export")
SYNTHETIC = 12
"""Synthetic logs, of some 2 MB each, where there is no corpus."""


def measure_ingest() -> list[Figure]:
    """Return the figures of parsing, of a first ingest and of a second one that finds nothing new."""
    with tempfile.TemporaryDirectory(prefix="necropsy-bench-") as folder:
        roots, named = _logs(Path(folder))
        sources = _sources(roots)
        files = sorted({source.path for source in sources})
        size = sum(path.stat().st_size for path in files) / 1e6
        say(f"parsing {len(files)} logs, {size:.1f} MB")
        parsing = min(measure(lambda: _parse(files)) for _ in range(2))
        say("ingesting them into a fresh store")
        with Writer.open(Path(folder) / "store.sqlite") as writer:
            first, steps = _ingest(roots, writer)
            say("ingesting them again")
            again, _ = _ingest(roots, writer)
    on = f"{len(files)} logs, {size:.1f} MB, {named}"
    return [
        Figure("orjson alone, the same bytes", f"{size / parsing:.1f} MB/s", on),
        Figure("ingest into a fresh store", f"{size / first:.1f} MB/s", f"{first:.1f} s, {steps} steps, with trees"),
        Figure("ingest again, all unchanged", f"{again:.2f} s", f"{len(sources)} sources looked at"),
    ]


def _ingest(roots: list[Path], writer: Writer) -> tuple[float, int]:
    with timed() as watch:
        results = list(ingest(_sources(roots), writer))
    failed = [result.error for result in results if result.status == "failed"]
    if failed:
        say(f"{len(failed)} logs failed; the first: {failed[0]}")
    return watch.seconds, sum(result.steps for result in results)


def _sources(roots: list[Path]) -> list[Source]:
    return [source for root in roots for source in recognise(root)]


def _parse(files: list[Path]) -> None:
    for path in files:
        data = path.read_bytes()
        for record in data.splitlines() if path.suffix == ".jsonl" else [data]:
            with suppress(orjson.JSONDecodeError):
                orjson.loads(record)


def _logs(folder: Path) -> tuple[list[Path], str]:
    shared = Path(os.environ.get("NECROPSY_SHARED", Path(__file__).parents[3] / "shared")) / "corpus"
    roots = [shared / name for name in FOLDERS if (shared / name).is_dir()]
    if roots:
        return roots, "real"
    say(f"no corpus of real logs at {shared} (NECROPSY_SHARED): synthetic ones instead")
    for number in range(SYNTHETIC):
        path = folder / "logs" / f"{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(_export(number), indent=2))
    return [folder / "logs"], "synthetic"


def _export(number: int) -> dict[str, object]:
    chance = random.Random(number)  # noqa: S311 (not for secrets)
    session = f"ses_bench{number:04}"
    messages = [_message(f"msg_{number:04}{place:05}", place, chance) for place in range(600)]
    info = {"id": session, "title": f"Synthetic {number}", "directory": "/srv", "time": {"created": 1_790_000_000_000}}
    return {"info": info, "messages": messages}


def _message(key: str, place: int, chance: random.Random) -> dict[str, object]:
    start = 1_790_000_000_000 + place * 1000
    output = "\n".join(f"{chance.randrange(10**9)} /srv/lib/module_{chance.randrange(500)}.py: ok" for _ in range(60))
    state = {
        "status": "completed",
        "input": {"command": f"grep -rn 'name_{chance.randrange(1000)}' /srv/lib | head -60"},
        "output": output,
        "metadata": {"exit": 0, "truncated": False},
        "time": {"start": start, "end": start + 40},
    }
    parts = [
        {
            "id": f"prt_{key}a",
            "type": "text",
            "text": f"It may be module {chance.randrange(500)}. I look at its names.",
        },
        {"id": f"prt_{key}b", "type": "tool", "tool": "bash", "callID": key, "state": state},
    ]
    return {"info": {"id": key, "role": "assistant", "time": {"created": start}}, "parts": parts}
