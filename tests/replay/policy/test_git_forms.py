"""git itself takes the hardened form of every example, and none of a hostile repository's programs runs."""

import shutil
import subprocess
from pathlib import Path

import pytest

from replay.policy.judge import judge
from replay.policy.programs import catalogue
from tests.replay.policy.differential import make_tree

EXAMPLES = catalogue()["git"].examples


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("needs git: apt-get install git")
    return make_tree(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("example", EXAMPLES)
def test_git_takes_what_is_sent(example: str, tree: Path) -> None:
    sent = judge(example.replace("eb766e1", "HEAD").replace("266,382", "1,1").replace("setup.py", "f")).sent
    assert sent is not None
    done = subprocess.run(["sh", "-c", sent], cwd=tree, capture_output=True, text=True, timeout=30, check=False)
    known = ("bad revision 'a..b'", "ambiguous argument 'a..b'", "No stash entries")
    assert not done.stderr or any(text in done.stderr for text in known), done.stderr
    assert not (tree / "ran").exists()


def test_the_same_repository_runs_its_program_when_git_is_not_hardened(tree: Path) -> None:
    try:
        subprocess.run(["git", "diff"], cwd=tree, capture_output=True, timeout=30, check=False)
        assert (tree / "ran").exists()
    finally:
        (tree / "ran").unlink(missing_ok=True)
