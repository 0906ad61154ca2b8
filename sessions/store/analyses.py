"""The hypothesis tree of a session: the rules' own, a person's corrections on top, and stable ids through both."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from sessions.errors import UnknownHypothesis
from sessions.hypotheses.edits import apply
from sessions.models.hypothesis import DEAD_ENDS, Hypothesis, Tree
from sessions.store.rows import EditRow
from sessions.store.tables import beliefs
from sessions.store.tables import hypotheses as table
from sessions.store.tables.packing import pack, unpack

_MODEL = "analysis LIKE 'model:%'"
DUE = f"(analysis IS NULL OR analysis <> ?1 AND NOT {_MODEL})"
"""Condition on `sessions`: the rules, in the version ?1, have to make the tree (again); a model's stays."""
GROWN = "The log has changed since a model read it: what is new is not in this tree. `necropsy analyze` reads it again."
_EDITS = "SELECT number, key, action, value, author, time FROM edits WHERE session = ? ORDER BY number"
_NAMING = ("parent", "into")
"""Fields of a correction that name another hypothesis."""
_TREE = f"SELECT {table.COLUMNS} FROM hypotheses WHERE session = ? ORDER BY place"  # noqa: S608 (names of columns)


def read_tree(connection: sqlite3.Connection, session: str, note: str) -> Tree:
    """Return the stored tree of a session, corrections included."""
    rows = connection.execute(_TREE, [session]).fetchall()
    return Tree.model_construct(
        hypotheses=tuple(table.from_row(row) for row in rows if not row[4]),
        candidates=tuple(table.from_row(row) for row in rows if row[4]),
        note=note,
    )


def read_edits(connection: sqlite3.Connection, session: str) -> tuple[EditRow, ...]:
    """Return a person's corrections to a session's tree, oldest first."""
    return tuple(
        EditRow(number, key, action, unpack(value), author, time)
        for number, key, action, value, author, time in connection.execute(_EDITS, [session])
    )


def save(connection: sqlite3.Connection, session: str, tree: Tree, analysis: str) -> None:
    """Store what an analysis made of a session, and the tree that comes of it with the person's corrections."""
    tree = _with_corrected(connection, session, tree)
    connection.execute("INSERT OR REPLACE INTO analyses VALUES (?, ?)", [session, tree.model_dump_json()])
    connection.execute("UPDATE sessions SET analysis = ?, note = ? WHERE id = ?", [analysis, tree.note, session])
    materialise(connection, session)


def read_model(connection: sqlite3.Connection, session: str) -> str | None:
    """Return the name of the analysis, ``model:NAME``, if a model made the tree of a session."""
    query = f"SELECT analysis FROM sessions WHERE id = ? AND {_MODEL}"  # noqa: S608 (a condition from above)
    row = connection.execute(query, [session]).fetchone()
    return None if row is None else str(row[0])


def keep_model(connection: sqlite3.Connection, session: str, analysis: str) -> None:
    """Leave the tree that a model made where it is, though the log went on; its reader is told."""
    connection.execute("UPDATE sessions SET analysis = ?, note = ? WHERE id = ?", [analysis, GROWN, session])


def materialise(connection: sqlite3.Connection, session: str) -> None:
    """Make the stored tree what the rules and the corrections say now."""
    row = connection.execute("SELECT tree FROM analyses WHERE session = ?", [session]).fetchone()
    numbers = table.Numbers(connection.execute("SELECT id, key FROM hypothesis_ids WHERE session = ?", [session]))
    tree = renumber(Tree.model_validate_json(row[0]) if row else Tree(), numbers)
    edits = read_edits(connection, session)
    if edits:
        tree = renumber(apply(tree, edits), numbers)
    connection.executemany("INSERT INTO hypothesis_ids VALUES (?, ?, ?)", [(session, *pair) for pair in numbers.fresh])
    _write(connection, session, tree)


def renumber(tree: Tree, numbers: table.Numbers) -> Tree:
    """Return `tree` with the ids that `numbers` gives, parents renamed alike."""
    placed = [*_flagged(tree.hypotheses, flag=False), *_flagged(tree.candidates, flag=True)]
    names = {each.key: numbers.id_of(each, candidate=flag) for each, flag in placed}
    # A parent is named by the id it has in this tree; that of a hypothesis just added by a person may be a key.
    parents = names | {each.id: names[each.key] for each, _ in placed}
    moved = [
        each.model_copy(update={"id": names[each.key], "parent": parents.get(each.parent or "")}) for each, _ in placed
    ]
    count = len(tree.hypotheses)
    return tree.model_copy(update={"hypotheses": tuple(moved[:count]), "candidates": tuple(moved[count:])})


