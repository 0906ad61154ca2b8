"""A session's report as both front ends write it: the store, and the probes that would settle what is open."""

from dataclasses import replace
from pathlib import Path

from sessions.hypotheses.spending import Prices, priced
from sessions.reports.collect import collect
from sessions.reports.render import RENDERERS
from sessions.store.reader import Reader
from tui.suggestions import suggest


def render(store: Path, session: str, form: str, prices: Prices | None = None) -> str:
    """Return the report of a session (an id, a unique prefix, ``latest``) in a format of `RENDERERS`.

    `prices` say what tokens cost where the log does not.

    Raises UnknownSession and StoreProblem.
    """
    with Reader.open(store) as reader:
        data = collect(reader, session, suggest)
    if prices is not None:
        data = replace(data, tree=priced(data.tree, prices))
    return RENDERERS[form](data)
