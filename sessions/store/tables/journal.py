"""The journal of replays: what was about to be sent and what came, each entry bound to all before it.

An entry holds no text of a log, only digests made with the store's key, and stays when its session is forgotten. Its
MAC covers the MAC before it, so that a change, a removal or another order shows. Who can write the file can write the
whole chain anew or cut its end: that shows only against a head that was kept elsewhere. A head is ``COUNT:MAC``; each
run appends two to the file beside the store, and a person may keep them anywhere.
"""

import hashlib
import hmac
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sessions import times
from sessions.store.tables import runs
from sessions.store.tables.packing import pack, unpack

_LAST = "SELECT number, mac FROM journal ORDER BY number DESC LIMIT 1"
_STEPS = f"SELECT {runs.STEP_COLUMNS} FROM run_steps WHERE run IN (SELECT run FROM journal WHERE kind = 'begin')"  # noqa: S608 (names of columns)
_HEAD = re.compile(r"(\d{1,15}):([0-9a-f]{64})")
_START = "0" * 64


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look through the journal found."""

    entries: int
    head: str
    anchors: int
    """Heads that were held against it."""
    problems: tuple[str, ...]
    unknown: tuple[tuple[int, int], ...]
    """Run and step of every intent without a result."""


def add(connection: sqlite3.Connection, key: bytes, kind: str, run: int, body: Mapping[str, object]) -> None:
    """Append an entry, in the transaction of what it tells of."""
    number, before = connection.execute(_LAST).fetchone() or (0, _START)
    entry = (number + 1, run, kind, times.now(), pack(dict(body)))
    connection.execute("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)", [*entry, _mac(key, before, entry)])


def digest(key: bytes, values: Sequence[object]) -> str:
    """Return the keyed digest of the values of a row."""
    return hmac.new(key, b"row" + pack(list(values)).encode(), hashlib.sha256).hexdigest()


def head(connection: sqlite3.Connection) -> str:
    """Return the head of the chain, ``COUNT:MAC``."""
    number, mac = connection.execute(_LAST).fetchone() or (0, _START)
    return f"{number}:{mac}"


def heads_file(store: Path) -> Path:
    """Return where the heads of a store are appended: beside it."""
    return store.with_name(f"{store.name}.heads")


def anchor(store: Path, text: str) -> None:
    """Append a head to the file beside the store, and wait until it is on the disk. Raises OSError."""
    with heads_file(store).open("a", encoding="ascii") as file:
        file.write(f"{times.now()} {text}\n")
        file.flush()
        os.fsync(file.fileno())


def check(connection: sqlite3.Connection, store: Path, kept: Sequence[str] = ()) -> Checked:
    """Return what is wrong with the journal by itself, against the runs, and against the heads that were kept."""
    key = connection.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()[0]
    entries = connection.execute("SELECT number, run, kind, time, body, mac FROM journal ORDER BY number").fetchall()
    anchors = [*_anchors(store), *kept]
    problems = [*_breaks(key, entries), *_missing(entries, anchors), *_altered(connection, key, entries)]
    return Checked(len(entries), head(connection), len(anchors), tuple(problems), tuple(_unknown(entries)))


def _mac(key: bytes, before: str, entry: Sequence[object]) -> str:
    return hmac.new(key, b"journal" + before.encode() + pack(list(entry)).encode(), hashlib.sha256).hexdigest()


def _anchors(store: Path) -> list[str]:
    try:
        lines = heads_file(store).read_text("ascii", "replace").splitlines()
    except FileNotFoundError:
        return []
    return [line.rpartition(" ")[2] for line in lines]


def _breaks(key: bytes, entries: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield where the chain does not hold by itself; only the first break, for all behind it follows from it."""
    before = _START
    for place, (*entry, mac) in enumerate(entries, 1):
        if entry[0] != place:
            yield f"entry {place} is missing"
            return
        if _mac(key, before, entry) != mac:
            yield f"entry {place} was changed, or one before it"
            return
        before = str(mac)


def _missing(entries: Sequence[Sequence[object]], anchors: Sequence[str]) -> Iterator[str]:
    macs = [_START, *(str(entry[-1]) for entry in entries)]
    for text in dict.fromkeys(anchors):
        found = _HEAD.fullmatch(text)
        if found is None:
            yield f"{text[:80]!r} is no head of a journal"
        elif int(found[1]) >= len(macs):
            yield f"the journal was cut: {len(entries)} entries are left of at least {int(found[1])}"
        elif macs[int(found[1])] != found[2]:
            yield f"the journal was written anew: entry {found[1]} is not the one that was anchored"


def _altered(connection: sqlite3.Connection, key: bytes, entries: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield the results of runs that are not what the journal says they were."""
    told = {place: row for place, (_, row) in _latest(entries).items()}
    kept = {row[0] for row in connection.execute("SELECT number FROM runs")}
    for row in connection.execute(_STEPS).fetchall():
        if told.pop((row[0], row[1]), None) != digest(key, row):
            yield f"run {row[0]}, step {row[1]}: the stored result is not the journalled one"
    # A run that was forgotten with its session is gone as a whole.
    yield from (f"run {run}, step {step}: the stored result is gone" for run, step in told if run in kept)


def _unknown(entries: Sequence[Sequence[object]]) -> Iterator[tuple[int, int]]:
    yield from (place for place, (kind, _) in _latest(entries).items() if kind == "intent")


def _latest(entries: Sequence[Sequence[object]]) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the last entry of every step of every run: its kind, and the digest of the row."""
    found: dict[int, dict[int, tuple[str, str]]] = {}
    for _, run, kind, _, body, _ in entries:
        steps = found.setdefault(int(str(run)), {})
        if kind == "begin":
            steps.clear()  # the number of a run that was forgotten may be given again
        elif kind in {"intent", "result"}:
            fields = unpack(str(body))
            steps[int(fields["step"])] = (str(kind), str(fields["row"]))
    return {(run, step): entry for run, steps in found.items() for step, entry in steps.items()}
