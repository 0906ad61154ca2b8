"""How a store comes to the present layout: one function per step, each in a transaction of its own."""

from sqlite_utils import Database, Migrations

from sessions.store.schema import APPLICATION, JOURNAL, PROBES, RECALL, SPENDING, TABLES, VERSION
from sessions.store.tables import beliefs, hypotheses

_STEPS = Migrations("necropsy")

_NODES = f"SELECT {hypotheses.COLUMNS} FROM hypotheses WHERE session = ? AND NOT candidate ORDER BY place"  # noqa: S608 (names of columns)
_HASH_BYTES = 8 * 1024 * 1024
"""Words that SQLite gathers before it writes a segment of the index: fewer, larger segments make an ingest faster."""


@_STEPS(name="1: tables")
def _create_tables(db: Database) -> None:
    for statement in TABLES:
        db.execute(statement)
    db.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", [_HASH_BYTES])


@_STEPS(name="2: recall")
def _index_beliefs(db: Database) -> None:
    for statement in RECALL:
        db.execute(statement)
    sessions = [row[0] for row in db.execute("SELECT DISTINCT session FROM hypotheses ORDER BY session")]
    for session in sessions:
        rows = db.execute(_NODES, [session]).fetchall()
        beliefs.replace(db.conn, session, map(hypotheses.from_row, rows))


@_STEPS(name="3: probes")
def _add_probes(db: Database) -> None:
    for statement in PROBES:
        db.execute(statement)


@_STEPS(name="4: journal")
def _add_journal(db: Database) -> None:
    for statement in JOURNAL:
        db.execute(statement)


@_STEPS(name="5: spending")
def _add_spending(db: Database) -> None:
    for statement in SPENDING:
        db.execute(statement)


def migrate(db: Database) -> None:
    """Bring `db` to the present layout; two programs that do so at once wait for each other."""
    db.execute("BEGIN IMMEDIATE")
    with db.conn:
        if not db.table("_sqlite_migrations").exists() or _STEPS.pending(db):
            _STEPS.apply(db)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
