"""Which sentences open a hypothesis: what becomes of them, how many a log has, where they stand, what only repeats."""

from typing import Any

import pytest

from sessions.hypotheses.rules.engine import analyze
from sessions.hypotheses.rules.table import LEAST, OPENS
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.session import Message, Step

USER = "The nightly import stops after an hour, although the disk has room. Why?"
LOCK = "Maybe the `import_lock` file is never removed, so that the second worker waits for it forever."
WEAK = "The `import_lock` file seems to stay after a crash."
READING = ["I read on.", "Nothing new there.", "The next file is longer.", "That one as well.", "And the last one."]


def tree(*talk: str | dict[str, Any], user: str = USER) -> Tree:
    """Analyse a talk: the user's text, then texts of the agent; dicts are steps after the last text."""
    messages = [Message(ordinal=0, role="user", text=user)]
    steps: list[Step] = []
    for item in talk:
        if isinstance(item, str):
            messages.append(Message(ordinal=len(messages), role="agent", text=item))
        else:
            place = {"ordinal": len(steps), "message": len(messages) - 1, "kind": "shell", "tool": "sh"}
            steps.append(Step(**{**place, **item}))
    return analyze(messages, steps)


def nodes(made: Tree) -> tuple[Hypothesis, ...]:
    return made.hypotheses[1:]


LOOK = {"command": "ls -l /var/run/import_lock", "output": "-rw-r--r-- 1 app app 0 import_lock"}
EDIT = {
    "kind": "edit",
    "command": "worker.py\n-    open(import_lock file)\n+    remove(import_lock file), second worker",
}


@pytest.mark.parametrize(
    ("later", "rule"),
    [
        ([LOOK], "rule:tested-next"),
        ([], "rule:not-tested"),
        ([{"command": "uptime", "output": "up 3 days"}, "It's not the `import_lock` file."], "rule:taken-up"),
        ([EDIT], "rule:acted-on"),
    ],
)
def test_what_becomes_of_a_suspicion_is_named_among_its_rules(later: list[str | dict[str, Any]], rule: str) -> None:
    (node,) = nodes(tree(LOCK, *later, *READING))
    assert rule in node.rules


def test_a_suspicion_that_is_tested_weighs_more_than_one_that_is_dropped() -> None:
    (tested,), (dropped,) = nodes(tree(LOCK, LOOK, *READING)), nodes(tree(LOCK, *READING))
    assert tested.score > dropped.score


def test_a_log_that_has_few_takes_a_weaker_one_and_a_log_that_has_many_does_not() -> None:
    (node,) = nodes(tree(WEAK, LOOK, *READING * 3))
    assert LEAST <= node.score < OPENS
    others = [
        "I suspect that `feed_url` points to the wrong host.",
        "I suspect that the `retry_loop` never gives up.",
        "I suspect that `dns_cache` holds stale answers.",
        "I suspect that the `row_buffer` overflows without an error.",
        "I suspect that `time_zone` is missing on the new machine.",
    ]
    crowded = tree(*(part for other in others for part in (other, "I read on.")), WEAK, LOOK)
    assert WEAK in [one.statement for one in crowded.candidates]
    assert len(nodes(crowded)) == len(others)


def test_what_is_said_again_is_one_suspicion() -> None:
    again = "So probably the `import_lock` file is never removed and the second worker waits for it."
    (node,) = nodes(tree(LOCK, LOOK, "I read on.", again, LOOK, *READING))
    assert node.stated_in == 1


REPORT = """The import fails every night.

## {heading}
`fetch_rows()` never closes its cursor, so the `import_lock` stays.

## Next steps
Please have a look."""


def test_a_cause_in_the_users_first_message_is_found_under_a_heading_that_announces_causes() -> None:
    found = tree("I look at the code.", *READING, user=REPORT.format(heading="Root cause"))
    assert [(one.stated_in, "rule:under-causes" in one.rules) for one in nodes(found)] == [(0, True)]
    assert nodes(tree("I look at the code.", *READING, user=REPORT.format(heading="Setup"))) == ()


@pytest.mark.parametrize(
    "said",
    [
        "> I suspect that the `import_lock` file is the culprit.",
        "This disproves my theory: the `import_lock` file is removed every time.",
        "What could be behind the lost rows of `fetch_rows()`?",
        "It would be great if it could maybe also log the `import_lock`.",
        "Possible causes:\n\n- **Writer**: add a lock around `write()`\n- remove the `feed_url` option",
    ],
)
def test_quotations_conclusions_open_questions_wishes_and_tasks_open_nothing(said: str) -> None:
    assert nodes(tree(said, LOOK, *READING)) == ()


def test_what_names_a_part_of_a_confirmed_cause_hangs_under_it() -> None:
    gaps = {"command": "psql -c 'select * from region_map_gaps'", "output": "shop 4711 region_map missing"}
    made = tree(
        "I suspect that the `region_map` has no rows for the new shops, so their orders are dropped.",
        gaps,
        "There it is: `region_map` lacks shop 4711.",
        *READING,
        "Perhaps a trigger bypasses the `region_map` on holidays.",
        {"command": "python3 load_map.py", "output": "loaded"},
        *READING,
    )
    first, second = nodes(made)
    assert (first.verdict, first.parent, second.parent) == ("confirmed", "H0", first.id)
