"""Rows of `runs` and `run_steps`."""

from typing import Any

from sessions.models.replay import (
    EvidenceStanding,
    HypothesisStanding,
    PlannedStep,
    RunStep,
    TokenDifference,
)
from sessions.store.rows import RunRow
from sessions.store.tables.blobs import Output
from sessions.store.tables.packing import pack, pack_models, unpack

COLUMNS = "number, session, target, started, finished, fingerprint, plan, standings, worths"
STEP_COLUMNS = (
    "run, step, outcome, comparison, rules, tokens, exit_code, sent, reasons, started, duration, detail, blob, output"
)
REPLACE_STEP = f"INSERT OR REPLACE INTO run_steps ({STEP_COLUMNS}) VALUES ({', '.join('?' * 14)})"  # noqa: S608 (names from above)

Row = tuple[Any, ...]


def to_row(run: int, step: RunStep, output: Output) -> Row:
    """Return the row of one step of a run."""
    return (
        run,
        step.step,
        step.outcome,
        step.comparison,
        pack(step.rules),
        pack_models(step.tokens),
        step.exit_code,
        step.sent,
        pack(step.reasons),
        step.started,
        step.duration,
        step.detail,
        output.blob,
        output.inline,
    )


def step_from_row(row: Row, output: str) -> RunStep:
    """Return one step of a run with its whole `output`, not validated again."""
    fields = dict(zip(_STEP_NAMES, row, strict=True))
    for name in ("run", "blob"):
        del fields[name]
    fields["rules"] = tuple(unpack(fields["rules"]))
    fields["reasons"] = tuple(unpack(fields["reasons"]))
    fields["tokens"] = tuple(TokenDifference.model_construct(**each) for each in unpack(fields["tokens"]))
    fields["output"] = output
    return RunStep.model_construct(**fields)


def from_row(row: Row, steps: tuple[RunStep, ...]) -> RunRow:
    """Return a run with its steps."""
    number, session, target, started, finished, fingerprint, plan, standings, worths = row
    return RunRow(
        number=number,
        session=session,
        target=target,
        started=started,
        finished=finished,
        fingerprint=unpack(fingerprint),
        plan=tuple(PlannedStep.model_validate(each) for each in unpack(plan)),
        steps=steps,
        standings=tuple(EvidenceStanding.model_construct(**each) for each in unpack(standings)),
        worths=tuple(HypothesisStanding.model_construct(**each) for each in unpack(worths)),
    )


_STEP_NAMES = tuple(name.strip() for name in STEP_COLUMNS.split(","))
