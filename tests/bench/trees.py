"""How good the trees are that the rules make of annotated real logs, and how fast they make them.

The logs were divided before the rules were written: four to develop on, four held out.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sessions.hypotheses.gold import Annotation, read
from sessions.hypotheses.matching import Told
from sessions.hypotheses.rules.engine import analyze
from sessions.hypotheses.scoring import Score, interval, score, total
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.writer import Writer
from tests.bench.figures import Figure, say

DEVELOPMENT = ("claude-code__v1__48_", "claude-code__v1__9f_", "claude-code__v1__d7_", "codex__v1__16_")
HELD_OUT = ("claude-code__v1__6d_", "claude-code__v1__92_", "claude-code__v1__d0_", "codex__v1__10_")
"""How the names of the annotations begin."""


@dataclass(frozen=True)
class Annotated:
    """A real log in a store, and what a person found in it."""

    name: str
    annotation: Annotation
    session: str
    size: int


@dataclass(frozen=True)
class Outcome:
    """The score of the rules on one log, and what constants in their place would reach."""

    name: str
    score: Score
    all_refuted: Score
    all_roots: Score


def shared() -> Path | None:
    """Return the folder of annotated logs; None where it is not on this machine."""
    named = os.environ.get("NECROPSY_SHARED")
    return Path(named) if named and (Path(named) / "gold").is_dir() and (Path(named) / "corpus").is_dir() else None


def missing(what: str) -> list[Figure]:
    """Return that a figure needs the annotated logs."""
    return [Figure(what, "not measured", "set NECROPSY_SHARED to the folder that holds gold/ and corpus/")]


def store(writer: Writer, folder: Path) -> list[Annotated]:
    """Take the annotated logs into a store, redacted as ever."""
    held = []
    for path in sorted((folder / "gold").glob("*.json")):
        if path.name.startswith((*DEVELOPMENT, *HELD_OUT)):
            annotation = read(path)
            log = folder / "corpus" / annotation.log
            (done,) = ingest(recognise(log), writer)
            session = max(done.sessions, key=lambda each: len(writer.contents(each).messages))
            held.append(Annotated(path.stem, annotation, session, log.stat().st_size))
    return held


def measure_trees() -> list[Figure]:
    """Return how far the rules' trees agree with the annotations, and how fast they are made."""
    folder = shared()
    if folder is None:
        return missing("trees")
    with tempfile.TemporaryDirectory() as place, Writer.open(Path(place) / "store.db") as writer:
        logs = store(writer, folder)
        say(f"analysing {len(logs)} annotated logs")
        outcomes, seconds = [], 0.0
        for log in logs:
            contents = writer.contents(log.session)
            start = time.process_time()
            tree = analyze(contents.messages, contents.steps)
            seconds += time.process_time() - start
            outcomes.append(_outcome(log, Told.of(contents.messages, contents.steps, tree)))
    size = sum(log.size for log in logs) / 1e6
    speed = Figure("analysis from the store", f"{size / seconds:.1f} MB/s", f"{size:.0f} MB of logs, one core")
    return [*_finding(outcomes), *_judging(outcomes), speed]


def _outcome(log: Annotated, told: Told) -> Outcome:
    guesses = told.hypotheses
    refuted = replace(told, hypotheses=tuple(replace(each, verdict="refuted") for each in guesses))
    roots = replace(told, hypotheses=tuple(replace(each, parent=None) for each in guesses))
    return Outcome(log.name, score(log.annotation, told), score(log.annotation, refuted), score(log.annotation, roots))


def _finding(outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    for part, names in (("development", DEVELOPMENT), ("held out", HELD_OUT), ("all", (*DEVELOPMENT, *HELD_OUT))):
        scores = [each.score for each in outcomes if each.name.startswith(names)]
        sums = total(scores)
        on = (
            f"macro {sums['macro_f1']:.3f}, 95 % over logs {_range(scores, lambda each: each.f1)}; precision "
            f"{sums['precision']:.3f}, recall {sums['recall']:.3f}, candidates {sums['candidate_recall']:.3f}; "
            f"{len(scores)} logs"
        )
        yield Figure(f"hypotheses F1, {part}", f"{sums['f1']:.3f}", on)


def _judging(outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    scores = [each.score for each in outcomes]
    whole = sum(scores, Score())
    refuted = sum((each.all_refuted for each in outcomes), Score())
    roots = sum((each.all_roots for each in outcomes), Score())
    span = _range(scores, lambda each: each.verdict_accuracy)
    always = f"always refuted: {refuted.verdict_accuracy:.3f}; 95 % {span}; {whole.matched} pairs"
    yield Figure("verdicts", f"{whole.verdict_accuracy:.3f}", always)
    right = f"{whole.grounded_right} of {whole.grounded} right"
    yield Figure("causes grounded in output", right, f"of {whole.causes} annotated causes")
    yield Figure(
        "causes confirmed", f"{whole.causes_found} of {whole.causes}", f"{whole.false_causes} others confirmed"
    )
    yield Figure("evidence F1", f"{whole.evidence_f1:.3f}", f"95 % {_range(scores, lambda each: each.evidence_f1)}")
    shares, level = (each.parents_right / max(1, each.parents) for each in (whole, roots))
    yield Figure("parents", f"{shares:.3f}", f"all under the root: {level:.3f}; {whole.parents} pairs")


def _range(scores: Sequence[Score], figure: Callable[[Score], float]) -> str:
    low, high = interval(scores, figure)
    return f"{low:.2f} to {high:.2f}"
