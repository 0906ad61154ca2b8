"""How a store comes to the present layout: one function per step, each in a transaction of its own."""

from sqlite_utils import Database, Migrations

from sessions.store.schema import APPLICATION, TABLES, VERSION

_STEPS = Migrations("necropsy")

_HASH_BYTES = 8 * 1024 * 1024
"""Words that SQLite gathers before it writes a segment of the index: fewer, larger segments make an ingest faster."""


@_STEPS(name="1: tables")
def _create_tables(db: Database) -> None:
    for statement in TABLES:
        db.execute(statement)
    db.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", [_HASH_BYTES])


def migrate(db: Database) -> None:
    """Bring `db` to the present layout; two programs that do so at once wait for each other."""
    db.execute("BEGIN IMMEDIATE")
    with db.conn:
        if not db.table("_sqlite_migrations").exists() or _STEPS.pending(db):
            _STEPS.apply(db)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
