"""A replay as JUnit XML, which every build server reads: a verdict is a test, what it is worth its result."""

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sessions.ingest.display import line, safe
from sessions.models.replay import EvidenceStanding, HypothesisStanding
from sessions.store.rows import RunRow


def render(runs: Sequence[RunRow], statements: Mapping[str, str]) -> str:
    """Return the document: a suite per run, named for its target; `statements` by the id of the hypothesis.

    Upheld is passed, overturned a failure; undetermined is skipped, for it is neither.
    """
    root = Element("testsuites", name="necropsy replay")
    for run in runs:
        _suite(root, run, statements)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, run: RunRow, statements: Mapping[str, str]) -> None:
    found = [worth.worth for worth in run.worths]
    suite = SubElement(
        root,
        "testsuite",
        name=line(f"run {run.number} on {run.target}"),
        timestamp=line(run.started),
        tests=str(len(found)),
        failures=str(found.count("overturned")),
        skipped=str(found.count("undetermined")),
    )
    for worth in run.worths:
        _case(suite, run, worth, statements.get(worth.hypothesis, ""))


def _case(suite: Element, run: RunRow, worth: HypothesisStanding, statement: str) -> None:
    name = line(f"{worth.hypothesis} {statement}".strip())
    case = SubElement(suite, "testcase", classname=line(run.session), name=name)
    if worth.worth != "upheld":
        tag = "failure" if worth.worth == "overturned" else "skipped"
        SubElement(case, tag, message=line(worth.why))
    pieces = [piece for piece in run.standings if piece.hypothesis == worth.hypothesis]
    SubElement(case, "system-out").text = "\n".join(map(_told, pieces))


def _told(piece: EvidenceStanding) -> str:
    return line(safe(f"step {piece.step}: {piece.standing}, {piece.why}"))
