"""What runs prove without a word: one that failed passes after a change to what is suspected."""

import re
from collections.abc import Iterator, Sequence

from sessions.hypotheses.rules.judge.marks import Mark
from sessions.hypotheses.rules.judge.mend import changed
from sessions.hypotheses.rules.judge.record import Proof, Record
from sessions.hypotheses.rules.judge.trials import Trial
from sessions.hypotheses.rules.text.annotate import terms
from sessions.models.session import Step

_NAME = re.compile(r"(?<![/\w])[A-Za-z_]\w{9,}(?![\w.])")
_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|spec|specs)(?:[/_.-]|$)|_test\.|\.test\.|\bconftest\b", re.IGNORECASE)


def proofs(record: Record) -> Iterator[Proof]:
    """Yield what the runs of a session prove, in their order."""
    for number, trial in enumerate(record.trials):
        if trial.outcome != "passes":
            continue
        failed = _failed(record.trials[:number], trial)
        since = failed.step.ordinal if failed is not None else -1
        edits = [s for s in record.fixes if since < s.ordinal < trial.step.ordinal]
        line = _line(record.marks(trial.step))
        for key in dict.fromkeys(record.mended[s.ordinal] for s in edits if s.ordinal in record.mended):
            if failed is not None and _is_of(record, key, failed):
                yield Proof(key, trial.step, line, "rule:pass-after-fail")
        yield from _named(record, trial)


def _failed(before: Sequence[Trial], trial: Trial) -> Trial | None:
    """Return the last run like `trial`, if it failed."""
    like = next((t for t in reversed(before) if t.outcome and t.call.is_like(trial.call)), None)
    return like if like is not None and like.outcome == "fails" else None


def _is_of(record: Record, key: str, failed: Trial) -> bool:
    """Whether a failure is one that a suspicion was raised to explain: raised after it, or named by it."""
    suspicion = next(s for s in record.suspicions if s.key == key)
    if suspicion.message >= (failed.step.message or 0):
        return True
    lines = (m.line for m in record.marks(failed.step) if m.showing == "fails")
    return any(len(terms(line) & suspicion.entities) >= _SHARED for line in lines)


_SHARED = 2


def _named(record: Record, trial: Trial) -> Iterator[Proof]:
    """Yield what is proven by a test that passes and that an edit for a suspicion put there, beside a fix for it."""
    passing = [m for m in record.marks(trial.step) if m.showing == "passes"]
    names = {name: mark for mark in reversed(passing) for name in _NAME.findall(mark.line)}
    before = [s for s in record.fixes if s.ordinal < trial.step.ordinal and s.ordinal in record.mended]
    for key in dict.fromkeys(record.mended[s.ordinal] for s in before):
        own = [s for s in before if record.mended[s.ordinal] == key]
        tests = [s for s in own if _TESTS.search(s.command.split("\n", 1)[0])]
        added = "\n".join(line for s in tests for line in changed(s))
        hit = next((name for name in names if name in added), None)
        if hit is not None and len(tests) < len(own):
            yield Proof(key, trial.step, names[hit].line, "rule:its-test-passes")


def _line(marks: Sequence[Mark]) -> str:
    return next((m.line for m in marks if m.showing == "passes"), "")
