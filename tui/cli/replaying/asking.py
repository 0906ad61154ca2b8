"""A person's consent to steps that are not simply reading: asked for one by one, or given beforehand."""

import argparse
import getpass
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from probes.host.layers import CODE_NEEDS
from replay import consent
from replay.fleet import Member
from sessions.errors import UsageProblem
from sessions.models.replay import PlannedStep
from tui.cli import arguments, diagnostics
from tui.cli.replaying.planned import scratch_lines

_CHOICES = {"y": "y", "yes": "y", "n": "n", "no": "n", "": "n", "a": "a", "all": "a", "q": "q", "quit": "q"}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options by which consent is given beforehand."""
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=["code", "writes"],
        help="ask also about steps that run a script of the session (code), or that write into its own files (writes), "
        "in a scratch folder on the target",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=CODE_NEEDS,
        metavar="LAYER",
        help="let code run although this layer is not in force: " + " or ".join(f"'{name}'" for name in CODE_NEEDS),
    )
    parser.add_argument("--consent", metavar="STEPS", help="consent to these steps that the plan asks about: 3,7-9")
    parser.add_argument(
        "--consent-file",
        type=Path,
        metavar="FILE",
        help="consent to the steps of a plan that --dry-run --json printed, if they are still sent word for word",
    )


def consented(args: argparse.Namespace, members: Sequence[Member]) -> Sequence[Member] | None:
    """Return the members with the consent that was given, or is given now; None where the person wants to stop.

    Without a terminal, and with --yes, nobody is asked. Raises UsageProblem for a step that is not asked about.
    """
    granted = [_given(args, member) for member in members]
    _insist(args, granted)
    calls = [(member, step) for member in granted for step in consent.asked(member.plan) if step.consent is None]
    if not calls or args.yes or not diagnostics.interactive():
        return granted
    agreed = _ask(calls)
    if not agreed:
        return None if agreed is None else granted
    who = getpass.getuser()
    return [replace(member, plan=consent.agree(member.plan, agreed, who)) for member in granted]


def _given(args: argparse.Namespace, member: Member) -> Member:
    steps: frozenset[int] = frozenset()
    if args.consent:
        present = {step.step for step in member.plan.steps}
        steps |= frozenset(arguments.numbers(args.consent)) & present
    if args.consent_file:
        steps |= consent.matching(member.plan, consent.load(args.consent_file))
    return replace(member, plan=consent.grant(member.plan, steps, getpass.getuser())) if steps else member


def _insist(args: argparse.Namespace, members: Sequence[Member]) -> None:
    """Raise UsageProblem for a step that was named and is in no plan."""
    named = frozenset(arguments.numbers(args.consent)) if args.consent else frozenset()
    absent = named - {step.step for member in members for step in member.plan.steps}
    if absent:
        raise UsageProblem(f"Step {min(absent)} cannot be consented to: it is not in the plan.")


def _ask(calls: Sequence[tuple[Member, PlannedStep]]) -> frozenset[consent.Call] | None:
    """Ask for each call once, whatever number of targets it would go to."""
    where: dict[consent.Call, list[str]] = {}
    steps: dict[consent.Call, PlannedStep] = {}
    for member, step in calls:
        where.setdefault(consent.call(step), []).append(member.plan.target)
        steps.setdefault(consent.call(step), step)
    agreed: set[consent.Call] = set()
    kinds: set[tuple[str, ...]] = set()
    for call, step in steps.items():
        if step.kind in kinds:
            agreed.add(call)
            continue
        answer = _answer(step, where[call])
        if answer == "q":
            return None
        if answer == "a":
            kinds.add(step.kind)
        if answer in {"y", "a"}:
            agreed.add(call)
    return frozenset(agreed)


def _answer(step: PlannedStep, targets: Sequence[str]) -> str:
    for line in _described(step, targets):
        diagnostics.say(line.replace("\n", "⏎"))  # a word of the log must not look like a line of ours
    while True:
        diagnostics.prompt(f"Run step {step.step}? [y]es, [n]o, [a]ll further ones like it, [q]uit:")
        line = sys.stdin.readline()
        answer = _CHOICES.get(line.strip().lower()) if line else "q"
        if answer is not None:
            return answer


def _described(step: PlannedStep, targets: Sequence[str]) -> Iterator[str]:
    several: Mapping[bool, str] = {True: f"{len(targets)} targets", False: targets[0]}
    yield f"Step {step.step} is asked about ({step.effect}); on {several[len(targets) > 1]} it sends:"
    yield from (f"    {line}" for line in (step.sent or "").split("\n"))
    if step.cwd is not None:
        yield f"  in {step.cwd}"
    yield from (f"  {reason}" for reason in step.reasons)
    yield from (f"  {line}" for line in scratch_lines(step))
