"""Probes: a diagnostic that runs on a host, and the document that it prints."""

from collections.abc import Mapping
from typing import Any, Literal

from sessions.models.strict import Strict

SCHEMA_VERSION = 1
"""Of the document that a payload prints."""

ProbeStatus = Literal["ok", "degraded", "blocked", "failed"]
"""``degraded``: a part could not be looked at; ``blocked``: the host lacks what it needs; ``failed``: no answer."""

Answer = Literal["confirmed", "refuted", "inconclusive"]

Scalar = bool | int | float | str | None


class Argument(Strict):
    """An option of a probe, as its payload declares it."""

    name: str
    kind: Literal["path", "text", "int", "float"] = "text"
    default: Scalar = None
    help: str


class Suspicion(Strict):
    """A hypothesis that a probe settles, and the words by which one in a session is recognised as it."""

    key: str
    statement: str
    terms: tuple[str, ...] = ()


class Probe(Strict):
    """A diagnostic: one self-contained payload file and what it says about itself."""

    name: str
    """``FAMILY.NAME``."""
    summary: str
    needs: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()
    hypotheses: tuple[Suspicion, ...] = ()
    architectures: tuple[str, ...] = ()
    """Words that name the models it is made for; none: any model."""
    never_run: tuple[str, ...] = ()
    """What of it has never run anywhere, e.g. a GPU that nobody had."""
    source: str
    """The payload's text."""
    digest: str
    """SHA-256 of `source`."""
    origin: str
    """The entry point that it came from."""


class Measurement(Strict):
    """One measured value with its unit."""

    name: str
    value: Scalar
    unit: str = ""


class Threshold(Strict):
    """The limit that a measurement is held against: passing is on this side of it."""

    name: str
    limit: float
    unit: str = ""
    passes: Literal["at-most", "at-least", "equal"] = "at-most"


class Control(Strict):
    """A case with a known answer, run in the same call: without it a pass proves nothing."""

    name: str
    kind: Literal["positive", "negative"]
    """``positive``: a healthy subject passes; ``negative``: an injected fault is seen."""
    passed: bool
    detail: str = ""


class Finding(Strict):
    """What a probe says of a hypothesis."""

    hypothesis: str
    """Key of the suspicion."""
    statement: str
    answer: Answer
    why: str


class ProbeDocument(Strict):
    """What a payload printed."""

    schema_version: int
    name: str
    status: ProbeStatus
    needs: tuple[str, ...] = ()
    arguments: Mapping[str, Scalar] = {}
    detail: str = ""
    """Why it is degraded, blocked or failed."""
    findings: tuple[Finding, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    controls: tuple[Control, ...] = ()
    sample: str = ""
    """What was looked at, so that it can be looked at again."""
    worst: Mapping[str, Any] | None = None
    """The raw worst case."""
    details: Mapping[str, Any] = {}
    """Tables of the probe's own making."""
    never_run: tuple[str, ...] = ()
    environment: Mapping[str, Any] = {}
    duration: float = 0.0
    """Seconds, on the host."""


class ProbeReport(Strict):
    """A probe as it was run: where, with what, when, and what came back."""

    probe: str
    digest: str
    target: str
    started: str
    duration: float
    """Seconds, start of the interpreter and transport included."""
    outcome: str = "completed"
    """An outcome of `sessions.models.replay`."""
    document: ProbeDocument
