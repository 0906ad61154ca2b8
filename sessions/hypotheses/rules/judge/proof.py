"""What runs prove without a word: one that failed passes after a change to what is suspected."""

import re
from collections.abc import Iterable, Iterator, Sequence

from sessions.hypotheses.rules.judge.link import first_line
from sessions.hypotheses.rules.judge.marks import Mark
from sessions.hypotheses.rules.judge.mend import changed, files
from sessions.hypotheses.rules.judge.record import Proof, Record
from sessions.hypotheses.rules.judge.trials import Trial
from sessions.hypotheses.rules.text.annotate import terms

_NAME = re.compile(r"(?<![/\w])[A-Za-z_]\w{9,}(?![\w.])")
_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|spec|specs)(?:[/_.-]|$)|_test\.|\.test\.|\bconftest\b", re.IGNORECASE)


def proofs(record: Record) -> Iterator[Proof]:
    """Yield what the runs of a session prove, in their order."""
    for number, trial in enumerate(record.trials):
        before = record.trials[:number]
        if trial.outcome == "passes":
            yield from _passes(record, before, trial)
            yield from _named(record, trial)
        if trial.outcome:
            yield from _gone(record, before, trial)
        yield from _toggled(record, before, trial)


def _passes(record: Record, before: Sequence[Trial], trial: Trial) -> Iterator[Proof]:
    """Yield what is proven by a run that passes where the one like it before an edit failed."""
    failed = _failed(before, trial)
    if failed is None:
        return
    for key in _between(record, failed, trial):
        if _is_of(record, key, failed):
            yield Proof(key, trial.step, trial.message, _line(record.marks(trial.step)), "rule:pass-after-fail")


def _between(record: Record, first: Trial, last: Trial) -> Iterable[str]:
    """Return the keys of the suspicions that edits between two runs act on."""
    edits = (s.ordinal for s in record.fixes if first.step.ordinal < s.ordinal <= last.step.ordinal)
    return dict.fromkeys(record.mended[ordinal] for ordinal in edits if ordinal in record.mended)


def _gone(record: Record, before: Sequence[Trial], trial: Trial) -> Iterator[Proof]:
    """Yield what is proven by a line of a failure that names a suspicion and is gone after an edit for it."""
    failed = _failed(before, trial)
    if failed is None or not trial.step.output:
        return
    still = {_DIGITS.sub("", line.strip()) for line in trial.step.output.split("\n")}
    for key in _between(record, failed, trial):
        suspicion = record.suspicion(key)
        for mark in sorted(record.marks(failed.step), key=lambda m: m.showing != "fails"):
            named = mark.showing in _TROUBLE and len(terms(mark.line) & suspicion.entities) >= _SHARED
            if named and _DIGITS.sub("", mark.line) not in still:
                yield Proof(key, failed.step, trial.message, mark.line, "rule:error-gone")
                break


def _toggled(record: Record, before: Sequence[Trial], trial: Trial) -> Iterator[Proof]:
    """Yield what is proven by a switch that alone makes the difference between two runs, and that names a suspicion."""
    other = next((t for t in reversed(before) if t.call.is_like(trial.call)), None)
    if other is None or other.call.things != trial.call.things or not _differ(other, trial):
        return
    if any(other.step.ordinal < s.ordinal < trial.step.ordinal for s in record.fixes):
        return
    words = terms(" ".join(other.call.switches ^ trial.call.switches))
    known = [s for s in record.suspicions if s.message <= trial.message]
    best = max(known, key=lambda s: record.rarity.weigh(words & s.terms), default=None)
    if best is not None and len(words & best.terms) >= _SHARED:
        yield Proof(best.key, trial.step, trial.message, first_line(trial.step.output), "rule:switch")


def _differ(one: Trial, other: Trial) -> bool:
    if one.outcome and other.outcome:
        return one.outcome != other.outcome
    first, second = one.seconds, other.seconds
    return bool(first and second) and max(first, second) >= _TIMES * min(first, second)


_TIMES = 2.0
"""How many times as long one of two runs takes that differ."""

_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_TROUBLE = frozenset({"fails", "lacks", "differs"})


def _failed(before: Sequence[Trial], trial: Trial) -> Trial | None:
    """Return the last run like `trial`, if it failed."""
    like = next((t for t in reversed(before) if t.outcome and t.call.is_like(trial.call)), None)
    return like if like is not None and like.outcome == "fails" else None


def _is_of(record: Record, key: str, failed: Trial) -> bool:
    """Whether a failure is one that a suspicion was raised to explain: raised after it, or named by it."""
    suspicion = record.suspicion(key)
    if suspicion.message > failed.message:
        return True
    lines = (m.line for m in record.marks(failed.step) if m.showing == "fails")
    return any(len(terms(line) & suspicion.entities) >= _SHARED for line in lines)


_SHARED = 2


def _named(record: Record, trial: Trial) -> Iterator[Proof]:
    """Yield what is proven by a test that passes and that an edit for a suspicion put there, beside a fix for it."""
    passing = [m for m in record.marks(trial.step) if m.showing == "passes"]
    names = {name: mark for mark in reversed(passing) for name in _NAME.findall(mark.line) if "test" in name.lower()}
    before = [s for s in record.fixes if s.ordinal < trial.step.ordinal and s.ordinal in record.mended]
    for key in dict.fromkeys(record.mended[s.ordinal] for s in before if names):
        own = [s for s in before if record.mended[s.ordinal] == key]
        added = "\n".join(line for s in own for line in changed(s))
        hit = next((name for name in names if name in added), None)
        if hit is not None and any(not _TESTS.search(file) for s in own for file in files(s)):
            yield Proof(key, trial.step, trial.message, names[hit].line, "rule:its-test-passes")


def _line(marks: Sequence[Mark]) -> str:
    return next((m.line for m in marks if m.showing == "passes"), "")
