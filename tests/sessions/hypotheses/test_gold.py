"""The rules on annotated real logs: a floor under what they reach, not a target."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sessions.formats import claude_code, codex
from sessions.hypotheses.rules.engine import analyze
from sessions.ingest.builder import build
from sessions.ingest.events import Count

READERS = {"claude-code": claude_code, "codex": codex}
FLOOR = {"f1": 0.51, "verdict_accuracy": 0.5, "evidence_f1": 0.42, "parent_accuracy": 0.54, "candidate_recall": 0.75}


def export(path: Path, name: str) -> dict[str, Any]:
    """The part of the JSON report that the scorer reads."""
    reader, count = READERS[name], Count()
    (source,) = reader.sources(path)
    session = max(build(reader.read(source, count), source, count), key=lambda s: len(s.messages))
    tree = analyze(session.messages, session.steps)
    return {
        "messages": [m.model_dump() for m in session.messages],
        "steps": [s.model_dump(include={"ordinal", "command", "output"}) for s in session.steps],
        "hypotheses": [h.model_dump() for h in tree.hypotheses],
        "candidates": [h.model_dump() for h in tree.candidates],
    }


@pytest.mark.corpus
def test_the_rules_stay_above_their_floor_and_ground_no_wrong_cause(corpus: Path, gold: Path, tmp_path: Path) -> None:
    chosen, made = tmp_path / "gold", tmp_path / "made"
    chosen.mkdir()
    made.mkdir()
    for path in sorted(gold.glob("*.json")):
        annotation = json.loads(path.read_text())
        if annotation["format"] in READERS:
            (chosen / path.name).write_text(path.read_text())
            (made / path.name).write_text(json.dumps(export(corpus / annotation["log"], annotation["format"])))
    scorer = gold.parent / "tools" / "score_hypotheses.py"
    command = [sys.executable, str(scorer), "--dir", str(chosen), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    scores = json.loads(done.stdout.splitlines()[-1])
    assert scores["sessions"] == 8
    assert {name: scores[name] for name in FLOOR if scores[name] < FLOOR[name]} == {}
    right, all_grounded = map(int, scores["grounded_causes_right"].split("/"))
    assert right >= 5
    assert right / all_grounded >= 0.75
