"""The reports by the name of their format."""

from collections.abc import Callable

from sessions.reports import html, json, markdown
from sessions.reports.collect import ReportData

RENDERERS: dict[str, Callable[[ReportData], str]] = {"md": markdown.render, "html": html.render, "json": json.render}
"""What makes the report of each format."""
