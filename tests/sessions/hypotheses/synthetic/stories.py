"""What sessions are told of and in which words: two halves, each with its own stories and phrases."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HALVES = ("open", "closed")
"""Whoever works on the rules reads the first; the second measures them on words nobody tuned them to."""

_FOLDER = Path(__file__).parent
_SLOTS = ("claim", "topic", "flat", "fine", "shown", "sym", "healed")


@dataclass(frozen=True)
class Cause:
    """A possible cause: how it is named, what a check of it prints if it is none (`good`) and if it is one (`bad`)."""

    id: str
    topic: str
    claim: str
    flat: str
    terms: tuple[str, ...]
    look: str
    good: str
    fine: str
    bad: str
    shown: str
    under: str | None = None


@dataclass(frozen=True)
class Story:
    """A symptom, its possible causes, and the check that shows whether it is still there."""

    domain: str
    symptom: str
    sym: str
    check: str
    broken: str
    works: str
    healed: str
    edit: str
    causes: tuple[Cause, ...]


Phrases = Mapping[str, Sequence[str]]


@cache
def stories(half: str) -> tuple[Story, ...]:
    """Return the stories of a half."""
    return tuple(_story(each) for each in _load(f"stories_{half}.toml")["story"])


@cache
def phrases(half: str) -> Phrases:
    """Return the phrases of a half, by what they are for."""
    return _load(f"phrases_{half}.toml")


def fill(phrase: str, story: Story, cause: Cause | None = None) -> str:
    """Return a phrase with its slots filled; a slot with a capital letter begins with one."""
    known = {**vars(story), **(vars(cause) if cause else {})}
    values = {name: str(known.get(name, "")) for name in _SLOTS}
    values |= {name.capitalize(): value[:1].upper() + value[1:] for name, value in values.items()}
    return phrase.format_map(values)


def _story(fields: dict[str, Any]) -> Story:
    causes = tuple(Cause(**{**each, "terms": tuple(each["terms"])}) for each in fields.pop("cause"))
    return Story(**fields, causes=causes)


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text())
