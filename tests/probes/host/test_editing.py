"""Targets saved to the file that a person also edits by hand."""

from pathlib import Path

import pytest

from probes.host import editing
from probes.host.targets import load
from sessions.errors import BadTargets

BY_HAND = """\
# our machines; ask ops before you add one

[targets.gpu7]   # the Blackwell box
host = "gpu7.example.org"
known_hosts = "~/keys/known"
identity = "~/keys/gpu"  # not the usual one
recorded = ["192.0.2.174"]

# lent until March
[targets.spare]
user = "ops"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "targets.toml"
    place.write_text(BY_HAND)
    return place


def test_what_is_changed_is_all_that_changes(path: Path) -> None:
    rules = (("/root/ml-env", "/opt/venv"), ("/root/models", "/data/models"))
    fields = {
        "host": "gpu7.example.org", "port": 2222, "user": "", "identity": str(Path.home() / "keys/gpu"),
        "recorded": ("192.0.2.174",), "paths": rules,
    }  # fmt: skip
    editing.save("gpu7", fields, previous="gpu7", path=path)
    assert [line for line in path.read_text().splitlines() if line not in BY_HAND.splitlines()] == [
        "port = 2222", "paths = [", '    ["/root/ml-env", "/opt/venv"],', '    ["/root/models", "/data/models"],', "]",
    ]  # fmt: skip
    assert [line for line in BY_HAND.splitlines() if line not in path.read_text().splitlines()] == []
    target = load(path).named("gpu7")
    assert (target.port, target.paths) == (2222, rules)
    assert target.known_hosts == Path.home() / "keys/known"


def test_a_new_name_keeps_the_place_the_settings_and_the_others(path: Path) -> None:
    editing.save("gpu8", {"user": "root"}, previous="gpu7", path=path)
    targets = load(path).targets
    assert list(targets) == ["gpu8", "spare"]
    assert (targets["gpu8"].host, targets["gpu8"].user) == ("gpu7.example.org", "root")
    assert "# our machines" in path.read_text()


def test_a_target_is_added_to_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "new" / "targets.toml"
    editing.save("bench", {"host": "127.0.0.1", "port": 22}, path=path)
    assert path.read_text() == '[targets.bench]\nhost = "127.0.0.1"\nport = 22\n'


def test_a_target_is_removed(path: Path) -> None:
    editing.remove("gpu7", path=path)
    assert list(load(path).targets) == ["spare"]
    with pytest.raises(BadTargets, match="no target gpu7"):
        editing.remove("gpu7", path=path)


def test_each_wrong_setting_is_one_sentence_and_nothing_is_written(path: Path) -> None:
    fields = {"host": "-oProxyCommand=x", "port": "70000", "paths": (("/a", "b"),)}
    wrong = editing.problems("local", fields)
    assert [one.partition(":")[0] for one in wrong] == ["name", "host", "port", "paths"]
    assert "less than or equal to 65535" in wrong[2]
    with pytest.raises(BadTargets):
        editing.save("bench", fields, path=path)
    with pytest.raises(BadTargets, match="already"):
        editing.save("spare", {}, previous="gpu7", path=path)
    assert path.read_text() == BY_HAND


def test_a_file_that_is_no_targets_file_is_not_touched(path: Path) -> None:
    path.write_text("[targets.gpu7]\ncolour = 3\n")
    with pytest.raises(BadTargets, match="colour: unknown setting"):
        editing.save("bench", {}, path=path)
    assert path.read_text() == "[targets.gpu7]\ncolour = 3\n"


def test_a_link_leads_to_the_file_that_is_replaced(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    path.chmod(0o600)
    editing.save("bench", {"user": "me"}, path=link)
    assert link.is_symlink()
    assert "bench" in load(path).targets
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.toml", "targets.toml"]
