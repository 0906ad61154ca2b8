"""The document that a payload prints, found in whatever else came with it."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from sessions.ingest.display import clean
from sessions.models.probe import SCHEMA_VERSION, ProbeDocument

BEGIN, END = "<<<probe document", "probe document>>>"
_TAIL = 2000
"""Characters of an output that are kept where it holds no document."""


def read(output: bytes) -> ProbeDocument | None:
    """Return the last marked document of an output, cleaned for showing; None if it holds none that can be read.

    What stands before the marks (libraries print there) is not looked at.
    """
    text = output.decode("utf-8", "replace")
    start, end = text.rfind(f"{BEGIN}\n"), text.rfind(f"\n{END}")
    if not 0 <= start < end:
        return None
    try:
        raw = json.loads(text[start + len(BEGIN) : end], parse_constant=str)
        document = ProbeDocument.model_validate(_clean(raw))
    except (ValueError, ValidationError, RecursionError):
        return None
    return document if document.schema_version == SCHEMA_VERSION else None


def without_document(name: str, status: str, detail: str, *, output: bytes = b"") -> ProbeDocument:
    """Return the document of a probe that printed none: why, and the end of what it printed instead."""
    tail = clean(output.decode("utf-8", "replace"))[-_TAIL:]
    fields: Mapping[str, Any] = {"schema_version": SCHEMA_VERSION, "name": name, "status": status}
    return ProbeDocument.model_validate({**fields, "detail": f"{detail}\n{tail}".strip()})


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _clean(item) for key, item in value.items()}
    return value
