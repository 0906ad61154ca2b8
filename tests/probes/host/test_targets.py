"""The targets file, and what is wrong with bad ones."""

from pathlib import Path

import pytest

from probes.host.targets import Target, Targets, load
from sessions.errors import BadTargets

GOOD = """
[targets.blackwell]
host = "gpu1.example.org"
port = 2222
user = "ops"
identity = "~/keys/gpu"
recorded = ["192.0.2.174", "old-gpu"]
paths = [["/root/ml-env", "/opt/venv"]]

[targets.spare]
"""


def write(folder: Path, text: str) -> Path:
    place = folder / "targets.toml"
    place.write_text(text)
    return place


def test_fields_and_defaults(tmp_path: Path) -> None:
    targets = load(write(tmp_path, GOOD))
    target = targets.named("blackwell")
    assert (target.host, target.port, target.user) == ("gpu1.example.org", 2222, "ops")
    assert target.identity == Path.home() / "keys/gpu"
    assert target.paths == (("/root/ml-env", "/opt/venv"),)
    assert targets.named("spare").host == "spare"
    assert [t.name for t in targets.standing_for("old-gpu")] == ["blackwell"]
    assert targets.standing_for("gpu1.example.org") == ()


def test_a_name_outside_the_file_is_a_host_of_ssh_config() -> None:
    assert Targets().named("root@box") == Target(name="root@box", host="box", user="root")
    assert Targets().named("box").ssh_config


@pytest.mark.parametrize("name", ["-oProxyCommand=id", "a b", "x@-F", "a\x1b"])
def test_a_name_that_is_an_option_is_refused(name: str) -> None:
    with pytest.raises(BadTargets):
        Targets().named(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[targets.x\n", "is no TOML"),
        ('[targets.x]\nhost = "h"\nport = 70000\n', r"targets.toml:3: targets\.x\.port"),
        ('[targets.x]\nhots = "h"\n', r"targets.toml:2: targets\.x\.hots"),
        ('[targets.x]\nhost = "-oProxyCommand=x"\n', "is no host name"),
        ('[targets.x]\npaths = [["a", "/b"]]\n', "must be absolute"),
        ('[targets.x]\npaths = [["/a", "/b"], ["/a/", "/c"]]\n', "two rules"),
        ("other = 1\n", "other"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadTargets, match=message):
        load(write(tmp_path, text))


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(BadTargets, match="no such file"):
        load(tmp_path / "absent.toml")


def test_no_file_at_the_default_place_means_no_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load() == Targets()
