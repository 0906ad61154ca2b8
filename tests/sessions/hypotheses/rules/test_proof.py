"""What runs prove without a word, and what they do not: small logs with one suspicion, edits and runs."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.hypotheses.reasons import reason
from sessions.hypotheses.rules.engine import analyze
from sessions.hypotheses.rules.judge.mend import changed, files
from sessions.hypotheses.rules.judge.trials import changes, trial
from sessions.models.command import Command
from sessions.models.hypothesis import Hypothesis
from sessions.models.session import Message, Step

USER = "The nightly import stops after an hour, although the disk has room. Why?"
LOCK = "Maybe the `import_lock` file is never removed, so that the second worker waits for it forever."
DNS = "Maybe the `dns_cache` of the feed is stale, so that `fetch_rows` asks an address that is gone."
FILLER = ["I read on.", "Nothing new there.", "The next file is longer.", "That one as well.", "And the last one."]
FIX = {
    "kind": "edit",
    "command": "worker.py\n<<<<<<<\n    import_lock = open()\n=======\n    import_lock.remove()\n>>>>>>>",
}
TEST = "pytest tests/test_worker.py"
FAILS = {
    "command": TEST,
    "output": "FAILED tests/test_worker.py - AssertionError: import_lock is there",
    "exit_code": 1,
}
PASSES = {"command": TEST, "output": "tests/test_worker.py 4 passed in 0.31s", "exit_code": 0}


def nodes(*talk: str | dict[str, Any]) -> list[Hypothesis]:
    """Analyse a talk: texts are the agent's (the first is the user's), dicts are steps after the last text."""
    messages: list[Message] = []
    steps: list[Step] = []
    for item in (USER, *talk):
        if isinstance(item, str):
            messages.append(Message(ordinal=len(messages), role="agent" if messages else "user", text=item))
        else:
            told = {"ordinal": len(steps), "message": len(messages) - 1, "kind": "shell", "tool": "sh", **item}
            steps.append(Step(**told))
    return [h for h in analyze(messages, steps).hypotheses if not h.root]


def only(*talk: str | dict[str, Any]) -> Hypothesis:
    (node,) = nodes(*talk)
    return node


def deciding(node: Hypothesis) -> dict[str, str]:
    return {piece.source: piece.quote for piece in node.evidence if piece.deciding}


def test_a_run_that_failed_and_passes_after_an_edit_confirms_without_a_word() -> None:
    node = only("I run it.", FAILS, LOCK, FIX, PASSES, *FILLER)
    assert (node.verdict, node.support, node.decided_in) == ("confirmed", "grounded", 3)
    assert deciding(node)["rule:pass-after-fail"] == "tests/test_worker.py 4 passed in 0.31s"
    assert deciding(node)["rule:error-gone"] == FAILS["output"]


@pytest.mark.parametrize(
    "between",
    [
        (FIX, {**PASSES, "command": "pytest tests/test_feed.py", "output": "tests/test_feed.py 9 passed in 0.1s"}),
        (PASSES,),
        (FIX, FAILS),
        (FIX, {"command": TEST, "output": "sh: pytest: command not found", "exit_code": 0}),
        ({"kind": "edit", "command": "README.md\n<<<<<<<\na\n=======\nimport_lock is removed\n>>>>>>>"}, PASSES),
        ({"kind": "edit", "command": "colours.py\n<<<<<<<\nred\n=======\nblue\n>>>>>>>"}, PASSES),
    ],
    ids=[
        "another test",
        "no edit",
        "it still fails",
        "it does not run",
        "an edit of a document",
        "an edit of something else",
    ],
)
def test_a_pass_that_is_no_answer_to_the_edit_proves_nothing(between: tuple[dict[str, Any], ...]) -> None:
    node = only("I run it.", FAILS, LOCK, *between, *FILLER)
    assert node.support != "grounded"


def test_of_two_suspicions_the_one_that_the_edit_names_is_confirmed() -> None:
    lock, dns = nodes("I run it.", FAILS, LOCK, DNS, FIX, PASSES, *FILLER)
    assert (lock.verdict, lock.support) == ("confirmed", "grounded")
    assert dns.support == "claimed"
    assert dns.verdict != "confirmed"


def test_a_failure_raised_after_the_suspicion_counts_only_where_it_names_it() -> None:
    other = {**FAILS, "output": "FAILED tests/test_worker.py - TimeoutError"}
    assert only(LOCK, other, "On with it.", FIX, PASSES, *FILLER).support != "grounded"
    assert only(LOCK, FAILS, "On with it.", FIX, PASSES, *FILLER).support == "grounded"


def test_an_error_that_goes_confirms_although_another_one_follows() -> None:
    other = {**FAILS, "output": "FAILED tests/test_worker.py - KeyError: 'rows'"}
    node = only("I run it.", FAILS, LOCK, FIX, other, *FILLER)
    assert (node.verdict, node.support) == ("confirmed", "grounded")
    assert list(deciding(node)) == ["rule:error-gone"]


SLOW = "./import --all 0.21s user 0.02s system 9% cpu 42.100 total"
FAST = "./import --all 0.20s user 0.02s system 90% cpu 0.310 total"


@pytest.mark.parametrize(("second", "support"), [(FAST, "grounded"), (SLOW, "claimed")])
def test_a_switch_that_names_it_and_makes_the_difference_confirms(second: str, support: str) -> None:
    said = "Maybe the `feed_cache` is slow: `FEED_CACHE_OFF=1` switches it off, so that one can see."
    runs: list[dict[str, Any]] = [
        {"command": "time ./import --all", "commands": (Command(argv=("./import", "--all"), text=""),), "output": SLOW},
        {
            "command": "time FEED_CACHE_OFF=1 ./import --all",
            "commands": (Command(argv=("./import", "--all"), env={"FEED_CACHE_OFF": "1"}, text=""),),
            "output": second,
        },
    ]
    node = only(said, "Both ways.", *runs, *FILLER)
    assert node.support == support
    assert (node.verdict == "confirmed") == (support == "grounded")


ASKED = {"command": "./locks --held", "output": "held: /var/run/import-4711.pid\n"}
FOUND = "There it is. `/var/run/import-4711.pid` is the `import_lock` that is never removed."


def test_what_a_finding_names_first_stands_in_the_answer_to_a_question() -> None:
    node = only(LOCK, "I ask.", ASKED, FOUND, *FILLER)
    assert (node.verdict, node.support) == ("confirmed", "grounded")
    assert deciding(node) == {"rule:first-seen-here": "held: /var/run/import-4711.pid"}


@pytest.mark.parametrize(
    "asked",
    [
        {**ASKED, "output": ASKED["output"] + "".join(f"held: /var/run/other-{n}.pid\n" for n in range(20))},
        {**ASKED, "command": "./locks --held /var/run/import-4711.pid"},
        {**ASKED, "command": "cat held.txt"},
    ],
    ids=["a long listing", "asked by that name", "text of a file"],
)
def test_a_name_that_stands_in_a_listing_shows_nothing(asked: dict[str, Any]) -> None:
    assert only(LOCK, "I ask.", asked, FOUND, *FILLER).support == "claimed"


def test_a_success_that_the_next_run_contradicts_is_marked() -> None:
    node = only("I run it.", FAILS, LOCK, FIX, "Perfect, the fix works.", FAILS, *FILLER)
    assert (node.verdict, node.support) == ("confirmed", "contradicted")


def test_what_is_acted_on_is_open_until_a_run_passes_and_then_claimed() -> None:
    assert only(LOCK, FIX, *FILLER).verdict == "open"
    node = only(LOCK, FIX, PASSES, *FILLER)
    assert (node.verdict, node.support, node.history[-1].source) == ("confirmed", "claimed", "rule:passes-since")


def test_a_guess_that_was_looked_into_and_left_for_another_is_refuted_by_no_more_than_that() -> None:
    look = {"command": "ls -l import_lock", "output": "import_lock removed by worker 2"}
    lock, _ = nodes(LOCK, look, "Hm.", DNS, *FILLER)
    assert (lock.verdict, lock.support, lock.history[-1].source) == ("refuted", "claimed", "rule:left")
    unseen, _ = nodes(LOCK, "Hm.", DNS, *FILLER)
    assert unseen.verdict == "abandoned"


def test_every_rule_of_a_proof_has_a_reason() -> None:
    rules = ("pass-after-fail", "error-gone", "its-test-passes", "switch", "first-seen-here", "passes-since", "left")
    assert all(reason(f"rule:{name}").text for name in rules)


def step(command: str, **fields: Any) -> Step:
    return Step(ordinal=0, kind="shell", tool="sh", command=command, **fields)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("go test ./sync -run TestA", "go test ./...", True),
        ("go test ./sync", "go test ./http", False),
        ("pytest -q tests/a.py", "pytest -x tests/a.py", True),
        ("make lint", "make test", False),
    ],
)
def test_runs_are_alike_where_program_and_thing_are(one: str, other: str, *, alike: bool) -> None:
    first, second = trial(step(one), ()), trial(step(other), ())
    assert first is not None
    assert second is not None
    assert first.call.is_like(second.call) is alike


@pytest.mark.parametrize("command", ["cat notes", "grep -n lock worker.py", "cd /srv", "git diff HEAD~1", ""])
def test_reading_and_preparing_try_nothing(command: str) -> None:
    assert trial(step(command), ()) is None


@pytest.mark.parametrize(
    ("argv", "redirects", "changing"),
    [
        (("sed", "-i", "s/a/b/", "x.conf"), (), True),
        (("sed", "-n", "1,5p", "x.conf"), (), False),
        (("systemctl", "restart", "feed"), (), True),
        (("pip", "install", "numpy<2"), (), True),
        (("echo", "1"), ("> x.conf",), True),
        (("echo", "1"), ("> /dev/null",), False),
        (("echo", "1"), ("2>&1",), False),
        (("echo", "1"), ("> /tmp/scratch",), False),
    ],
)
def test_what_a_shell_changes(argv: tuple[str, ...], redirects: tuple[str, ...], *, changing: bool) -> None:
    made = step(" ".join(argv), commands=(Command(argv=argv, text="", redirects=redirects),))
    assert changes(made) is changing


def test_an_edit_is_told_by_the_lines_that_it_changes() -> None:
    block = step("a.py\n<<<<<<<\nkept\nold\n=======\nkept\nnew\n>>>>>>>")
    assert set(changed(block)) == {"a.py", "old", "new"}
    patch = step(
        "*** Begin Patch\n*** Update File: b.py\n@@\n kept\n-old\n+new\n*** Add File: test_b.py\n+def test_b\n"
    )
    assert list(files(patch)) == ["b.py", "test_b.py"]
    assert " kept" not in set(changed(patch))
