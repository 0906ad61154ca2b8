"""What the machinery around a language model loses: a model that knows the annotations reads the logs, and errs."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from sessions.hypotheses.matching import Told
from sessions.hypotheses.model.asking import Asker
from sessions.hypotheses.model.client import Client, Settings
from sessions.hypotheses.model.engine import Reader
from sessions.hypotheses.model.ground import Log
from sessions.hypotheses.rules.engine import analyze
from sessions.hypotheses.scoring import score, total
from sessions.store.writer import Writer
from tests.bench.figures import Figure, say
from tests.bench.trees import Annotated, missing, shared, store
from tests.sessions.hypotheses.model.conftest import LLM, serving

CONTEXTS = (16_384, 32_768, 131_072)
EVERY = 5
"""Of so many answers one is wrong, each time in another way."""


def measure_model() -> list[Figure]:
    """Return what arrives of a perfect model's answers at several contexts, and of one that often errs."""
    folder = shared()
    if folder is None:
        return missing("model engine")
    with tempfile.TemporaryDirectory() as place, Writer.open(Path(place) / "store.db") as writer:
        logs = store(writer, folder)
        figures = [_figure(f"perfect model, context {size:,}", writer, logs, size, 0) for size in CONTEXTS]
        return [*figures, _figure(f"one answer in {EVERY} wrong", writer, logs, CONTEXTS[0], EVERY)]


def _figure(what: str, writer: Writer, logs: Sequence[Annotated], context: int, every: int) -> Figure:
    say(f"reading {len(logs)} logs: {what}")
    with serving() as llm:
        llm.every = every
        scores = [score(log.annotation, _read(writer, log, llm, context)) for log in logs]
        asked, wrong = len(llm.bodies), len(llm.wrong)
    sums = total(scores)
    on = (
        f"verdicts {sums['verdict_accuracy']:.3f}, evidence F1 {sums['evidence_f1']:.3f}, parents "
        f"{sums['parent_accuracy']:.3f}, false causes {sums['false_causes']}, grounded right "
        f"{sums['grounded_causes_right']}; {asked} answers, {wrong} wrong"
    )
    return Figure(f"{what}: F1", f"{sums['f1']:.3f}", on)


def _read(writer: Writer, log: Annotated, llm: LLM, context: int) -> Told:
    told = writer.contents(log.session)
    llm.oracle.truths = [each.model_dump() for each in log.annotation.hypotheses]
    known = Log(told.messages, told.steps, analyze(told.messages, told.steps))
    asker = Asker(Client(llm.url, settings=Settings(timeout=1, pause=0.01)), "oracle", None)
    return Told.of(told.messages, told.steps, Reader(known, "oracle", context).read(asker).tree)
