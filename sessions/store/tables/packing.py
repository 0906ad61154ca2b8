"""Small structures as JSON text in a column."""

from collections.abc import Iterable
from typing import Any

import orjson

from sessions.models.session import Span
from sessions.models.strict import Strict


def pack(value: object) -> str:
    """Return `value` as JSON text with sorted keys: equal values are equal text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def unpack(text: str) -> Any:
    """Return what `pack` was given, tuples as lists."""
    return orjson.loads(text)


def pack_models(models: Iterable[Strict]) -> str:
    """Return models as a JSON array, fields at their default left out."""
    return pack([model.model_dump(mode="json", exclude_defaults=True) for model in models])


def pack_span(span: Span | None) -> str | None:
    """Return a span as ``start-end`` or ``start-end file``."""
    if span is None:
        return None
    file = f" {span.file}" if span.file else ""
    return f"{span.start}-{span.end}{file.encode('utf-8', 'backslashreplace').decode()}"


def unpack_span(text: str | None) -> Span | None:
    """Return the span that `pack_span` wrote."""
    if text is None:
        return None
    place, _, file = text.partition(" ")
    start, _, end = place.partition("-")
    return Span.model_construct(start=int(start), end=int(end), file=file or None)
