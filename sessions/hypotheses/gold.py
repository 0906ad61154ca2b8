"""Annotations: what was suspected in a log and how it ended, in verbatim quotes of the log.

The format needs no ids of any program: a place is a quote. A person's settled tree can be written as one, and any
engine's tree can be held against one (`sessions.hypotheses.scoring`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sessions.errors import BadInput
from sessions.hypotheses.quotes import around, decision, pick, telling
from sessions.hypotheses.rules.text.annotate import terms
from sessions.hypotheses.rules.text.segment import Sentence, segment
from sessions.models.hypothesis import Evidence, Hypothesis, Stance, Tree, Verdict
from sessions.models.session import Message, Step

COUNTED = (
    "messages: non-empty text and reasoning blocks of user and agent, injected ones included; tool_calls: every call; "
    "shell_steps: the calls that ran shell commands"
)

_MENTIONS = 0.7
"""Share of a statement's telling words that a sentence must have to count as a mention of it."""

_FEWEST = 3
"""Telling words that it must have at least."""


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Quoted(_Read):
    """A piece of evidence: a line of a command or of its output, and for which side it speaks."""

    quote: str
    stance: Stance


class Suspected(_Read):
    """A hypothesis as it was annotated; a right statement of it holds one of `terms`."""

    id: str
    parent: str | None = None
    statement: str
    terms: tuple[str, ...]
    stated_quote: str
    verdict: Verdict
    decided_quote: str | None = None
    evidence: tuple[Quoted, ...] = ()


class Annotation(_Read):
    """The annotation of one log; `log` is its path below the folder of logs."""

    log: str
    format: str = ""
    symptom: str = ""
    hypotheses: tuple[Suspected, ...]


def read(path: Path) -> Annotation:
    """Return the annotation in a file. Raises BadInput, naming what is wrong with it."""
    try:
        return Annotation.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"{path} is no annotation: {place}: {first['msg']}", hint="See `necropsy gold export` for one."
        ) from error


@dataclass(frozen=True, slots=True)
class Settled:
    """A session and its tree, as a person left it."""

    log: str
    format: str
    messages: Sequence[Message]
    steps: Sequence[Step]
    tree: Tree


def export(settled: Settled) -> dict[str, Any]:
    """Return a tree as an annotation.

    Beside the keys of the format each hypothesis says where it is mentioned (`mentions`: message and quote), where it
    was decided (`decided_in`, a message; `decision_steps`), and who set it; each piece of evidence names its step.
    """
    tree, steps = settled.tree, settled.steps
    root = next((one for one in tree.hypotheses if one.root), None)
    return {
        "log": settled.log,
        "format": settled.format,
        "symptom": root.statement if root else "",
        "counts": {
            "messages": len(settled.messages),
            "tool_calls": len(steps),
            "shell_steps": sum(step.kind == "shell" for step in steps),
        },
        "counts_how": COUNTED,
        "hypotheses": list(_hypotheses(settled)),
    }


def _hypotheses(settled: Settled) -> Iterator[dict[str, Any]]:
    nodes = [one for one in settled.tree.hypotheses if not one.root]
    known = {one.id for one in nodes}
    sentences = segment(settled.messages)
    steps = {step.ordinal: step for step in settled.steps}
    for one in nodes:
        stated = _stated(one, settled.messages, sentences)
        cited = [(piece, _cite(one, piece, steps.get(piece.step))) for piece in one.evidence]
        yield {
            "id": one.id.lower(),
            "parent": one.parent.lower() if one.parent in known and one.parent else None,
            "statement": one.statement,
            "terms": list(telling(one.statement, [other.statement for other in nodes if other is not one])),
            "stated_quote": stated,
            "verdict": one.verdict,
            "decided_quote": _decided(one, settled.messages),
            "evidence": [
                {"quote": quote, "stance": piece.stance, "step": piece.step} for piece, quote in cited if quote
            ],
            "stated_in": one.stated_in,
            "decided_in": one.decided_in,
            "decision_steps": sorted({piece.step for piece in one.evidence if piece.deciding}),
            "mentions": list(_mentions(one, sentences)),
            "set_by": one.source,
        }


def _stated(one: Hypothesis, messages: Sequence[Message], sentences: Sequence[Sentence]) -> str:
    """Quote the message in which it is first stated; one without a place, the sentence that is most like it."""
    wanted = terms(one.statement)
    text = _text(messages, one.stated_in)
    if text is None:
        best = max(sentences, key=lambda each: len(terms(each.text) & wanted), default=None)
        text = _text(messages, best.message if best else None) or ""
    return pick(text, wanted)


def _decided(one: Hypothesis, messages: Sequence[Message]) -> str | None:
    text = _text(messages, one.decided_in)
    if text is None:
        return None
    return decision(one, text) or None


def _cite(one: Hypothesis, piece: Evidence, step: Step | None) -> str:
    """Quote the output of a step, or its command, around the line that is evidence."""
    if step is None:
        return ""
    held = (around(text, piece.quote) for text in (step.output, step.command))
    wanted = terms(f"{piece.quote} {one.statement}")
    return next((quote for quote in held if quote), "") or pick(step.output, wanted) or pick(step.command, wanted)


def _mentions(one: Hypothesis, sentences: Sequence[Sentence]) -> Iterator[Mapping[str, Any]]:
    wanted = terms(one.statement)
    least = max(_FEWEST, round(_MENTIONS * len(wanted)))
    for sentence in sentences:
        if len(terms(sentence.text) & wanted) >= least:
            yield {"message": sentence.message, "quote": pick(sentence.text, wanted)}


def _text(messages: Sequence[Message], ordinal: int | None) -> str | None:
    known = ordinal is not None and 0 <= ordinal < len(messages)
    return messages[ordinal].text if known and ordinal is not None else None
