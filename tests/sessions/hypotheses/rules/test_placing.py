"""Under what a suspicion hangs that the agent lists when the user suspects something."""

import pytest

from sessions.hypotheses.rules.engine import analyze
from sessions.models.hypothesis import Hypothesis
from sessions.models.session import Message

TROUBLE = "Since Monday every tenth upload arrives torn. Why?"
SUSPECTED = "maybe the rewrite of the `upload_client` broke it, any idea where?"
CANDIDATES = """Possible causes:

- `send_chunk()` never waits for the acknowledgement
- the retry starts at a stale offset"""
FILLER = ["I read on.", "Nothing new there.", "The next file is longer.", "That one as well."]


def nodes(*talk: str) -> list[Hypothesis]:
    """What comes of a talk in which the user speaks first and third, and the agent else."""
    said = [
        Message(ordinal=number, role="user" if number in {0, 2} else "agent", text=text)
        for number, text in enumerate(talk)
    ]
    return list(analyze(said, ()).hypotheses[1:])


def test_what_is_listed_in_answer_to_a_suspicion_of_the_user_hangs_under_it() -> None:
    first, *listed = nodes(TROUBLE, "I reproduce it.", SUSPECTED, CANDIDATES, *FILLER)
    assert first.statement.startswith("The rewrite of the `upload_client`")
    assert len(listed) == 2
    assert {node.parent for node in listed} == {first.id}


@pytest.mark.parametrize(
    "talk",
    [
        (TROUBLE, SUSPECTED, "any news?", CANDIDATES, *FILLER),
        (TROUBLE, "I reproduce it.", SUSPECTED, *FILLER, CANDIDATES, *FILLER),
        (TROUBLE, "I reproduce it.", SUSPECTED, f"It's not the `upload_client` rewrite.\n\n{CANDIDATES}", *FILLER),
    ],
    ids=["the agent's own", "much later", "refuted"],
)
def test_what_is_listed_otherwise_hangs_under_the_symptom(talk: tuple[str, ...]) -> None:
    *_, one, other = nodes(*talk)
    assert (one.parent, other.parent) == ("H0", "H0")