def find_key(connection: sqlite3.Connection, session: str, name: str) -> str:
    """Return the key of the hypothesis that `name` names by id or key. Raises UnknownHypothesis."""
    row = connection.execute(
        "SELECT key FROM hypotheses WHERE session = ?1 AND (key = ?2 OR upper(id) = upper(?2))", [session, name]
    ).fetchone()
    if row is None:
        raise UnknownHypothesis(f"session {session} has no hypothesis {name}", hint=f"See `necropsy show {session}`.")
    return str(row[0])


def with_keys(connection: sqlite3.Connection, session: str, value: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a correction with every hypothesis named in them by its key. Raises UnknownHypothesis."""
    fields = dict(value)
    for name in _NAMING:
        other = fields.get(name)
        if isinstance(other, str) and other:
            fields[name] = find_key(connection, session, other)
    return fields


def free_key(connection: sqlite3.Connection, session: str) -> str:
    """Return the key of the next hypothesis that a person adds: ``person:1``, ``person:2`` …."""
    added = connection.execute("SELECT key FROM edits WHERE session = ? AND action = 'add'", [session])
    numbers = [int(rest) for (key,) in added if (rest := key.removeprefix("person:")).isdecimal()]
    return f"person:{max(numbers, default=0) + 1}"


def add_edit(connection: sqlite3.Connection, session: str, edit: EditRow) -> None:
    """Append a correction (its number is given by the table) and make the tree follow it."""
    connection.execute(
        "INSERT INTO edits (session, key, action, value, author, time) VALUES (?, ?, ?, ?, ?, ?)",
        [session, edit.key, edit.action, pack(edit.value), edit.author, edit.time],
    )
    materialise(connection, session)


def _with_corrected(connection: sqlite3.Connection, session: str, tree: Tree) -> Tree:
    """Return `tree` and, as candidates, what of the tree before it a person corrected: nobody's work is lost."""
    edits = read_edits(connection, session)
    row = connection.execute("SELECT tree FROM analyses WHERE session = ?", [session]).fetchone() if edits else None
    if row is None:
        return tree
    before = Tree.model_validate_json(row[0])
    wanted = {each.key for each in edits} | {str(each.value.get(name)) for each in edits for name in _NAMING}
    wanted -= {each.key for each in (*tree.hypotheses, *tree.candidates)}
    lost = [each for each in (*before.hypotheses, *before.candidates) if each.key in wanted and not each.root]
    kept = (each.model_copy(update={"id": each.key, "parent": None}) for each in lost)
    return tree.model_copy(update={"candidates": (*tree.candidates, *kept)})


def take_back(connection: sqlite3.Connection, session: str, author: str | None) -> EditRow | None:
    """Remove the last correction of a session, or the last by `author`, and return it; None where there is none."""
    edits = [edit for edit in read_edits(connection, session) if author in (None, edit.author)]
    if not edits:
        return None
    connection.execute("DELETE FROM edits WHERE number = ?", [edits[-1].number])
    materialise(connection, session)
    return edits[-1]


def _flagged(hypotheses: Iterable[Hypothesis], *, flag: bool) -> Iterator[tuple[Hypothesis, bool]]:
    for each in hypotheses:
        yield each, flag


def _write(connection: sqlite3.Connection, session: str, tree: Tree) -> None:
    placed = [*_flagged(tree.hypotheses, flag=False), *_flagged(tree.candidates, flag=True)]
    rows = [table.to_row(session, each, place, candidate=flag) for place, (each, flag) in enumerate(placed)]
    connection.execute("DELETE FROM hypotheses WHERE session = ?", [session])
    connection.executemany(table.INSERT, rows)
    beliefs.replace(connection, session, tree.hypotheses)
    verdicts = [each.verdict for each in tree.hypotheses if not each.root]
    connection.execute(
        "UPDATE sessions SET hypotheses = ?, dead_ends = ?, causes = ? WHERE id = ?",
        [len(verdicts), sum(verdict in DEAD_ENDS for verdict in verdicts), verdicts.count("confirmed"), session],
    )
