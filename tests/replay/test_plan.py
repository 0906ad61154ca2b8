"""Selections, mappings and path rules."""

import pytest

from probes.host.targets import Target
from replay.plan import Hosts, parse_hosts
from replay.policy.judge import judge
from replay.rewrite import PathRules, rewrite
from sessions.errors import UsageProblem

TARGET = Target(name="bench", host="bench")


def test_mappings() -> None:
    assert parse_hosts(["192.0.2.1=a", "local=b"]).given == {"192.0.2.1": "a", "local": "b"}


@pytest.mark.parametrize("pairs", [["x"], ["=x"], ["x="], ["x=a", "x=b"]])
def test_what_is_no_mapping(pairs: list[str]) -> None:
    with pytest.raises(UsageProblem):
        parse_hosts(pairs)


def test_the_only_remote_host_is_what_the_target_stands_for() -> None:
    assert Hosts().refuse("h", TARGET, frozenset({"h"})) is None
    assert Hosts().refuse("h", TARGET, frozenset({"h", "g"})) == "host h is not mapped to a target (--map h=bench)"
    assert Hosts({"g": "bench"}).refuse("h", TARGET, frozenset({"h"})) is not None
    assert Hosts({"h": "other"}).refuse("h", TARGET, frozenset({"h"})) == "host h is mapped to other"


def test_the_targets_file_says_what_a_target_stands_for() -> None:
    target = TARGET.model_copy(update={"recorded": ("h",)})
    assert Hosts().refuse("h", target, frozenset({"h", "g"})) is None
    assert Hosts().refuse("g", target, frozenset({"g"})) is not None


def test_the_agents_own_machine_is_mapped_only_by_hand() -> None:
    assert "--map local=bench" in (Hosts().refuse(None, TARGET, frozenset()) or "")
    assert Hosts({"local": "bench"}).refuse(None, TARGET, frozenset()) is None


RULES = PathRules((("/root", "/home/ops"), ("/root/ml-env", "/opt/venv"), ("/models/", "/data/models")))


@pytest.mark.parametrize(
    ("path", "mapped"),
    [
        ("/root/ml-env/lib/x.py", "/opt/venv/lib/x.py"),
        ("/root/ml-env", "/opt/venv"),
        ("/root/ml-environment", "/home/ops/ml-environment"),
        ("/rootless/x", "/rootless/x"),
        ("/models/glm", "/data/models/glm"),
        ("/models", "/data/models"),
        ("models/x", "models/x"),
    ],
)
def test_the_longest_prefix_of_whole_components_wins(path: str, mapped: str) -> None:
    assert RULES.map(path) == mapped


def test_paths_inside_a_text_are_mapped_as_tokens() -> None:
    text = 'File "/root/ml-env/a.py", see /root/b and x/root/c'
    assert RULES.map_text(text) == 'File "/opt/venv/a.py", see /home/ops/b and x/root/c'


def test_only_words_that_are_paths_are_mapped() -> None:
    judged = judge("grep -n /root/ml-env /root/ml-env/x.py | head -3")
    rewritten = rewrite(judged, RULES)
    assert rewritten.sent == "'grep' '-n' '--' '/root/ml-env' '/opt/venv/x.py' | 'head' '-n' '3'"
    assert rewritten.mapped == (("/root/ml-env/x.py", "/opt/venv/x.py"),)
    assert rewritten.problem == ""


def test_input_files_are_mapped_too() -> None:
    assert rewrite(judge("wc -l < /models/f"), RULES).sent == "'wc' '-l' < '/data/models/f'"


def test_a_rule_must_not_lead_to_a_secret() -> None:
    rules = PathRules((("/srv/app", "/root/.ssh"),))
    assert "may hold a secret" in rewrite(judge("cat /srv/app/id_rsa.txt"), rules).problem
