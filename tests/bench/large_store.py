"""A large store of synthetic sessions, made once and kept in the folder for temporary files."""

import os
import random
import tempfile
from collections.abc import Sequence
from itertools import accumulate, count, islice
from pathlib import Path

from sessions import times
from sessions.hypotheses.rules.engine import VERSION
from sessions.ingest.source import Source
from sessions.models.hypothesis import Hypothesis, Tree, Verdict
from sessions.models.session import Message, Session, Step, Tally
from sessions.store import schema
from sessions.store.writer import Writer
from tests.bench.figures import say, timed

NEWEST = "The newest session of the benchmark"
"""Title of the session that stands first in the list."""

RARE = "zugzwang"
"""A word that a few sessions have."""

_SYLLABLES = ("ka", "lo", "mi", "ter", "ex", "un", "pro", "quant", "shard", "gem", "bat", "rou", "dis", "lin", "ope")
_LINES = 50_000
"""Distinct lines of which all texts and outputs are made."""

_MESSAGES, _STEPS, _LARGE = 30, 60, 4
"""Messages and steps of a session, and how many of the steps have a large output."""


def large_store(megabytes: int) -> Path:
    """Return the path of a store of at least that size, made if it is not there yet."""
    folder = Path(tempfile.gettempdir()) / f"necropsy-bench-{os.getuid()}-v{schema.VERSION}"
    path = folder / f"{megabytes}MB.sqlite"
    if path.exists():
        say(f"the store of {megabytes} MB is there: {path}")
        return path
    folder.mkdir(mode=0o700, exist_ok=True)
    partial = folder / f"{megabytes}MB.partial"
    for end in ("", "-wal", "-shm"):
        Path(f"{partial}{end}").unlink(missing_ok=True)
    say(f"making a store of {megabytes} MB, once: {path}")
    with timed() as watch:
        _fill(partial, megabytes * 1_000_000)
    say(f"made in {watch.seconds:.0f} s")
    return partial.rename(path)


def queries(number: int = 20) -> list[str]:
    """Return `number` searches: a rare word, words that stand everywhere, two and three words, names of commands."""
    words = _vocabulary()
    chance = random.Random(7)  # noqa: S311 (not for secrets)
    drawn = [" ".join(chance.sample(words, 1 + place % 3)) for place in range(number - 5)]
    return [RARE, "module", "grep module", "error timeout", f"{RARE} module", *drawn]


def _fill(path: Path, size: int) -> None:
    chance = random.Random(1)  # noqa: S311 (not for secrets)
    lines = _lines(chance)
    tree = _tree()
    with Writer.open(path) as writer:
        for number in count():
            session = _session(number, lines, chance)
            source = Source(Path(session.source), session.format, "0")
            writer.store(source, [session], session.tally)
            writer.save_tree(session.id, tree, VERSION)
            if number % 100 == 0:
                say(f"  {number} sessions, {_size(path) / 1e6:.0f} MB")
            if _size(path) >= size:
                return


def _size(path: Path) -> int:
    return path.stat().st_size


def _session(number: int, lines: Sequence[str], chance: random.Random) -> Session:
    moment = 1_790_000_000.0 - number * 3600
    messages = [_message(place, lines, chance) for place in range(_MESSAGES)]
    if number % 200 == 1:
        messages[0] = messages[0].model_copy(update={"text": f"{messages[0].text} {RARE}"})
    return Session(
        id=f"ses_bench{number:06}",
        format="opencode",
        agent="opencode",
        title=f"Session {number} of the benchmark" if number else NEWEST,
        model="example/large",
        cwd="/srv/app",
        started=times.iso(moment),
        ended=times.iso(moment + 1800),
        source=f"/nowhere/{number}.json",
        tally=Tally(read=_MESSAGES + _STEPS),
        messages=tuple(messages),
        steps=tuple(_step(place, lines, chance) for place in range(_STEPS)),
    )


def _message(place: int, lines: Sequence[str], chance: random.Random) -> Message:
    text = " ".join(chance.choices(lines, k=8))
    return Message(ordinal=place, role="agent" if place else "user", text=text)


def _step(place: int, lines: Sequence[str], chance: random.Random) -> Step:
    length = 4000 if place % (_STEPS // _LARGE) == 0 else chance.randrange(5, 80)
    return Step(
        ordinal=place,
        message=place * _MESSAGES // _STEPS,
        kind="shell",
        tool="bash",
        command=f"grep -rn {lines[chance.randrange(len(lines))].split()[0]} /srv/app | head -{length}",
        output="\n".join(chance.choices(lines, k=length)),
        exit_code=0,
        exit_source="log",
        duration=0.25,
    )


def _tree() -> Tree:
    statements = ("the answer is empty", "the port is wrong", "the address is wrong", "the file is not read")
    verdicts: tuple[Verdict, ...] = ("open", "refuted", "confirmed", "abandoned")
    return Tree(
        hypotheses=tuple(
            Hypothesis(
                id=f"H{number}", key=f"h{number}", parent="H0" if number else None, root=not number,
                statement=statement, verdict=verdict, source="rule:bench",
            )
            for number, (statement, verdict) in enumerate(zip(statements, verdicts, strict=True))
        )
    )  # fmt: skip


def _lines(chance: random.Random) -> list[str]:
    words = _vocabulary()
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    drawn = iter(chance.choices(words, cum_weights=weights, k=9 * _LINES))
    return [" ".join([*islice(drawn, 9), str(chance.randrange(10**6))]) for _ in range(_LINES)]


def _vocabulary() -> list[str]:
    pairs = [first + second + third for first in _SYLLABLES for second in _SYLLABLES for third in _SYLLABLES]
    return ["error", "timeout", "module", "tensor", *pairs]
