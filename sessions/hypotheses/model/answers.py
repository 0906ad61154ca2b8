"""What a model is asked to answer, as JSON schema, and the patient reading of what it did answer."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from sessions.models.hypothesis import Stance, Verdict

_FENCE = re.compile(r"(?s)```(?:json)?\s*(.*?)(?:```|\Z)")
_THOUGHT = re.compile(r"(?s)<think>.*?(?:</think>|\Z)")
_NUMBERED = re.compile(r"\D{0,10}(\d{1,9})\D?")
_DECODER = json.JSONDecoder(strict=False)


def _number(value: object) -> object:
    """``"step 12"`` and ``"[12]"`` are the number 12."""
    match = _NUMBERED.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else value


Ordinal = Annotated[int, BeforeValidator(_number)]


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Cited(_Answer):
    """A step that is said to speak for or against a hypothesis."""

    step: Ordinal
    stance: Stance
    quote: str
    deciding: bool = False


class Found(_Answer):
    """A hypothesis as a model tells it: nothing of it is believed before it was compared with the log."""

    name: str
    statement: str
    stated_in: Ordinal | None = None
    stated_quote: str = ""
    verdict: Verdict = "open"
    decided_in: Ordinal | None = None
    decided_quote: str = ""
    parent: str | None = None
    evidence: tuple[Cited, ...] = ()


class Symptom(_Answer):
    """What went wrong, as a model tells it."""

    statement: str
    stated_in: Ordinal
    stated_quote: str


class Reading(_Answer):
    """The answer to one part of a log; `malformed` counts what could not be read of it."""

    symptom: Symptom | None = None
    hypotheses: tuple[Found, ...] = ()
    malformed: int = 0


class Opinion(_Answer):
    """The answer to the question whether an output carries a claim."""

    answer: Literal["carries", "does-not-carry", "contradicts"]
    step: Ordinal | None = None
    quote: str = ""


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema that an answer is constrained to: every field required, no others.

    Bounds of lengths are left out, since servers differ in which they take.
    """
    document = model.model_json_schema()
    for part in (document, *document.get("$defs", {}).values()):
        part["properties"].pop("malformed", None)
        part["required"] = list(part["properties"])
        part["additionalProperties"] = False
        part.pop("description", None)
        for field in part["properties"].values():
            field.pop("default", None)
            field.pop("title", None)
    return document


def read_reading(text: str) -> Reading | None:
    """Return the answer to a part of a log, without the items that are broken or cut off; None if there is none."""
    document, whole = _document(text)
    if document is None:
        return None
    items = document.get("hypotheses")
    if not isinstance(items, list):
        return None
    found = [_validated(Found, _item(item)) for item in items]
    symptom = document.get("symptom")
    return Reading(
        symptom=_validated(Symptom, symptom) if isinstance(symptom, Mapping) else None,
        hypotheses=tuple(f for f in found if f is not None),
        malformed=sum(f is None for f in found) + (not whole),
    )


def read_opinion(text: str) -> Opinion | None:
    """Return the answer to a check; None if there is none."""
    document, _ = _document(text)
    return None if document is None else _validated(Opinion, document)


M = TypeVar("M", bound=BaseModel)


def _validated(model: type[M], value: object) -> M | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None


def _item(item: object) -> object:
    """Return an item with the evidence of it that can be read."""
    if not isinstance(item, Mapping) or not isinstance(item.get("evidence"), list):
        return item
    return {**item, "evidence": [e for e in item["evidence"] if _validated(Cited, e) is not None]}


def _document(text: str) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the JSON object in `text`, and whether it was whole."""
    bare = _THOUGHT.sub("", text)
    for candidate in (bare, *_FENCE.findall(bare)):
        start = candidate.find("{")
        if start < 0:
            continue
        try:
            value, _ = _DECODER.raw_decode(candidate, start)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value, True
    return _salvaged(bare), False


def _salvaged(text: str) -> Mapping[str, Any] | None:
    """Return the whole items of a list of hypotheses that breaks off."""
    match = re.search(r'"hypotheses"\s*:\s*\[', text)
    return None if match is None else {"hypotheses": list(_items(text, match.end()))}


def _items(text: str, at: int) -> Iterator[object]:
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = _DECODER.raw_decode(text, at)
        except ValueError:
            return
        yield value
