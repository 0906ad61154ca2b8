"""What the machinery itself loses: annotated real logs, stored, read by a model that knows the annotation, scored."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from sessions.hypotheses.model.asking import Asker
from sessions.hypotheses.model.client import Client, Settings
from sessions.hypotheses.model.engine import Read, Reader
from sessions.hypotheses.model.ground import Log
from sessions.hypotheses.rules.engine import analyze
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.reports import json as report
from sessions.reports.collect import collect
from sessions.store.reader import Reader as Store
from sessions.store.writer import Writer

pytestmark = pytest.mark.corpus

FORMATS = {"claude-code", "codex"}
CONTEXTS = [16_384, 32_768, 131_072]


class Server(Protocol):
    url: str
    oracle: Any
    every: int
    wrong: list[str]


@pytest.fixture(scope="module")
def annotations(gold: Path) -> dict[str, dict[str, Any]]:
    found = {path.name: json.loads(path.read_text()) for path in sorted(gold.glob("*.json"))}
    return {name: each for name, each in found.items() if each["format"] in FORMATS}


@pytest.fixture(scope="module")
def stored(
    corpus: Path, annotations: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """A store with all annotated logs, redacted as ever, and the id of each one's session."""
    path = tmp_path_factory.mktemp("store") / "store.db"
    ids = {}
    with Writer.open(path) as writer:
        for name, annotation in annotations.items():
            (done,) = ingest(recognise(corpus / annotation["log"]), writer)
            ids[name] = max(done.sessions, key=lambda each: len(writer.contents(each).messages))
    return path, ids


ReadAll = Callable[[int], tuple[dict[str, Read], dict[str, Any]]]


@pytest.fixture
def read_all(
    llm: Server, stored: tuple[Path, dict[str, str]], annotations: dict[str, dict[str, Any]], gold: Path, tmp_path: Path
) -> ReadAll:
    """Read every log in parts for a context, save the trees, and score the reports."""

    def read(context: int) -> tuple[dict[str, Read], dict[str, Any]]:
        results = _read_all(llm, stored, annotations, context, tmp_path)
        return results, score(gold, annotations, tmp_path)

    return read


def _read_all(
    llm: Server, stored: tuple[Path, dict[str, str]], annotations: dict[str, dict[str, Any]], context: int, folder: Path
) -> dict[str, Read]:
    path, ids = stored
    results = {}
    for name, session in ids.items():
        llm.oracle.truths = annotations[name]["hypotheses"]
        with Writer.open(path) as writer:
            told = writer.contents(session)
            log = Log(told.messages, told.steps, analyze(told.messages, told.steps))
            asker = Asker(Client(llm.url, settings=Settings(timeout=1, pause=0.01)), "oracle", None)
            results[name] = Reader(log, "oracle", context).read(asker)
            writer.save_tree(session, results[name].tree, "model:oracle")
        with Store.open(path) as reader:
            (folder / name).write_text(report.render(collect(reader, session)))
    return results


def score(gold: Path, annotations: dict[str, dict[str, Any]], made: Path) -> dict[str, Any]:
    chosen = made / "gold"
    chosen.mkdir()
    for name, annotation in annotations.items():
        (chosen / name).write_text(json.dumps(annotation))
    scorer = gold.parent / "tools" / "score_hypotheses.py"
    done = subprocess.run([sys.executable, scorer, "--dir", chosen, made], capture_output=True, text=True, check=True)
    scores: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return scores


@pytest.mark.parametrize("context", CONTEXTS)
def test_nearly_all_of_a_perfect_models_answers_arrive(read_all: ReadAll, context: int) -> None:
    _, scores = read_all(context)
    assert scores["sessions"] == 8
    assert scores["f1"] >= 0.95
    assert scores["verdict_accuracy"] >= 0.97
    assert scores["evidence_f1"] >= 0.90
    assert scores["false_causes"] == 0


def test_one_wrong_answer_in_five_lets_nothing_false_in(llm: Server, read_all: ReadAll) -> None:
    llm.every = 5
    results, scores = read_all(16_384)
    assert set(llm.wrong) == {"invented", "foreign", "broken", "refusal", "truncated", "slow", "429", "500"}
    assert sum(sum(r.account.dropped.values()) for r in results.values()) > 0
    assert scores["precision"] == 1.0
    assert scores["false_causes"] == 0
    right, grounded = map(int, scores["grounded_causes_right"].split("/"))
    assert right == grounded
    assert scores["verdict_accuracy"] >= 0.97
    assert scores["recall"] >= 0.80
