"""A session replayed in a sandbox on this machine: it runs, shows what came, and proves nothing."""

import shutil
from pathlib import Path

import pytest

from probes.host.targets import Target
from replay.conduct import conduct
from replay.plan import IN_SANDBOX, Hosts, build_plan
from replay.progress import Done
from sessions.ingest.source import Source
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.writer import Writer

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    step = Step(ordinal=0, kind="shell", tool="bash", command="ssh h 'uname -s; cat /root/data/f'", output="Linux\n1\n")
    session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=(step,))
    piece = Evidence(step=0, stance="refutes", quote="1", deciding=True, source="rule:x")
    belief = Hypothesis(
        id="H1", key="k1", parent="H0", statement="s", verdict="refuted", evidence=(piece,), source="rule:x"
    )
    root = Hypothesis(id="H0", key="k0", root=True, statement="symptom", source="rule:x")
    with Writer.open(tmp_path / "store.db") as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
        writer.save_tree("s", Tree(hypotheses=(root, belief)), "1")
    return tmp_path / "store.db"


@pytest.mark.parametrize("content", ["1\n", "2\n", None])
async def test_whatever_comes_is_undetermined(store: Path, tmp_path: Path, content: str | None) -> None:
    data = tmp_path / "data"
    data.mkdir()
    if content:
        (data / "f").write_text(content)
    target = Target(name="sandbox", paths=(("/root/data", str(data)),))
    with Reader.open(store) as reader:
        plan = build_plan(reader, "s", target, None, Hosts())
    assert IN_SANDBOX in plan.steps[0].reasons
    events = [event async for event in conduct(store, target, plan)]
    (result,) = [event.result for event in events if isinstance(event, Done)]
    assert result.output.startswith("Linux\n" + (content or ""))
    assert result.outcome == ("completed" if content else "path-missing")
    with Reader.open(store) as reader:
        (run,) = reader.runs("s")
    assert [(each.standing, each.why) for each in run.standings] == [
        ("undetermined", "a sandbox proves nothing about the host that the log speaks of")
    ]
    assert [each.worth for each in run.worths] == ["undetermined"]
    assert IN_SANDBOX in run.steps[0].reasons
    layers = {each["name"]: each["in_force"] for each in run.fingerprint["layers"]}  # type: ignore[attr-defined]
    assert layers["sandbox"]
