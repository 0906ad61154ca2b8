"""A session with a known tree, made of a story, phrases and noise; the same for the same half and number."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sessions.hypotheses.gold import Annotation, Quoted, Suspected
from sessions.models.hypothesis import Verdict
from tests.sessions.hypotheses.synthetic.noise import around, noise
from tests.sessions.hypotheses.synthetic.parts import Part, Ran, Say
from tests.sessions.hypotheses.synthetic.stories import Cause, Phrases, Story, fill, phrases, stories

_LOST = ("cat: /var/log/app/trace.0: Permission denied\n", "timed out after 30 s\n", "(no samples in this window)\n")


@dataclass
class _Suspect:
    """A cause on its way through a session."""

    cause: Cause
    verdict: Verdict
    wavers: bool = False
    """It is refuted by a poor test before it is confirmed."""
    stated: str = ""
    decided: str | None = None
    evidence: list[Quoted] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """A session and the tree that it was made from."""

    name: str
    parts: tuple[Part, ...]
    annotation: Annotation


def weave(half: str, number: int) -> Case:
    """Return session `number` of a half."""
    rng = random.Random(f"{half} {number}")  # noqa: S311 - made up, the same every time
    told = rng.sample(stories(half), 2 if rng.random() < 0.1 else 1)
    episodes = [_Episode(rng, story, phrases(half)) for story in told]
    parts = [part for episode in episodes for part in episode.tell()]
    held = [one for number, each in enumerate(episodes) for one in each.annotate(number)]
    name = f"{half}-{number:03}"
    return Case(name, tuple(parts), Annotation(log=name, symptom=told[0].symptom, hypotheses=tuple(held)))


@dataclass
class _Episode:
    """One symptom: its suspects, in the order in which they come up, and the telling of it."""

    rng: random.Random
    story: Story
    words: Phrases
    suspects: list[_Suspect] = field(init=False)
    solved: bool = field(init=False)

    def __post_init__(self) -> None:
        chosen = self.rng.sample(self.story.causes, self.rng.randint(2, len(self.story.causes)))
        chosen = [c for c in chosen if not c.under] + [c for c in chosen if c.under]
        self.solved = self.rng.random() < 0.85
        culprit = self.rng.choice(chosen) if self.solved else None
        guilty = {culprit.id, culprit.under} if culprit else set()
        innocent = [_Suspect(c, self._fate()) for c in chosen if c.id not in guilty]
        self.suspects = innocent + [_Suspect(c, "confirmed") for c in chosen if c.id in guilty]
        if self.solved:
            self.suspects[-1].wavers = self.rng.random() < 0.15
        elif self.suspects:
            self.suspects[-1].verdict = "open"

    def tell(self) -> Iterator[Part]:
        """Yield the session, part by part."""
        yield Say(self.story.symptom, role="user")
        yield from self._noise()
        if self.rng.random() < 0.6:
            yield Ran(self.story.check, self.story.broken + "\n", 1)
        waiting = list(self.suspects)
        if len(waiting) > 2 and self.rng.random() < 0.35:
            yield self._list(waiting[: self.rng.randint(2, 4)])
        while waiting:
            group = [waiting.pop(0) for _ in range(min(len(waiting), self.rng.choice((1, 1, 1, 2, 3))))]
            yield from self._try(group)
            yield from self._noise()
        yield from self._end()

    def annotate(self, number: int) -> Iterator[Suspected]:
        """Yield the tree; to be called when all is told."""
        names = {each.cause.id: f"h{number}-{each.cause.id}" for each in self.suspects}
        for each in self.suspects:
            cause = each.cause
            yield Suspected(
                id=names[cause.id],
                parent=names.get(cause.under or ""),
                statement=fill("{Claim}.", self.story, cause),
                terms=cause.terms,
                stated_quote=each.stated,
                verdict=each.verdict,
                decided_quote=each.decided,
                evidence=tuple(each.evidence),
            )

    def _fate(self) -> Verdict:
        return "refuted" if self.rng.random() < 0.75 else "abandoned"

    def _say(self, kind: str, cause: Cause | None = None) -> str:
        return fill(self.rng.choice(self.words[kind]), self.story, cause)

    def _noise(self) -> list[Part]:
        return noise(self.rng, self.words) if self.rng.random() < 0.45 else []

    def _list(self, suspects: Sequence[_Suspect]) -> Say:
        lines = [self._say("listed", each.cause) for each in suspects]
        for each, line in zip(suspects, lines, strict=True):
            each.stated = line
        marks = self.rng.choice((("-",) * 9, ("*",) * 9, tuple(f"{n}." for n in range(1, 10))))
        items = "\n".join(f"{mark} {line}" for mark, line in zip(marks, lines, strict=False))
        return Say(f"{self._say('lead')}\n\n{items}")

    def _try(self, group: Sequence[_Suspect]) -> Iterator[Part]:
        """State what is not stated yet, test all of them, then decide one after the other."""
        for each in group:
            yield from self._state(each)
        for each in self._shuffled(group):
            yield from self._test(each)
        decided = [say for each in self._shuffled(group) if (say := self._decide(each))]
        yield from _joined(decided) if len(decided) > 1 and self.rng.random() < 0.4 else decided

    def _state(self, suspect: _Suspect) -> Iterator[Part]:
        if suspect.stated:
            if self.rng.random() < 0.5:
                yield Say(self._say("turning", suspect.cause))
        elif self.rng.random() < 0.1:
            suspect.stated = self._say("asking", suspect.cause)
            yield Say(suspect.stated, role="user")
        else:
            suspect.stated = self._say("stating", suspect.cause)
            tail = self.rng.choice(("", "", f" {self.rng.choice(self.words['plans'])}"))
            yield Say(suspect.stated + tail, kind=self.rng.choice(("text", "text", "text", "reasoning")))

    def _test(self, suspect: _Suspect) -> Iterator[Part]:
        cause = suspect.cause
        if suspect.verdict in {"abandoned", "open"}:
            if self.rng.random() < 0.6:
                yield Ran(cause.look, self.rng.choice(_LOST), self.rng.choice((0, 1)))
        elif suspect.verdict == "refuted":
            yield Ran(cause.look, around(self.rng, cause.good))
            suspect.evidence.append(Quoted(quote=cause.good, stance="refutes"))
        elif suspect.wavers:
            yield Ran(cause.look, around(self.rng, cause.good))
            yield Say(self._say("refuting", cause))
            yield from self._noise()
            yield Say(self._say("reopening", cause))
            yield from self._convict(suspect, f"RETRY=1 {cause.look}")
            suspect.evidence.append(Quoted(quote=cause.good, stance="refutes"))
        else:
            yield from self._convict(suspect, cause.look)

    def _convict(self, suspect: _Suspect, command: str) -> Iterator[Part]:
        yield Ran(command, around(self.rng, suspect.cause.bad))
        suspect.evidence.append(Quoted(quote=suspect.cause.bad, stance="supports"))

    def _decide(self, suspect: _Suspect) -> Say | None:
        kind = {"refuted": "refuting", "confirmed": "confirming", "abandoned": "abandoning"}.get(suspect.verdict)
        silent = suspect.verdict == "abandoned" and self.rng.random() < 0.5
        if kind is None or silent:
            return None
        suspect.decided = self._say(kind, suspect.cause)
        return Say(suspect.decided)

    def _end(self) -> Iterator[Part]:
        """Mend it and see that it holds, or stop."""
        if not self.solved:
            yield Say(self._say("unsolved"))
            return
        culprit = self.suspects[-1]
        yield Ran(f"sed -i.bak -f fix.sed {self.story.edit} && git diff --stat", f" {self.story.edit} | 2 +-\n")
        yield Ran(self.story.check, self.story.works + "\n")
        culprit.evidence.append(Quoted(quote=self.story.works.split("\n")[0], stance="supports"))
        yield Say(self._say("healed", culprit.cause))
        if self.rng.random() < 0.6:
            yield Say(self._say("recaps"))

    def _shuffled(self, group: Sequence[_Suspect]) -> list[_Suspect]:
        """Return a group in another order; what lies under another stays behind it."""
        return self.rng.sample(group, len(group)) if not any(each.cause.under for each in group) else list(group)


def _joined(said: Iterable[Say]) -> list[Say]:
    """Return several messages as one."""
    first, *others = said
    return [replace(first, text="\n\n".join([first.text, *(each.text for each in others)]))]
