"""The rules on small logs: what opens a hypothesis, what settles it, and what carries the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.hypotheses.rules.engine import analyze
from sessions.hypotheses.rules.text.language import NOTE
from sessions.hypotheses.tree import faults
from sessions.models.hypothesis import LONGEST_STATEMENT, Hypothesis, Tree
from sessions.models.session import Message, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

USER = "The nightly import stops after an hour, although the disk has room. Why?"


def tree(*talk: str | dict[str, Any]) -> Tree:
    """Analyse a talk: texts are the agent's (the first is the user's), dicts are shell steps after the last text."""
    messages: list[Message] = []
    steps: list[Step] = []
    for item in (USER, *talk):
        if isinstance(item, str):
            role, _, text = item.rpartition("| ")
            who = "user" if role == "user" or not messages else "agent"
            messages.append(Message(ordinal=len(messages), role=who, text=text))  # type: ignore[arg-type]  # see above
        else:
            place = len(messages) - 1
            steps.append(Step(**{"ordinal": len(steps), "message": place, "kind": "shell", "tool": "sh", **item}))
    return analyze(messages, steps)


def only(made: Tree) -> Hypothesis:
    (node,) = made.hypotheses[1:]
    return node


LOCK = "Maybe the `import_lock` file is never removed, so that the second worker waits for it forever."
FILLER = ["I read on.", "Nothing new there.", "The next file is longer.", "That one as well.", "And the last one."]


def test_the_symptom_is_the_users_own_sentence() -> None:
    root = tree(LOCK).hypotheses[0]
    assert root.root
    assert root.statement == "The nightly import stops after an hour, although the disk has room."
    assert root.stated_in == 0


@pytest.mark.parametrize("request_", ["Find out why.", "Why?", "What is it?"])
def test_a_request_that_names_nothing_is_no_symptom(request_: str) -> None:
    told = "The upload service answers 500 for every file larger than 10 MB."
    made = analyze([Message(ordinal=0, role="user", text=f"{told} {request_}")], [])
    assert made.hypotheses[0].statement == told


def test_an_empty_log_has_a_symptom_that_is_not_known_and_nothing_else() -> None:
    made = analyze((), ())
    assert [h.root for h in made.hypotheses] == [True]
    assert made.candidates == ()


def test_a_suspicion_is_stated_as_a_cause_in_the_words_of_the_log_with_its_place_and_its_rules() -> None:
    node = only(tree(LOCK, *FILLER))
    assert node.statement == LOCK.replace("Maybe the", "The")
    assert (node.key, node.stated_in, node.parent) == ("m1.0", 1, "H0")
    assert {"rule:maybe", "rule:lack"} <= set(node.rules)
    assert node.source in node.rules


def test_what_nobody_takes_up_again_is_abandoned_and_at_the_end_of_a_log_open() -> None:
    assert only(tree(LOCK, *FILLER)).verdict == "abandoned"
    assert only(tree("I read the code first.", LOCK)).verdict == "open"


def test_words_alone_only_claim() -> None:
    node = only(tree(LOCK, {"command": "ls -l import_lock", "output": "no such thing"}, "It's not the lock.", *FILLER))
    assert (node.verdict, node.support, node.decided_in) == ("refuted", "claimed", 2)
    assert node.history[-1].quote == "It's not the lock."


def test_a_figure_of_the_conclusion_in_an_output_grounds_it() -> None:
    run = {"command": "python3 timing.py import_lock", "output": "waits: 0\nlock held for 0.0131 s\nend"}
    node = only(tree(LOCK, run, "The lock is held for 0.013 s only, so it's not that.", *FILLER))
    assert (node.verdict, node.support) == ("refuted", "grounded")
    (piece,) = [e for e in node.evidence if e.deciding]
    assert (piece.step, piece.stance, piece.quote) == (0, "refutes", "lock held for 0.0131 s")


def test_a_comparison_that_agrees_refutes_without_any_words() -> None:
    run = {"command": "python3 check.py --file import_lock", "output": "import_lock before and after: identical"}
    node = only(tree(LOCK, run, *FILLER))
    assert (node.verdict, node.support) == ("refuted", "grounded")


def test_a_listing_of_source_text_shows_nothing() -> None:
    run = {"command": "grep -n import_lock worker.py", "output": "12: # import_lock: identical for all workers, PASS"}
    assert only(tree(LOCK, run, *FILLER)).verdict == "abandoned"


def test_an_output_that_lists_what_is_missing_grounds_the_cause_that_the_agent_names() -> None:
    said = "I suspect that the `region_map` has no rows for the new shops, so their orders are dropped."
    run = {"command": "psql -c 'select * from region_map_gaps'", "output": "shop 4711 region_map missing\nshop 4712 ok"}
    node = only(tree(said, run, "There it is: `region_map` lacks shop 4711.", *FILLER))
    assert (node.verdict, node.support) == ("confirmed", "grounded")
    assert [e.quote for e in node.evidence if e.deciding] == ["shop 4711 region_map missing"]


FIX = {
    "kind": "edit",
    "command": "worker.py\n-    import_lock\n+    import_lock.remove()\n+def test_import_lock_removed",
}


def test_a_test_of_the_edit_that_passes_grounds_the_cause() -> None:
    run = {"command": "pytest -q", "output": "PASSED tests/test_worker.py::test_import_lock_removed"}
    node = only(tree(LOCK, "So remove it.", FIX, run, "Now it works.", *FILLER))
    assert (node.verdict, node.support) == ("confirmed", "grounded")


def test_a_routine_pass_after_an_edit_does_not() -> None:
    run = {"command": "make test", "output": "ok  all 12 suites"}
    node = only(tree(LOCK, "So remove it.", FIX, run, "Now it works.", *FILLER))
    assert (node.verdict, node.support) == ("confirmed", "claimed")


def test_success_that_the_run_below_contradicts_is_marked() -> None:
    run = {"command": "make test", "output": "FAILED tests/test_worker.py - AssertionError", "exit_code": 1}
    node = only(tree(LOCK, "So remove it.", FIX, run, "Perfect, the fix works.", *FILLER))
    assert (node.verdict, node.support) == ("confirmed", "contradicted")


def test_an_all_clear_that_the_comparison_below_contradicts_is_marked() -> None:
    run = {"command": "python3 check.py import_lock", "output": "import_lock before and after\nequal: False"}
    node = only(tree(LOCK, run, "The `import_lock` file is fine.", *FILLER))
    assert (node.verdict, node.support) == ("refuted", "contradicted")


def test_a_verdict_that_was_taken_back_stays_in_the_history() -> None:
    made = tree(
        LOCK, "That's the bug.", "Wait, it's not the `import_lock` file: the second worker removed it.", *FILLER
    )
    node = only(made)
    assert [t.verdict for t in node.history] == ["confirmed", "refuted"]
    assert node.verdict == "refuted"


def test_items_of_a_list_of_causes_are_suspicions_each() -> None:
    listed = (
        "Possible causes:\n\n- the `import_lock` file\n- `fetch_rows()` with its retry\n- slow DNS lookups of the feed"
    )
    statements = [h.statement for h in tree(listed, *FILLER).hypotheses[1:]]
    assert statements == ["The `import_lock` file", "`fetch_rows()` with its retry", "Slow DNS lookups of the feed"]


def test_two_causes_joined_by_or_are_two_and_two_names_of_one_are_one() -> None:
    two = tree("The problem might be that the `import_lock` stays, or the `feed_url` could be stale.", *FILLER)
    assert [h.key for h in two.hypotheses[1:]] == ["m1.0", "m1.0b"]
    one = tree("I suspect that the `import_lock` or the `feed_lock` is never removed.", *FILLER)
    assert len(one.hypotheses) == 2


@pytest.mark.parametrize(
    "said",
    [
        "Let me read the worker next.",
        "The function is probably in worker.py.",
        "I added a test for the lock and all tests pass.",
        "Do you want me to open a ticket? I could also write it up.",
        "```\nMaybe the problem is that this is code and the lock is never removed.\n```",
    ],
)
def test_plans_deeds_offers_and_code_open_nothing(said: str) -> None:
    assert tree(said, *FILLER).hypotheses[1:] == ()


def test_injected_text_opens_nothing() -> None:
    messages = [
        Message(ordinal=0, role="user", text=USER),
        Message(ordinal=1, role="user", text=LOCK, injected=True),
        *(Message(ordinal=n, role="agent", text=text) for n, text in enumerate(FILLER, 2)),
    ]
    assert analyze(messages, ()).hypotheses[1:] == ()


GERMAN = (
    "Der nächtliche Import bricht nach einer Stunde ab, obwohl auf der Platte noch genug Platz vorhanden ist. "
    "Vermutlich wird die Sperrdatei nie entfernt, weshalb der zweite Arbeiter ewig wartet. Ich schaue mir zuerst die "
    "Protokolle an und danach den Quelltext, damit wir wissen, woran es liegt und was zu tun bleibt."
)


@pytest.mark.parametrize(
    ("text", "note"), [(GERMAN, NOTE), ("每晚的导入在一小时后停止。可能是锁文件没有被删除。", NOTE)]
)
def test_a_log_in_another_language_is_said_to_be_one(text: str, note: str) -> None:
    assert analyze([Message(ordinal=0, role="user", text=text)], ()).note == note


def test_an_english_log_has_no_note() -> None:
    assert tree(LOCK, *FILLER, *FILLER).note == ""


PHRASES = st.sampled_from(
    [LOCK, "Now it works.", "It's not the lock.", "There it is.", "Still slow.", "That leaves it open.", *FILLER]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PHRASES | st.text(max_size=300), max_size=12), st.lists(st.text(max_size=120), max_size=8))
def test_whatever_is_said_the_tree_is_one_and_every_quote_stands_in_its_step(
    said: Sequence[str], outputs: Sequence[str]
) -> None:
    messages = [Message(ordinal=n, role="agent" if n else "user", text=text) for n, text in enumerate(said)]
    steps = [
        Step(ordinal=n, message=n % len(said) if said else None, kind="shell", tool="sh", command="lock", output=output)
        for n, output in enumerate(outputs)
    ]
    steps.sort(key=lambda step: step.message or 0)
    steps = [step.model_copy(update={"ordinal": n}) for n, step in enumerate(steps)]
    made = analyze(messages, steps)
    assert faults(made) == ()
    assert all(len(h.statement) <= LONGEST_STATEMENT for h in (*made.hypotheses, *made.candidates))
    for piece in (e for h in made.hypotheses for e in h.evidence):
        assert piece.quote in steps[piece.step].output or piece.quote in steps[piece.step].command


@settings(max_examples=60, deadline=None)
@given(st.lists(PHRASES, min_size=2, max_size=16), st.integers(1, 15))
def test_a_log_that_grows_keeps_its_keys(said: Sequence[str], cut: int) -> None:
    messages = [Message(ordinal=n, role="agent" if n else "user", text=text) for n, text in enumerate(said)]
    early, whole = analyze(messages[:cut], ()), analyze(messages, ())
    known = {h.key for h in (*whole.hypotheses, *whole.candidates)}
    assert {h.key for h in early.hypotheses} <= known
