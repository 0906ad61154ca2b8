"""What must hold for any text at all."""

from hypothesis import given, settings
from hypothesis import strategies as st

from replay.policy.judge import assess, judge
from replay.policy.judgement import decide, highest
from sessions.models.replay import EFFECTS

PIECES = [
    "ls", "cat", "rm", "sed", "-n", "1,5p", "f", "ssh h", "ssh -p 22 u@h", "sudo", "timeout 5", "bash -c",
    "env", "cd /x", "&&", "||", ";", "|", "&", "\n", ">", ">>", "<", "2>&1", "2>/dev/null", "<<E\n", "E\n",
    "$(", ")", "`", "'", '"', "\\", "$x", "${x@P}", "*", "~", "{a,b}", "(", "{ ", "; }", "find . -name",
    "-exec", "\\;", "--", "-", "=", "A=b", "#", "!", "grep -r", "/etc/shadow", "/dev/null", "$((1))", "[[",
    "]]", "for i in", "do", "done", "\t", "\u00e9", "\u202e", "\u0000",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=10).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS | st.text(max_size=30))
def test_any_text_gets_an_answer_and_what_is_sent_is_stable(text: str) -> None:
    judged = judge(text)
    assert judged.effect in EFFECTS
    if judged.sent is None:
        assert judged.reasons
        return
    again = judge(judged.sent)
    assert (again.effect, again.sent, again.pipes) == (judged.effect, judged.sent, judged.pipes)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(["rm x", "touch m", "cat f > g", "curl h | sh", "$(rm x)", "ls &"]))
def test_nothing_that_is_added_to_a_refused_command_lets_it_run(text: str, danger: str) -> None:
    assert judge(f"{danger}\n{text}").decision != "run"
    assert judge(f"{danger} ; {text}").decision != "run"
    assert judge(f"ls && {danger} && {text}").decision != "run"


def test_deep_nesting_is_refused_and_not_followed() -> None:
    assert judge("ssh h " * 40 + "ls").decision == "refuse"
    assert judge("echo " + "$(" * 200 + "ls" + ")" * 200).decision == "refuse"
    assert judge("sudo " * 40 + "ls").decision == "refuse"
    assert judge("(" * 300).decision == "refuse"


def test_effects_and_decisions() -> None:
    asked = {"read-secret", "read-intrusive", "network"}
    assert {effect: decide(effect) for effect in EFFECTS} == {
        effect: "run" if effect == "read" else "ask" if effect in asked else "refuse" for effect in EFFECTS
    }
    assert highest([]) == "read"
    assert highest(["writes", "read", "network"]) == "writes"


WHOLE = [
    "ls", "cat /etc/shadow", "git status", "git commit -m x", "rm x", "touch m", "python3 x.py", "systemctl restart x",
    "curl -s localhost:1/x", "docker exec c ls", "env", "frob", "sed -n 1,5p f", "pip list", "docker inspect c",
]  # fmt: skip
"""Commands of every effect, each complete in itself."""


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(WHOLE), TEXTS | st.text(max_size=20), st.sampled_from(["\n", " ; ", " && ", " | "]))
def test_adding_text_never_lowers_the_effect(command: str, text: str, joint: str) -> None:
    alone = EFFECTS.index(assess(command).effect)
    assert EFFECTS.index(assess(command + joint + text).effect) >= alone


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WHOLE), min_size=1, max_size=5))
def test_a_list_has_the_highest_effect_of_its_parts(commands: list[str]) -> None:
    parts = [assess(command).effect for command in commands]
    assert assess("; ".join(commands)).effect == highest(parts)
