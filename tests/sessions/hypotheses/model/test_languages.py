"""A model reads what the rules cannot: suspicions in German and in Chinese, held to the log like any other."""

from pathlib import Path
from typing import Any

import pytest

from sessions.hypotheses.model.asking import Asker
from sessions.hypotheses.model.client import Client, Settings
from sessions.hypotheses.model.engine import Reader
from sessions.hypotheses.model.ground import Log
from sessions.hypotheses.rules.engine import analyze
from sessions.ingest.builder import build
from sessions.ingest.events import Count
from sessions.ingest.registry import format_named
from sessions.ingest.sniff import recognise
from sessions.models.hypothesis import Tree

DATA = Path(__file__).parents[3] / "data"


def truth(name: str, statement: str, said: tuple[str, str], verdict: str, evidence: tuple[str, str]) -> dict[str, Any]:
    stated, decided = said
    quote, stance = evidence
    return {
        "id": name, "parent": None, "statement": statement, "terms": [statement.lower()], "stated_quote": stated,
        "verdict": verdict, "decided_quote": decided, "evidence": [{"quote": quote, "stance": stance}],
    }  # fmt: skip


GERMAN = [
    truth(
        "h1", "Die Platte ist zu langsam.", ("dass die Platte zu langsam ist", "Die Platte ist es nicht"), "refuted",
        ("w_await 0.80", "refutes"),
    ),
    truth(
        "h2", "Der Index auf der Spalte kunde_id fehlt.",
        ("fehlt auf der neuen Maschine der Index", "Das ist die Ursache"), "confirmed", ("buchungen_pkey", "supports"),
    ),
]  # fmt: skip
CHINESE = [
    truth("h1", "连接池太小。", ("可能是连接池太小", "所以不是连接池的问题"), "refuted", ("pool_waiting 0", "refutes")),
    truth(
        "h2", "域名解析变慢了。", ("也许是域名解析变慢了", "域名解析需要五秒"), "confirmed", ("5002 msec", "supports")
    ),
]


def read(folder: str, llm: Any, truths: list[dict[str, Any]]) -> Tree:
    (source,) = recognise(DATA / folder)
    count = Count()
    (session,) = build(format_named(source.format).read(source, count), source, count)
    llm.oracle.truths = truths
    log = Log(session.messages, session.steps, analyze(session.messages, session.steps))
    asker = Asker(Client(llm.url, settings=Settings(timeout=5, pause=0.01)), "oracle", None)
    return Reader(log, "oracle", llm.context).read(asker).tree


@pytest.mark.parametrize(("folder", "truths"), [("claude-code/german", GERMAN), ("codex/chinese", CHINESE)])
def test_a_model_finds_and_settles_what_another_language_says(
    llm: Any, folder: str, truths: list[dict[str, Any]]
) -> None:
    tree = read(folder, llm, truths)
    held = [(one.statement, one.verdict, one.support) for one in tree.hypotheses if not one.root]
    assert held == [
        (truths[0]["statement"], "refuted", "grounded"),
        (truths[1]["statement"], "confirmed", "grounded"),
    ]
    assert "English" not in tree.note
