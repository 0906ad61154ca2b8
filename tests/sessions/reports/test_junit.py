"""JUnit XML: what a build server counts."""

from xml.etree import ElementTree as ET

from sessions.models.replay import EvidenceStanding, HypothesisStanding
from sessions.reports.junit import render
from sessions.store.rows import RunRow

WORTHS = (
    HypothesisStanding(hypothesis="H1", worth="upheld", why="all 1 stand"),
    HypothesisStanding(hypothesis="H2", worth="overturned", why="1 of 1 <no longer> stands\x1b[31m\x00"),
    HypothesisStanding(hypothesis="H3", worth="undetermined", why="timed-out"),
)
STANDING = EvidenceStanding(hypothesis="H2", step=7, standing="contradicted", why="gone")
RUN = RunRow(4, "s1", "gpu1", "2026-11-29T18:00:00Z", None, {}, (), (), (STANDING,), WORTHS)


def test_a_verdict_is_a_test() -> None:
    root = ET.fromstring(render([RUN], {"H2": "the cache's dtype & layout"}))  # noqa: S314 - our own text
    (suite,) = root
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "skipped")} == {
        "name": "run 4 on gpu1", "tests": "3", "failures": "1", "skipped": "1",
    }  # fmt: skip
    upheld, overturned, undetermined = suite
    assert (upheld.get("name"), [each.tag for each in upheld]) == ("H1", ["system-out"])
    assert overturned.get("name") == "H2 the cache's dtype & layout"
    failure = overturned.find("failure")
    assert failure is not None
    assert "<no longer>" in (failure.get("message") or "")
    assert overturned.findtext("system-out") == "step 7: contradicted, gone"
    assert undetermined.find("skipped") is not None
