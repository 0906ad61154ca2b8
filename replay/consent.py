"""A person's consent to steps that the policy asks about: for exactly these, on one plan, by name and time.

    plan = grant(plan, {3, 7}, who="ops")

What the policy refuses cannot be consented to.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sessions import times
from sessions.errors import BadInput, UsageProblem
from sessions.models.replay import Consent, Plan, PlannedStep, Scratch

Call = tuple[int, str | None]
"""A step and all that a consent to it covers: the same on every target whose plan says the same of it."""


class Given(NamedTuple):
    """What a consent file says of a step: the command line, and what else a plan showed of it."""

    sent: str
    scratch: Scratch | None = None
    cwd: str | None = None
    whole: bool = False
    """It is a step of a printed plan, which says all."""


def asked(plan: Plan) -> tuple[PlannedStep, ...]:
    """Return the steps of a plan that run only with a person's consent."""
    return tuple(step for step in plan.steps if step.decision == "ask")


def grant(plan: Plan, steps: Collection[int], who: str) -> Plan:
    """Return the plan with `who`'s consent to the steps with the ordinals `steps`, given now.

    Raises UsageProblem for a step that the plan does not ask about: what is refused stays refused.
    """
    consent = Consent(who=who, when=times.now())
    planned = {step.step: step for step in plan.steps}
    for number in sorted(steps):
        step = planned.get(number)
        if step is None or step.decision != "ask":
            raise UsageProblem(f"Step {number} cannot be consented to: {why_not(step)}.", hint=_hint(step))
    return plan.model_copy(
        update={
            "steps": tuple(
                step.model_copy(update={"consent": consent}) if step.step in steps else step for step in plan.steps
            )
        }
    )


def agree(plan: Plan, calls: Collection[Call], who: str) -> Plan:
    """Return the plan with `who`'s consent, given now, to those of its steps that it asks about and `calls` has."""
    return grant(plan, [step.step for step in asked(plan) if call(step) in calls], who)


def call(step: PlannedStep) -> Call:
    """Return a step and all that a consent to it covers."""
    return step.step, step.covered


def why_not(step: PlannedStep | None) -> str:
    """Return why a step of a plan cannot be consented to that it does not ask about; None: it is not in the plan."""
    if step is None:
        return "it is not in the plan"
    if step.decision == "run":
        return "it runs without"
    return f"it is refused ({'; '.join(step.reasons) or step.effect})"


def _hint(step: PlannedStep | None) -> str:
    """Return what a person may do about it."""
    option = {"code": "code", "writes": "writes"}.get(step.effect if step else "")
    return f"--allow {option} asks about such steps where they can run in a scratch folder." if option else ""


def load(path: Path) -> Mapping[int, Given]:
    """Return what a consent file consents to: each step with exactly what may be sent.

    The file is the plan as ``replay --dry-run --json`` printed it, or a list of objects with ``step`` and ``sent``,
    which suffice where neither code nor files come with it; of a plan, the steps count that it asks about.
    Raises BadInput.
    """
    try:
        given = json.loads(path.read_text("utf-8"))
        return dict(_entries(given["steps"] if isinstance(given, dict) else given))
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} is no consent.", hint='A list of {"step": 3, "sent": "…"}, or what --dry-run --json printed.'
        ) from error


def _entries(given: list[Mapping[str, object]]) -> Iterator[tuple[int, Given]]:
    for entry in given:
        step, sent, cwd = entry["step"], entry["sent"], entry.get("cwd")
        if entry.get("decision", "ask") != "ask":
            continue
        if not isinstance(step, int) or not isinstance(sent, str) or not isinstance(cwd, str | None):
            raise TypeError(entry)
        scratch = Scratch.model_validate_json(json.dumps(entry["scratch"])) if entry.get("scratch") else None
        yield step, Given(sent, scratch, cwd, {"scratch", "cwd"} <= entry.keys())


def matching(plan: Plan, given: Mapping[int, Given]) -> frozenset[int]:
    """Return the steps of `given` that the plan would send exactly as consented to, with the same code and files.

    Raises UsageProblem for one that would be sent otherwise.
    """
    planned = {step.step: step for step in plan.steps}
    for number, told in given.items():
        if number in planned and not _same(planned[number], told):
            raise UsageProblem(
                f"Step {number} would not be sent as it was consented to.", hint=_otherwise(planned[number], told)
            )
    return frozenset(given) & frozenset(planned)


def _same(step: PlannedStep, told: Given) -> bool:
    if told.whole:
        return (step.sent, step.scratch, step.cwd) == (told.sent, told.scratch, told.cwd)
    return step.sent == told.sent and not _brings(step)


def _brings(step: PlannedStep) -> bool:
    """Tell whether more comes with a step than its command line shows."""
    return step.scratch is not None and bool(step.scratch.script or step.scratch.files)


def _otherwise(step: PlannedStep, told: Given) -> str:
    if step.sent != told.sent:
        return f"It would be: {step.sent}"
    return "Its folder, its code or its files are not what was consented to: print the plan with --dry-run --json."
