from dataclasses import replace

import pytest

from sessions.models.hypothesis import Tree
from sessions.reports import markup
from sessions.reports.collect import ReportData
from sessions.reports.markdown import render

TREE = """\
The model loads, then every answer is incoherent
├─ ✗ H1 The chat template or the tokenizer is wrong
├─ ✗ H2 The dequantization kernel is wrong on SM120
├─ ⊘ H3 The Triton MLA backend is wrong on SM120
└─ ✗ H4 The tensor name map returns nothing
   └─ ✓ H5 The expert tensors are not mapped without manual overrides
"""


def test_the_summary_names_the_cause_and_what_the_dead_ends_cost(data: ReportData) -> None:
    text = render(data)
    assert text.startswith("# Post-mortem: GLM answers are incoherent after loading\n")
    assert "**Symptom.** The model loads, then every answer is incoherent\n" in text
    assert "- ✓ H5: The expert tensors are not mapped without manual overrides *1 step, 1 min 30 s*\n" in text
    assert "**Dead ends (5 steps, 1 h 14 min, 6,600 tokens)**" in text


def test_the_tree_is_drawn(data: ReportData) -> None:
    assert TREE in render(data)


def test_each_hypothesis_has_its_deciding_quote_with_its_step_and_message(data: ReportData) -> None:
    section = render(data).split("### ✗ H2: ")[1].split("###")[0]
    assert section.startswith("The dequantization kernel is wrong on SM120\n")
    assert "**Refuted**, carried by tool output. First stated in message 2, decided in message 3." in section
    assert "> `max abs diff: 0.00012`\n>\n> output of step 1\n" in section
    assert "> so the kernel is fine\n>\n> message 3\n" in section
    assert "| 1 | refutes (decides) | `max abs diff: 0.00012` | rule:test |" in section


def test_a_changed_verdict_stands_in_the_timeline_twice(data: ReportData) -> None:
    rows = [row for row in render(data).splitlines() if row.startswith("|") and "| H4 |" in row]
    assert rows == [
        "| 5 | 2026-11-29 18:15 UTC | H4 | ✓ confirmed | mapped: 0 of 1809 | rule:test |",
        "| 6 | 2026-11-29 18:16 UTC | H4 | ✗ refuted | I asked in the wrong direction. | rule:test |",
    ]


def test_the_steps_cited_show_the_lines_around_the_quote(data: ReportData) -> None:
    step = render(data).split("### Step 2\n")[1].split("### Step 3")[0]
    assert "cited by H3 · bash · exit 0 · 4.5 s" in step
    assert "    22    50  line 50 of the backend\n" in step
    assert "     ⋯  18 lines\n" in step
    assert "line 46 of the backend" not in step


def test_a_replay_prints_its_axes_and_what_is_undetermined_apart(data: ReportData) -> None:
    section = render(data).split("## Replay 1 on lab\n")[1].split("## The steps")[0]
    upheld, undetermined = section.split("**Undetermined here**")
    assert "| H3 | upheld | all of its evidence holds |" in upheld
    assert "| 2 | completed | equivalent (line-ends) | holds |  |" in upheld
    assert "| 1 | refused |  | undetermined | runs code; the step was refused |" in upheld
    assert "| H2 | undetermined | its evidence was not run |" in undetermined
    assert "| H2 |" not in upheld


def test_a_reconstruction_says_so(data: ReportData) -> None:
    assert "Reconstruction." not in render(data)
    assert "> **Reconstruction.**" in render(replace(data, session=replace(data.session, reconstructed=True)))


def test_a_session_without_a_tree_says_that_nothing_was_found(data: ReportData) -> None:
    text = render(replace(data, tree=Tree(), runs=()))
    assert "No hypothesis was found in this session." in text
    assert "## What was suspected" not in text


@pytest.mark.parametrize(
    ("raw", "made"),
    [
        ("plain words, 0.5 and a-b", "plain words, 0.5 and a-b"),
        ("*bold* _it_ <b>x</b>", r"\*bold\* \_it\_ \<b\>x\</b\>"),
        ("[x](javascript:alert(1))", "`[x](javascript:alert(1))`"),
        ("see https://evil.example.org now", "see `https://evil.example.org` now"),
        ("ask @someone www.example.org a@example.org", "ask `@someone` `www.example.org` `a@example.org`"),
        ("# no heading", "&#35; no heading"),
        ("1. no list", "&#49;. no list"),
        ("- no list", "&#45; no list"),
        ("the `kv_b_proj` and a lone ` tick", r"the `kv_b_proj` and a lone \` tick"),
        ("``x`` `a|b`", r"\`\`x\`\` `a|b`"),
        ("two\nlines", "two⏎lines"),
        ("a $x$ ~~b~~ &lt;", r"a \$x\$ \~\~b\~\~ \&lt;"),
    ],
)
def test_prose_from_a_log_stays_prose(raw: str, made: str) -> None:
    assert markup.inline(raw) == made


def test_code_and_blocks_cannot_be_left() -> None:
    assert markup.code("a `b` ``c``") == "``` a `b` ``c`` ```"
    assert markup.block("x\n````\ny").startswith("`````text\n")
    assert markup.table(("a",), [(markup.code("x | y"),)]).endswith(r"| `x \| y` |")
