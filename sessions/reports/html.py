"""The post-mortem as one self-contained page: no request, no script, light and dark, for a phone and for paper."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from sessions.ingest.display import line, safe
from sessions.models.hypothesis import MARKS
from sessions.reports import wording
from sessions.reports.collect import ReportData
from sessions.reports.markdown import RECONSTRUCTED
from sessions.reports.markup import TICKED
from sessions.reports.narrative import narrate

LONGEST_MESSAGE = 4_000
"""Characters shown of a message."""


def render(data: ReportData) -> str:
    """Return the page. Everything from the log is escaped; the page's own policy forbids scripts and requests."""
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("report.html")
        .render(
            story=narrate(data),
            session=data.session,
            style=Markup(style),  # noqa: S704 (our own file, and the policy names its digest)
            style_digest=digest,
            reconstructed=RECONSTRUCTED,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sessions.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(
        line=line,
        prose=_prose,
        duration=wording.duration,
        costs=wording.costs,
        whole_costs=wording.whole_costs,
        anchor=_anchor,
        moment=wording.moment,
        answers=wording.answers,
    )
    environment.globals.update(count=wording.count, MARKS=MARKS, LONGEST_MESSAGE=LONGEST_MESSAGE)
    return environment


@cache
def _style() -> str:
    return files("sessions.reports").joinpath("templates", "report.css").read_text(encoding="utf-8")


def _finalize(value: object) -> object:
    """Make every text that a template prints safe to be shown; it is escaped after this."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return safe(value)
    return "" if value is None else value


def _anchor(name: object) -> str:
    """Return `name` as part of an id of the page: letters and digits only."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in str(name))


def _prose(text: str) -> Markup:
    """Return `text` as one line, escaped, with what is in ticks set as code."""
    pieces = TICKED.split(line(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece[1:-1]) if place % 2 else escape(piece)
        for place, piece in enumerate(pieces)
    )
