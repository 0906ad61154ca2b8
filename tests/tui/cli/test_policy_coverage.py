"""``necropsy policy`` counts what a replay could run, and tells it to a person."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = str(Path(sys.executable).with_name("necropsy"))
COMMANDS = ["git log -3", "grep -n x f | head -5", "cat /etc/shadow", "rm x", "make all", "cd /x && ls", "echo hello"]


def policy(*words: str, lines: str = "") -> str:
    return subprocess.run([PROGRAM, "policy", *words], input=lines, capture_output=True, text=True, check=True).stdout


def test_a_summary_counts_by_family() -> None:
    told = json.loads(policy("--summary", "--json", lines="".join(f"{json.dumps({'command': c})}\n" for c in COMMANDS)))
    assert (told["commands"], told["run"], told["ask"], told["refuse"]) == (7, 4, 1, 2)
    families = {row["family"]: (row["run"], row["ask"], row["refuse"]) for row in told["families"]}
    assert families["git"] == (1, 0, 0)
    assert families["text"] == (0, 1, 0)
    assert families["files"] == (1, 0, 0)
    assert families["shell alone"] == (1, 0, 0)
    assert families["not on the list"] == (0, 0, 1)


def test_a_summary_is_a_table_with_a_total() -> None:
    *_, total = policy("--summary", *COMMANDS).splitlines()
    assert total.split() == ["all", "7", "4", "1", "2", "57.1", "71.4"]


@pytest.mark.corpus
def test_a_fair_part_of_real_sessions_can_be_replayed(corpus: Path) -> None:
    told = json.loads(policy("--json", "--log", str(corpus / "codex"), "--log", str(corpus / "claude-code")))
    assert told["run"] >= 0.3 * told["commands"]
    assert told["run"] + told["ask"] >= 0.5 * told["commands"]


def test_what_hardens_git_is_one_word_to_a_person_and_whole_in_json() -> None:
    told = policy("git log -3", "git -C /x status")
    assert "sends 'git' [hardened] 'log' '--no-ext-diff' '--no-textconv' '-n' '3'" in told
    assert "sends 'git' '-C' '/x' [hardened] 'status'" in told
    assert "core.fsmonitor" not in told
    whole = json.loads(policy("--json", "git log -3"))["sent"]
    assert "'-c' 'core.fsmonitor=false'" in whole


WITHOUT = """
import sys
from replay.policy.lines import second
second.program = lambda: None
from tui.cli.main import main
sys.exit(main(["policy", *sys.argv[1:]]))
"""


def test_a_missing_second_parser_is_said_once() -> None:
    words = [sys.executable, "-c", WITHOUT]
    done = subprocess.run([*words, "ls", "id"], capture_output=True, text=True, check=False)
    assert done.stderr.count("shfmt, is not installed") == 1
    assert done.stdout.count("the second parser, shfmt, is not installed") == 2
    assert done.returncode == 5
