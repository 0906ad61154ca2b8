"""The catalogue reads payloads as text, ours by the same entry point as anybody's."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from probes import catalogue
from sessions.errors import UsageProblem

PAYLOADS = Path(__file__).parents[2] / "probes" / "payloads"


def test_every_payload_file_is_in_it_once() -> None:
    places = {probe.origin.removeprefix("necropsy:") for probe in catalogue.probes()}
    assert places == {path.relative_to(PAYLOADS).as_posix() for path in PAYLOADS.glob("*/*.py")}
    names = [probe.name for probe in catalogue.probes()]
    assert names == sorted(set(names))


def test_a_probe_tells_what_it_takes_and_settles() -> None:
    probe = catalogue.named("gguf.counts")
    assert [argument.name for argument in probe.arguments] == ["model"]
    assert {suspicion.key for suspicion in probe.hypotheses} == {"tensors-missing", "tensors-stray"}
    assert probe.needs == ("model",)
    assert probe.source == (PAYLOADS / "gguf" / "counts.py").read_text("utf-8")
    assert len(probe.digest) == 64


FOREIGN = (
    'PROBE = {"name": "net.speed", "summary": "s", "needs": ["gpu"], "hypotheses": {"slow": {"statement": "It is"}}}\n'
)


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another installed package that offers payloads; its folder of them."""
    (tmp_path / "theirs" / "net").mkdir(parents=True)
    (tmp_path / "theirs" / "__init__.py").touch()
    (tmp_path / "theirs-1.dist-info").mkdir()
    (tmp_path / "theirs-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (tmp_path / "theirs-1.dist-info" / "entry_points.txt").write_text("[necropsy.probes]\ntheirs = theirs\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    catalogue.probes.cache_clear()
    yield tmp_path / "theirs" / "net"
    sys.modules.pop("theirs", None)
    catalogue.probes.cache_clear()


def test_another_packages_payloads_are_in_it(foreign: Path) -> None:
    (foreign / "speed.py").write_text(FOREIGN)
    probe = catalogue.named("net.speed")
    assert (probe.origin, probe.hypotheses[0].statement) == ("theirs:net/speed.py", "It is")
    assert catalogue.named("gguf.counts").origin.startswith("necropsy:")


def test_a_broken_payload_of_another_package_is_left_out(foreign: Path) -> None:
    (foreign / "speed.py").write_text("PROBE = 1 +\n")
    with pytest.warns(RuntimeWarning, match=r"theirs:net/speed\.py: no payload that can be read"):
        names = {probe.name for probe in catalogue.probes()}
    assert "gguf.counts" in names
    assert "net.speed" not in names


def test_reading_it_imports_no_payload() -> None:
    code = (
        "import sys; from probes import catalogue; found = len(catalogue.probes());"
        "print(found > 20, [name for name in sys.modules if name.startswith('probes.payloads.')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "True []\n"


def test_an_unknown_name_is_a_usage_problem() -> None:
    with pytest.raises(UsageProblem, match=r"no probe gguf\.nothing"):
        catalogue.named("gguf.nothing")


@pytest.mark.parametrize(
    "source",
    ["x = 1\n", "PROBE = open('/etc/hostname').read()\n", "PROBE = {'name': 'a.b'}\n", "match x:\n    case 1: pass\n"],
    ids=["none", "not a literal", "incomplete", "syntax of a later Python"],
)
def test_what_is_no_payload_is_refused(source: str) -> None:
    with pytest.raises(catalogue.BrokenProbe, match="no payload that can be read"):
        catalogue.parse(source, "other:a/b.py")
