"""The report for programs: a versioned contract, complete (every message, every step, whole)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from pydantic import BaseModel

from sessions import times
from sessions.ingest.display import clean
from sessions.models.replay import Standing
from sessions.reports.collect import ReportData
from sessions.reports.fleet import matrix
from sessions.store.rows import ProbeRow, RunRow

SCHEMA = 1
"""Raised when a field changes its meaning or goes; new fields do not raise it."""

WEIGHT: tuple[Standing, ...] = ("contradicted", "undetermined", "holds-with-drift", "holds", "not-applicable")
"""Of several standings of one step the first of these stands for all."""

_TIMES = frozenset({"time", "started", "ended", "finished"})


def render(data: ReportData) -> str:
    """Return the JSON document, with a line break at its end. Times are ISO 8601 in UTC."""
    document = {
        "schema": SCHEMA,
        "session": dataclasses.asdict(data.session),
        "messages": data.messages,
        "steps": data.steps,
        "hypotheses": data.tree.hypotheses,
        "candidates": data.tree.candidates,
        "note": data.tree.note,
        "runs": [_run(run) for run in data.runs],
        "fleet": found.describe() if (found := matrix(data.runs)) else None,
        "probes": [_probe(row) for row in data.probes],
    }
    return orjson.dumps(_plain(document), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def weightiest(standings: Sequence[Standing]) -> Standing | None:
    """Return the one of `standings` that stands for all of them; None where there is none."""
    return min(standings, key=WEIGHT.index, default=None)


def _run(run: RunRow) -> dict[str, object]:
    return {**{field.name: getattr(run, field.name) for field in dataclasses.fields(run)}, "steps": _run_steps(run)}


def _probe(row: ProbeRow) -> dict[str, object]:
    return {"number": row.number, "hypothesis": row.hypothesis, **row.report.model_dump()}


def _run_steps(run: RunRow) -> list[dict[str, object]]:
    return [
        {
            **step.model_dump(warnings=False),
            "standing": weightiest([each.standing for each in run.standings if each.step == step.step]),
        }
        for step in run.steps
    ]


def _plain(value: Any, name: str = "") -> Any:
    """Return `value` as JSON has it: models as objects, texts cleaned once more, times in UTC."""
    if isinstance(value, BaseModel):
        value = value.model_dump(warnings=False)  # readers do not validate again what the store holds
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(each, str(key)) for key, each in value.items()}
    if isinstance(value, str):
        return (times.iso(times.parse(value)) or clean(value)) if name in _TIMES else clean(value)
    if isinstance(value, Sequence):
        return [_plain(each) for each in value]
    return value
