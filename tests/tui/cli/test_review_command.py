"""``necropsy review`` on the bundled session, keys from standard input and from a terminal."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NECROPSY = Path(sys.executable).with_name("necropsy")

Run = Callable[..., subprocess.CompletedProcess[str]]
Keys = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def press(bundled: Run) -> Keys:
    """Review the bundled session as ada with these keys."""
    return lambda keys: bundled("review", "latest", "--author", "ada", input=keys)


def nodes(run: Run, *options: str) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in json.loads(run("show", "latest", "--json", *options).stdout)}


def test_each_is_shown_with_its_place_its_steps_and_what_is_proposed(bundled: Run) -> None:
    done = bundled("review", "latest", input="")
    assert "H1 The cheapest thing to rule out is the prompt side" in done.stdout
    assert "proposed: ✗ refuted, grounded" in done.stdout
    assert "stated in message 5" in done.stdout
    assert "decided in message 7 “So this is neither the chat template nor the tokenizer.”" in done.stdout
    assert "step 10 refutes and decides" in done.stdout
    assert "round trip: True" in done.stdout
    assert "0 of 8 hypotheses are settled" in done.stderr


def test_one_key_each_accepts_rejects_and_decides(bundled: Run, press: Keys) -> None:
    before = nodes(bundled)
    done = press("a c x b o r q")
    after = nodes(bundled)
    assert "5 of 7 hypotheses are settled" in done.stderr
    assert after["H1"]["verdict"] == before["H1"]["verdict"]
    assert after["H1"]["evidence"] == before["H1"]["evidence"]
    assert [after[id_]["verdict"] for id_ in ("H2", "H4", "H5", "H6")] == ["confirmed", "abandoned", "open", "refuted"]
    assert "H3" not in after
    assert {after[id_]["source"] for id_ in ("H1", "H2", "H4", "H5", "H6")} == {"person:ada"}
    assert after["H7"]["source"].startswith("rule:")


def test_parents_merges_splits_and_other_words(bundled: Run, press: Keys) -> None:
    press("e\nthe chat template is wrong\np\nH8\na m\nH3\ns\nthe weights are damaged\nthe line dropped\na r q")
    after = nodes(bundled)
    assert (after["H1"]["statement"], after["H1"]["parent"]) == ("the chat template is wrong", "H8")
    assert "H2" not in after
    assert after["H3"]["statement"] == "the weights are damaged"
    added = next(node for node in after.values() if node["statement"] == "the line dropped")
    assert (added["source"], added["stated_in"]) == ("person:ada", after["H3"]["stated_in"])


def test_undo_takes_whole_decisions_back(bundled: Run, press: Keys) -> None:
    before = nodes(bundled)
    done = press("s\none\ntwo\nu a u u q")
    assert "Took back" in done.stderr
    assert "nothing of yours" in done.stderr
    assert nodes(bundled) == before


def test_undo_reaches_back_beyond_this_sitting_but_not_to_others(bundled: Run, press: Keys) -> None:
    before = nodes(bundled)
    bundled("edit", "latest", "H2", "--verdict", "confirmed", "--author", "bob")
    press("c q")
    press("u q")
    assert nodes(bundled)["H1"] == before["H1"]
    assert nodes(bundled)["H2"]["source"] == "person:bob"


def test_passing_over_and_jumping(bundled: Run, press: Keys) -> None:
    press("n n j\nH8\nc q")
    after = nodes(bundled)
    assert after["H8"]["source"] == "person:ada"
    assert {after[id_]["source"].partition(":")[0] for id_ in ("H1", "H2", "H3")} == {"rule"}


def test_what_cannot_be_done_is_said_and_the_same_one_waits(bundled: Run, press: Keys) -> None:
    done = press("p\nH99\n? a q")
    assert "no hypothesis H99" in done.stderr
    assert done.stderr.count("a accept") == 2
    assert nodes(bundled)["H1"]["source"] == "person:ada"


def test_candidates_come_after_the_nodes_and_the_end_is_said(bundled: Run, press: Keys) -> None:
    waiting = json.loads(bundled("review", "latest", "--json").stdout)
    assert [one["candidate"] for one in waiting[:9]] == [False] * 8 + [True]
    count = len(waiting) - 8
    done = press("a" * 8 + "a" + "x" * (count - 1))
    assert "candidate, score" in done.stdout
    assert "9 of 9 hypotheses are settled" in done.stderr
    assert json.loads(bundled("review", "latest", "--json").stdout) == []


def test_on_a_terminal_single_keys_are_enough(bundled: Run, store: Path) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [NECROPSY, "--store", store, "review", "latest", "--author", "ada"],
        stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        os.write(leader, b"acq")
        try:
            told, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    os.close(leader)
    os.close(follower)
    assert "H3" in told
    assert "2 of 8 hypotheses are settled" in errors
    assert nodes(bundled)["H2"]["verdict"] == "confirmed"
