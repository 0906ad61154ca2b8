"""The server over stdio, asked by the SDK's own client."""

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import sessions.examples
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.store.writer import Writer

NECROPSY = Path(sys.executable).with_name("necropsy")
EXAMPLE = Path(sessions.examples.__file__).parent / "glm5-blackwell.json"

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with Writer.open(path) as writer:
        list(ingest(recognise(EXAMPLE), writer))
    return path


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Start ``necropsy mcp`` on a store and connect a client to it."""

    @asynccontextmanager
    async def start(store: Path, *arguments: str) -> AsyncIterator[Client]:
        environment = {**os.environ, "HOME": str(tmp_path)}
        command = ["--store", str(store), "mcp", *arguments]
        server = StdioServerParameters(command=str(NECROPSY), args=command, env=environment)
        with (tmp_path / "stderr").open("w") as errors:
            async with Client(stdio_client(server, errlog=errors)) as client:
                yield client

    return start


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def ask(client: Client, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    result: list[dict[str, Any]] = answer.structured_content["result"]
    return result


async def test_an_agent_asks_before_it_repeats_a_dead_end(bundled: Path, connect: Connect) -> None:
    async with connect(bundled) as client:
        (found, *_) = await ask(client, "recall", words="dequantization kernel SM120", limit=3)
    assert (found["verdict"], found["support"], found["hypothesis"]) == ("refuted", "grounded", "H2")
    assert found["evidence"][0]["quote"] == "max diff 0.00012"
    assert found["session"].startswith("ses_5c1f")


async def test_sessions_trees_and_dead_ends_are_served(bundled: Path, connect: Connect) -> None:
    async with connect(bundled) as client:
        (row,) = await ask(client, "sessions")
        tree = await ask(client, "show", session="latest")
        ends = await ask(client, "dead_ends")
        same = await ask(client, "dead_ends", session=row["session"], limit=2)
    assert (row["hypotheses"], row["dead_ends"], row["causes"]) == (8, 7, 1)
    assert [one["root"] for one in tree] == [True] + [False] * 8
    assert len(ends) == 7
    assert {one["verdict"] for one in ends} == {"refuted", "abandoned"}
    assert same == ends[:2]


async def test_it_is_read_only_unless_started_otherwise(bundled: Path, connect: Connect, tmp_path: Path) -> None:
    before = digest(bundled)
    async with connect(bundled) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {"recall", "sessions", "show", "dead_ends"}
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
        assert (await client.call_tool("ingest", {"path": str(EXAMPLE)})).is_error
    assert digest(bundled) == before
    async with connect(tmp_path / "fresh.db", "--allow-writes") as client:
        (done,) = await ask(client, "ingest", path=str(EXAMPLE))
        assert (done["status"], done["steps"]) == ("new", 36)
        assert len(await ask(client, "sessions")) == 1


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((Path(__file__).parents[1] / "data" / "store-layout-1.db.gz").read_bytes()))
    return path


async def test_a_store_of_an_older_layout_is_not_changed_without_leave(old: Path, connect: Connect) -> None:
    before = digest(old)
    async with connect(old) as client:
        refused = await client.call_tool("recall", {"words": "disk"})
        assert refused.is_error
        assert "necropsy recall" in refused.content[0].model_dump()["text"]
        assert len(await ask(client, "show")) == 2
    assert digest(old) == before
    async with connect(old, "--allow-writes") as client:
        assert [one["hypothesis"] for one in await ask(client, "recall", words="disk upload")] == ["H1"]


async def test_errors_say_what_to_do(bundled: Path, connect: Connect) -> None:
    async with connect(bundled, "--allow-writes") as client:
        unknown = await client.call_tool("show", {"session": "ses_none"})
        no_log = await client.call_tool("ingest", {"path": str(bundled.with_name("nothing.jsonl"))})
        wrong = await client.call_tool("recall", {"words": "x", "limit": 0})
    assert unknown.is_error
    assert "no session ses_none" in unknown.content[0].model_dump()["text"]
    assert no_log.is_error
    assert "nothing.jsonl" in no_log.content[0].model_dump()["text"]
    assert wrong.is_error


async def test_what_leaves_is_harmless_and_redacted(bundled: Path, connect: Connect) -> None:
    secret = "sk-ant-api03-" + "Ab3" * 20
    root = Hypothesis(id="H0", key="symptom", root=True, statement="it hangs", source="rule:symptom")
    bad = Hypothesis(
        id="H1", key="m1", parent="H0", statement=f"the key {secret} is \x1b[31mwrong\u202e", verdict="refuted",
        source="rule:maybe",
        evidence=(Evidence(step=0, stance="refutes", quote=f"export TOKEN={secret}", source="rule:x"),),
    )  # fmt: skip
    with Writer.open(bundled) as writer:
        writer.save_tree("ses_5c1f9e3a7ffeR2glm5BlackwellX", Tree(hypotheses=(root, bad)), "rules-1")
    async with connect(bundled) as client:
        told = json.dumps(
            [await ask(client, "show"), await ask(client, "recall", words="key wrong")], ensure_ascii=False
        )
    assert "the key <redacted:" in told
    assert secret not in told
    assert "\x1b" not in told
    assert "\\u001b" not in told
    assert "\u202e" not in told


def test_without_a_store_it_says_so_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [NECROPSY, "--store", tmp_path / "none.db", "mcp"], capture_output=True, text=True, check=False, input=""
    )
    assert done.returncode == 4
    assert "no store" in done.stderr
