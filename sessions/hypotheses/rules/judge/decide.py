"""How a suspicion ended: what messages say of it, what outputs show, and what carries the verdict."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.ground import Claim, ground, speaks_against
from sessions.hypotheses.rules.judge.link import LONGEST_QUOTE, first_line
from sessions.hypotheses.rules.judge.marks import Mark
from sessions.hypotheses.rules.judge.record import Record, is_fix, names, names_no_cause
from sessions.hypotheses.rules.judge.stance import Said
from sessions.hypotheses.rules.text.annotate import Note, figures, terms
from sessions.models.hypothesis import Evidence, Support, Turn, Verdict
from sessions.models.session import Step

_BEFORE = 3
"""Messages before a statement whose outputs can carry what its own message concludes."""

_REACH = 8
"""Messages back to which a conclusion draws on outputs."""

_DRAWN = 4_000
"""Characters of an output in which a message that draws on it is looked for."""

_UNTIL = 20
"""Messages after its last mention within which a run can settle a suspicion by itself."""

_SCRIPT = 400
"""Characters from which a command is a script that may name anything: its passes count where their lines name it."""

_CHANGES = re.compile(r"\bgit (?:commit|apply|checkout|stash)\b|\bsed -i|\.write_text\(|\b(?:pip|npm) install\b")
"""Shell commands after which a run is no test of what was suspected before."""

_RECENT = 4
"""Messages at the end of a log in which what is raised stays open."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict of one suspicion and where it comes from."""

    verdict: Verdict
    support: Support
    message: int | None
    turns: tuple[Turn, ...]
    evidence: tuple[Evidence, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that speaks on the verdict, at a message."""

    message: int
    order: int
    verdict: Verdict
    quote: str
    rule: str
    support: Support
    evidence: tuple[Evidence, ...]


def decide(record: Record, suspicion: Suspicion) -> Decision:
    """Return the decision; what neither a message nor an output settles is abandoned, or open at the end of the log."""
    said = list(_said(record, suspicion))
    shown = list(_shown(record, suspicion, said))
    proven = [e for e in _proven(record, suspicion) if not _is_given_up(suspicion, said, e.message)]
    events = sorted((*said, *shown, *proven), key=lambda e: (e.message, e.order))
    final = _final(events)
    if final is None:
        return _undecided(record, suspicion)
    return Decision(
        verdict=final.verdict,
        support=final.support,
        message=final.message,
        turns=tuple(_turns(events)),
        evidence=final.evidence,
        rules=tuple(dict.fromkeys(e.rule for e in events)),
    )


def _final(events: Sequence[_Event]) -> _Event | None:
    """Return the last verdict that output carries, from where it first fell and with all evidence; else the last."""
    grounded = [e for e in events if e.support == "grounded"]
    if not grounded:
        return events[-1] if events else None
    same = [e for e in grounded if e.verdict == grounded[-1].verdict]
    merged = {piece.step: piece for e in same for piece in e.evidence}
    return replace(same[0], evidence=tuple(merged.values()))


def _turns(events: Sequence[_Event]) -> Iterator[Turn]:
    before: Verdict | None = None
    for event in events:
        if event.verdict != before:
            yield Turn(
                message=event.message, verdict=event.verdict, quote=event.quote[:LONGEST_QUOTE], source=event.rule
            )
        before = event.verdict


def _undecided(record: Record, suspicion: Suspicion) -> Decision:
    """Return what follows from what was done about a suspicion on which nobody concludes anything.

    Acted on and followed by a run that passes: confirmed, by no more than that. Acted on: open. A guess that was looked
    into, before something else was: refuted, or it would have been taken up. Near the end of the log: open.
    """
    acted = [s for s in record.fixes if record.mended.get(s.ordinal) == suspicion.key]
    passed = None if names_no_cause(suspicion) else _passed(record, acted)
    if passed is not None:
        line = next((mark.line for mark in record.marks(passed) if mark.showing == "passes"), "")
        return _followed("confirmed", min((passed.message or 0) + 1, record.last), line, "rule:passes-since")
    if acted or max(suspicion.places) > record.last - _RECENT:
        return Decision("open", "claimed", None, (), (), ())
    other = next((s for s in record.suspicions if s.message > max(suspicion.places)), None)
    if other is not None and is_guess(suspicion) and _is_looked_into(record, suspicion):
        return _followed("refuted", other.message, other.part, "rule:left")
    return Decision("abandoned", "claimed", None, (), (), ())


def _followed(verdict: Verdict, message: int, quote: str, rule: str) -> Decision:
    turn = Turn(message=message, verdict=verdict, quote=quote[:LONGEST_QUOTE], source=rule)
    return Decision(verdict, "claimed", message, (turn,), (), (rule,))


def _passed(record: Record, acted: Sequence[Step]) -> Step | None:
    """Return the first run that passes after a change."""
    if not acted:
        return None
    since = (t.step for t in record.trials if t.step.ordinal > acted[0].ordinal and t.outcome == "passes")
    return next((step for step in since if any(mark.showing == "passes" for mark in record.marks(step))), None)


def is_guess(suspicion: Suspicion) -> bool:
    """Return whether the agent puts a suspicion forward as one, and not as a finding."""
    first = suspicion.mentions[0].note
    rules = (*first.rules, *suspicion.best.rules)
    return first.sentence.role == "agent" and any(row.family in _GUESSES for row in rules)


_GUESSES = frozenset({"hedge", "question", "plan"})


def _is_looked_into(record: Record, suspicion: Suspicion) -> bool:
    """Whether it was checked: the agent says that it checks whether, or the next steps name it."""
    if any(row.family == "question" for row in suspicion.best.rules):
        return True
    steps = record.between(suspicion.message, suspicion.message + _BEFORE)
    return any(
        record.rarity.coverage(suspicion.core, record.command_terms(s) | record.output_terms(s)) >= _LOOKED
        for s in steps
        if s.kind in _LOOKS
    )


_LOOKS = frozenset({"shell", "read", "search", "agent"})
_LOOKED = 0.3
"""Share of its terms that a step names which looks into it."""


def _said(record: Record, suspicion: Suspicion) -> Iterator[_Event]:
    """Yield what messages conclude of a suspicion."""
    for note, said in record.concluded.get(suspicion.key, ()):
        yield _conclude(record, suspicion, note, said)


def _conclude(record: Record, suspicion: Suspicion, note: Note, said: Said) -> _Event:
    verdict = said.verdict
    sentence = note.sentence
    paragraph = " ".join(
        n.sentence.text for n in record.by_message[sentence.message] if n.sentence.block == sentence.block
    )
    claim = Claim(verdict, said.rule, note, paragraph, tuple(_fresh(record, suspicion, sentence.message)))
    evidence = ground(record, suspicion, claim) if verdict != "abandoned" else ()
    support: Support = "grounded" if evidence else "claimed"
    if (said.rule == "rule:fixed" or verdict == "refuted") and not evidence and speaks_against(record, claim):
        support = "contradicted"
    return _Event(sentence.message, sentence.number, verdict, sentence.text, said.rule, support, evidence)


def _fresh(record: Record, suspicion: Suspicion, message: int) -> Iterator[Step]:
    """Yield the steps since the statement whose outputs no message in between has already drawn on."""
    start = max(suspicion.message, message - _REACH) if message > suspicion.message else suspicion.message - _BEFORE
    drawn = {
        m: frozenset().union(*(figures(n.sentence.text) for n in record.by_message.get(m, ())))
        for m in range(start + 1, message)
    }
    for step in record.between(start, message):
        later = [drawn[m] for m in range((step.message or 0) + 1, message) if drawn[m]]
        shown = figures(step.output[:_DRAWN]) if later else frozenset()
        if not any(figures_ & shown for figures_ in later):
            yield step


def _shown(record: Record, suspicion: Suspicion, said: Sequence[_Event]) -> Iterator[_Event]:
    """Yield what comparisons show by themselves: one that agrees, on what is suspected, refutes a suspected defect."""
    last = min(max(suspicion.places) + _UNTIL, record.last + 1)
    end = min((e.message for e in said if e.verdict == "confirmed"), default=last)
    edited = False
    for step in record.between(suspicion.message, end):
        edited = edited or is_fix(step) or bool(_CHANGES.search(step.command))
        marks = record.marks(step) if step.kind == "shell" and not edited else ()
        mark = next((m for m in marks if _settles(record, suspicion, step, m)), None)
        if mark is None or any(m.showing in {"differs", "fails", "lacks"} for m in marks):
            continue
        piece = Evidence(
            step=step.ordinal, stance="refutes", quote=mark.line[:LONGEST_QUOTE], deciding=True, source=mark.rule
        )
        message = min((step.message or 0) + 1, record.last)
        yield _Event(message, -1, "refuted", mark.line, mark.rule, "grounded", (piece,))


def _proven(record: Record, suspicion: Suspicion) -> Iterator[_Event]:
    """Yield what runs prove: see `proofs`. What only says what is being done names no cause that could be proven."""
    if names_no_cause(suspicion):
        return
    for proof in record.proofs:
        if proof.key == suspicion.key:
            step = proof.step
            line = (proof.line or first_line(step.output) or first_line(step.command))[:LONGEST_QUOTE]
            piece = Evidence(step=step.ordinal, stance="supports", quote=line, deciding=True, source=proof.rule)
            message = min(proof.message + 1, record.last)
            yield _Event(message, -1, "confirmed", line, proof.rule, "grounded", (piece,))


def _is_given_up(suspicion: Suspicion, said: Sequence[_Event], message: int) -> bool:
    """Whether a suspicion was refuted before a message and not mentioned between."""
    last = max((e.message for e in said if e.verdict == "refuted" and e.message <= message), default=None)
    return last is not None and not any(last < place <= message for place in suspicion.places)


def _settles(record: Record, suspicion: Suspicion, step: Step, mark: Mark) -> bool:
    """Whether what a mark shows is about a suspicion: it is named, or nothing else is and it is in focus."""
    asked = frozenset() if mark.showing == "passes" and len(step.command) > _SCRIPT else record.command_terms(step)
    words = asked | terms(mark.line) | terms(mark.above)
    named = names(record, suspicion, words)
    if named or mark.showing != "agrees" or mark.rule == "rule:identical":
        return named and mark.showing in {"agrees", "passes"}
    if step.message is None or record.held[step.message] is not suspicion:
        return False
    return not any(names(record, other, words) for other in record.suspicions if other.message <= step.message)
