"""Events folded into sessions: numbered, paired, summed, validated."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sessions import times
from sessions.ingest import figures
from sessions.ingest.display import line
from sessions.ingest.events import About, Called, Count, Event, Returned, Said, Used
from sessions.ingest.ledger import Ledger
from sessions.ingest.registry import format_named
from sessions.ingest.source import Source
from sessions.models.session import TOKEN_KINDS, Message, Session, Tally, Tokens

_LONGEST_TITLE = 100
_LONGEST_TYPE = 60


@dataclass(slots=True)
class _Draft:
    """One session while its events come in."""

    about: About
    messages: list[Message] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    used: dict[str, Used] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    """Of each answer the number of the last message when it ended, -1 where there was none."""
    first: float | None = None
    last: float | None = None

    def take(self, event: Event) -> None:
        """Fold one event in."""
        match event:
            case About():
                self.about = _merge(self.about, event)
            case Said():
                self._say(event)
            case Called():
                self.ledger.enter(event, len(self.messages) - 1 if self.messages else None)
            case Returned():
                self.ledger.settle(event)
            case Used():
                self.used[event.answer] = event
                self.answered[event.answer] = len(self.messages) - 1
        if isinstance(event, Said | Called | Returned) and event.time is not None:
            self.first = event.time if self.first is None else min(self.first, event.time)
            self.last = event.time if self.last is None else max(self.last, event.time)

    def _say(self, said: Said) -> None:
        if not said.text.strip():
            return
        self.messages.append(
            Message(
                ordinal=len(self.messages),
                role=said.role,
                kind=said.kind,
                text=said.text,
                time=times.iso(said.time),
                injected=said.injected,
                abandoned=said.abandoned,
                span=said.span,
            )
        )

    def title(self) -> str:
        """The log's title, else the first line that a person wrote."""
        asked = (each.text for each in self.messages if each.role == "user" and not each.injected)
        return line((self.about.title or next(asked, "")).strip().partition("\n")[0], _LONGEST_TITLE)

    def tokens(self) -> Tokens:
        """The tokens of all answers, each once."""
        return _sum(self.used.values())

    def told(self) -> tuple[Message, ...]:
        """The messages, each with the tokens of the answers that ended at it."""
        answers: dict[int, list[Used]] = {}
        for name, place in self.answered.items():
            answers.setdefault(place, []).append(self.used[name])
        return tuple(
            each.model_copy(update={"tokens": _sum(answers[each.ordinal])}) if each.ordinal in answers else each
            for each in self.messages
        )


def _sum(answers: Iterable[Used]) -> Tokens:
    several = tuple(answers)
    costs = [cost for used in several if (cost := figures.amount(used.cost)) is not None]
    sums = {name: sum(figures.count(getattr(used, name)) for used in several) for name in TOKEN_KINDS}
    kept = {name: figures.count(total) for name, total in sums.items()}
    return Tokens(**kept, cost=sum(costs) if costs else None)


def build(events: Iterable[Event], source: Source, count: Count) -> list[Session]:
    """Return the sessions that `events` tell of, in the order of their first event; empty ones are left out.

    `count` must be the one that the reader of `events` fills: it is complete once they have all come.
    """
    drafts: dict[str, _Draft] = {}
    latest = ""
    for event in events:
        latest = event.session
        draft = drafts.get(latest)
        if draft is None:
            draft = drafts[latest] = _Draft(About(latest))
        draft.take(event)
    return [
        _finish(draft, source, count, live=count.live and draft.about.session == latest)
        for draft in drafts.values()
        if draft.messages or draft.ledger.calls
    ]


def tally(count: Count, sessions: Iterable[Session]) -> Tally:
    """Return the account of a source with these sessions."""
    return _tally(count, sum(step.status == "no-result" for session in sessions for step in session.steps))


def _finish(draft: _Draft, source: Source, count: Count, *, live: bool) -> Session:
    about = draft.about
    steps = tuple(call.step() for call in draft.ledger.calls)
    for _ in range(draft.ledger.orphans()):
        count.meet_unknown("result without call")
    return Session(
        id=about.session,
        format=source.format,
        agent=format_named(source.format).agent,
        agent_version=about.agent_version,
        title=draft.title(),
        model=about.model,
        cwd=about.cwd,
        started=times.iso(draft.first if about.started is None else about.started),
        ended=times.iso(draft.last if about.ended is None else about.ended),
        parent=about.parent,
        live=live,
        reconstructed=about.reconstructed,
        source=source.name,
        tokens=draft.tokens(),
        tally=_tally(count, sum(step.status == "no-result" for step in steps)),
        messages=draft.told(),
        steps=steps,
    )


def _tally(count: Count, calls_without_result: int) -> Tally:
    return Tally(
        read=count.read,
        repaired=count.repaired,
        skipped=count.skipped,
        unknown=count.unknown,
        unknown_types=_shown(count.unknown_types),
        calls_without_result=calls_without_result,
    )


def _shown(types: Mapping[str, int]) -> dict[str, int]:
    """The log's own names of record types as they may be stored; those that look alike then count together."""
    shown: dict[str, int] = {}
    for name, number in sorted(types.items()):
        kept = line(name, _LONGEST_TYPE)
        shown[kept] = shown.get(kept, 0) + number
    return shown


def _merge(old: About, new: About) -> About:
    """Fill in what was not known; a later title and a later end replace the earlier."""
    return replace(
        old,
        agent_version=old.agent_version or new.agent_version,
        title=new.title or old.title,
        model=old.model or new.model,
        cwd=old.cwd or new.cwd,
        started=new.started if old.started is None else old.started,
        ended=old.ended if new.ended is None else new.ended,
        parent=old.parent or new.parent,
        reconstructed=old.reconstructed or new.reconstructed,
    )
