"""The tables. Every row hangs on a session and goes with it; large outputs stand once in `blobs`, by digest.

What an ingest writes is a function of the logs alone: no time of ingestion stands in any of these tables except `edits`
and `runs`, which people make, and `meta`, which is the store's own. Long columns come last in their table, so that a
listing never walks through the pages that an output fills.
"""

VERSION = 5
"""Stored as ``PRAGMA user_version``; a store with a higher one is refused untouched."""

APPLICATION = 0x6E637270
"""Stored as ``PRAGMA application_id`` ("ncrp"): tells a store from any other SQLite database."""

INLINE_OUTPUT = 16 * 1024
"""Bytes of an output that stay in its row; longer ones go to `blobs`, and the row keeps the first 4,096 characters."""

TABLES = (
    """CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT""",
    """CREATE TABLE sources (
        name TEXT PRIMARY KEY, format TEXT NOT NULL, stamp TEXT NOT NULL, size INTEGER NOT NULL,
        tally TEXT NOT NULL, live INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE sessions (
        id TEXT PRIMARY KEY, source TEXT NOT NULL REFERENCES sources(name) ON DELETE CASCADE, digest TEXT NOT NULL,
        format TEXT NOT NULL, agent TEXT NOT NULL, agent_version TEXT, title TEXT NOT NULL, model TEXT, cwd TEXT,
        started TEXT, ended TEXT, parent TEXT, live INTEGER NOT NULL, reconstructed INTEGER NOT NULL,
        tokens TEXT NOT NULL, tally TEXT NOT NULL, messages INTEGER NOT NULL, steps INTEGER NOT NULL,
        analysis TEXT, hypotheses INTEGER NOT NULL DEFAULT 0, dead_ends INTEGER NOT NULL DEFAULT 0,
        causes INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE INDEX sessions_started ON sessions(started)""",
    """CREATE INDEX sessions_source ON sessions(source)""",
    """CREATE TABLE messages (
        session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, ordinal INTEGER NOT NULL,
        role TEXT NOT NULL, kind TEXT NOT NULL, time TEXT, injected INTEGER NOT NULL, abandoned INTEGER NOT NULL,
        span TEXT, text TEXT NOT NULL, PRIMARY KEY (session, ordinal)
    ) STRICT""",
    """CREATE TABLE blobs (digest TEXT PRIMARY KEY, size INTEGER NOT NULL, content BLOB NOT NULL) STRICT""",
    """CREATE TABLE steps (
        session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, ordinal INTEGER NOT NULL, message INTEGER,
        kind TEXT NOT NULL, tool TEXT NOT NULL, call_id TEXT, status TEXT NOT NULL, exit_code INTEGER,
        exit_source TEXT, started TEXT, duration REAL, truncated INTEGER NOT NULL, continues INTEGER, child TEXT,
        abandoned INTEGER NOT NULL, cwd TEXT, span TEXT, result_span TEXT, output_size INTEGER NOT NULL,
        blob TEXT REFERENCES blobs(digest), command TEXT NOT NULL, commands TEXT NOT NULL, output TEXT NOT NULL,
        PRIMARY KEY (session, ordinal)
    ) STRICT""",
    """CREATE INDEX steps_blob ON steps(blob) WHERE blob IS NOT NULL""",
    """CREATE TABLE analyses (
        session TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, tree TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE hypotheses (
        session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, id TEXT NOT NULL, key TEXT NOT NULL,
        place INTEGER NOT NULL, candidate INTEGER NOT NULL, parent TEXT, root INTEGER NOT NULL, statement TEXT NOT NULL,
        verdict TEXT NOT NULL, support TEXT NOT NULL, stated_in INTEGER, decided_in INTEGER, history TEXT NOT NULL,
        evidence TEXT NOT NULL, cost TEXT NOT NULL, score REAL NOT NULL, rules TEXT NOT NULL, source TEXT NOT NULL,
        PRIMARY KEY (session, id)
    ) STRICT""",
    """CREATE TABLE hypothesis_ids (
        session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, id TEXT NOT NULL, key TEXT NOT NULL,
        PRIMARY KEY (session, id)
    ) STRICT""",
    """CREATE TABLE edits (
        number INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, key TEXT NOT NULL,
        action TEXT NOT NULL, value TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL
    ) STRICT""",
    """CREATE INDEX edits_session ON edits(session)""",
    """CREATE TABLE runs (
        number INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        target TEXT NOT NULL, plan TEXT NOT NULL, fingerprint TEXT NOT NULL, started TEXT NOT NULL, finished TEXT,
        standings TEXT NOT NULL DEFAULT '[]', worths TEXT NOT NULL DEFAULT '[]'
    ) STRICT""",
    """CREATE INDEX runs_session ON runs(session)""",
    """CREATE TABLE run_steps (
        run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE, step INTEGER NOT NULL, outcome TEXT NOT NULL,
        comparison TEXT, rules TEXT NOT NULL, tokens TEXT NOT NULL, exit_code INTEGER, sent TEXT,
        reasons TEXT NOT NULL, started TEXT, duration REAL, detail TEXT NOT NULL, blob TEXT REFERENCES blobs(digest),
        output TEXT NOT NULL, PRIMARY KEY (run, step)
    ) STRICT""",
    """CREATE INDEX run_steps_blob ON run_steps(blob) WHERE blob IS NOT NULL""",
    """CREATE TABLE documents (
        number INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        kind TEXT NOT NULL, ordinal INTEGER NOT NULL
    ) STRICT""",
    """CREATE UNIQUE INDEX documents_place ON documents(session, kind, ordinal)""",
    """CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize="unicode61")""",
)
"""Statements of layout 1, in order. `words` splits at every sign: ``triton_mla.py`` is the phrase triton mla py."""

RECALL = (
    """CREATE TABLE beliefs (
        number INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, id TEXT NOT NULL
    ) STRICT""",
    """CREATE INDEX beliefs_session ON beliefs(session)""",
    """CREATE VIRTUAL TABLE words_of_beliefs USING fts5(
        statement, quotes, verdict, tokenize="porter unicode61")""",
    """CREATE TRIGGER beliefs_gone AFTER DELETE ON beliefs
        BEGIN DELETE FROM words_of_beliefs WHERE rowid = old.number; END""",
)
"""What layout 2 adds: the words of every node of every tree, so that an earlier one on the same thing is found."""

PROBES = (
    """CREATE TABLE probes (
        number INTEGER PRIMARY KEY, session TEXT REFERENCES sessions(id) ON DELETE CASCADE, key TEXT,
        target TEXT NOT NULL, name TEXT NOT NULL, started TEXT NOT NULL, report TEXT NOT NULL
    ) STRICT""",
    """CREATE INDEX probes_session ON probes(session)""",
)
"""What layout 3 adds: the reports of probes, each asked for a hypothesis (by its key), or for none."""

JOURNAL = (
    """CREATE TABLE journal (
        number INTEGER PRIMARY KEY, run INTEGER NOT NULL, kind TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL,
        mac TEXT NOT NULL
    ) STRICT""",
)
"""What layout 4 adds: a chain of what replays were about to send and what came. It hangs on no session."""

SPENDING = (
    """ALTER TABLE messages ADD COLUMN tokens TEXT""",
    """UPDATE sources SET stamp = ''""",
)
"""What layout 5 adds: the tokens of each message. The logs that are still there are read again at the next ingest."""
