"""A session's report as both front ends write it: the store, and the probes that would settle what is open."""

from pathlib import Path

from sessions.reports.collect import collect
from sessions.reports.render import RENDERERS
from sessions.store.reader import Reader
from tui.suggestions import suggest


def render(store: Path, session: str, form: str) -> str:
    """Return the report of a session (an id, a unique prefix, ``latest``) in a format of `RENDERERS`.

    Raises UnknownSession and StoreProblem.
    """
    with Reader.open(store) as reader:
        return RENDERERS[form](collect(reader, session, suggest))
