"""The bundled session comes out as it happened, and not because anything in the rules knows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sessions.hypotheses import rules
from sessions.hypotheses.tree import faults
from sessions.models.hypothesis import Hypothesis, Tree

if TYPE_CHECKING:
    from tests.sessions.hypotheses.conftest import Log

Find = Callable[[Tree, str], Hypothesis]

HERE = Path(__file__).parent

MAP = "name map returns nothing"
EXPERTS = "expert weights not mapped without manual overrides"
EXPECTED = {
    "chat template tokenizer": "refuted",
    "dequantization kernel sm120": "refuted",
    "weight values file": "refuted",
    "kv_b_proj reassembl": "refuted",
    "triton mla sm120": "abandoned",
    "kv cache dtype": "abandoned",
    MAP: "refuted",
    EXPERTS: "confirmed",
}
DECIDED = [words for words, verdict in EXPECTED.items() if verdict != "abandoned"]


def shape(tree: Tree) -> list[tuple[str, str, str | None]]:
    """What has to stay when names and figures change."""
    return [(h.verdict, h.support, h.parent) for h in tree.hypotheses]


def test_it_says_that_it_is_a_reconstruction(bundled: Log) -> None:
    assert bundled.messages[0].injected
    assert "reconstruction" in bundled.messages[0].text
    assert 35 <= len(bundled.steps) <= 60


def test_the_symptom_and_the_eight_hypotheses_come_out_exactly(bundled: Log, find: Find) -> None:
    tree = bundled.tree()
    root = tree.hypotheses[0]
    assert root.root
    assert re.search(r"loads .* but every answer is incoherent", root.statement)
    assert {words: find(tree, words).verdict for words in EXPECTED} == EXPECTED
    assert len(tree.hypotheses) == 1 + len(EXPECTED)
    parents = {words: find(tree, words).parent for words in EXPECTED}
    assert parents.pop(EXPERTS) == find(tree, MAP).id
    assert set(parents.values()) == {root.id}
    assert faults(tree) == ()
    assert tree.note == ""


@pytest.mark.parametrize("words", DECIDED)
def test_every_verdict_rests_on_a_line_that_stands_in_the_log(bundled: Log, find: Find, words: str) -> None:
    node = find(bundled.tree(), words)
    deciding = [e for e in node.evidence if e.deciding]
    assert node.support == "grounded"
    assert deciding
    assert {e.stance for e in deciding} == {"supports" if node.verdict == "confirmed" else "refutes"}
    assert all(e.quote and e.quote in bundled.steps[e.step].output for e in deciding)


def test_the_deciding_lines_are_the_telling_ones(bundled: Log, find: Find) -> None:
    tree = bundled.tree()
    quotes = {words: [e.quote for e in find(tree, words).evidence if e.deciding] for words in DECIDED}
    assert quotes["dequantization kernel sm120"] == ["max diff 0.00012"]
    assert "std 0.009" in quotes["weight values file"][0]
    assert any("-20.41" in quote for quote in quotes["chat template tokenizer"])
    assert quotes[MAP] == ["dense layers 0-2: 54 of 54 names resolve"]
    assert quotes[EXPERTS] == ["blk.3-78.ffn_gate_exps.weight     76  unmapped"]


@pytest.mark.parametrize("words", DECIDED)
def test_without_its_deciding_outputs_a_verdict_is_only_claimed(bundled: Log, find: Find, words: str) -> None:
    deciding = [e.step for e in find(bundled.tree(), words).evidence if e.deciding]
    node = find(bundled.blank(deciding).tree(), words)
    assert node.verdict in {"abandoned", "open"} or node.support == "claimed"
    others = [w for w in DECIDED if w != words]
    assert all(find(bundled.blank(deciding).tree(), w).support == "grounded" for w in others)


def test_without_any_output_nothing_is_grounded(bundled: Log) -> None:
    tree = bundled.blank(range(len(bundled.steps))).tree()
    assert len(tree.hypotheses) == 1 + len(EXPECTED)
    assert {h.support for h in tree.hypotheses} == {"claimed"}


SSH = "ssh root@192.0.2.174 '{}' 2>&1"
PYTHON = "/root/ml-env/bin/python3 /root/diag/"
ATTENTION = [
    (
        "mla_vs_reference.py --backend triton_mla",
        "triton_mla vs torch\nmax abs diff 0.00098\nallclose(atol=1e-2): True",
    ),
    ("attn_check.py", "backend TRITON_MLA on sm_120\nprefill: max diff 0.0007\ndecode: max diff 0.0009\nPASS"),
    ("compare.py --impl triton_mla --ref sdpa", "cosine similarity 0.99998\nrel err 1.2e-3"),
    ("run_tests.py test_triton_mla", "4 passed in 31.20s"),
    ("mla_vs_reference.py", "Triton MLA output identical to the reference on SM120"),
    ("check.py --attn triton_mla", "128/128 prompts: TritonMLA output matches the fp32 reference"),
]
CACHE = [
    ("kv_dtype.py", "kv cache dtype: torch.bfloat16, expected torch.bfloat16, match: True"),
    ("kv_cache_check.py --dtype", "cache dtype bfloat16 on all 8 ranks, as expected"),
    ("kv_cache_roundtrip.py", "kv cache write/read round trip: True\nmax diff 0.0"),
    ("kv_cache_dtype.py", "kv_cache_dtype bfloat16 == model dtype bfloat16: OK"),
]


@pytest.mark.parametrize("saying", ["", "A direct comparison, then."])
@pytest.mark.parametrize(
    ("place", "run"),
    [(("triton mla sm120", '"29,70p"'), run) for run in ATTENTION]
    + [(("kv cache dtype", "fp8"), run) for run in CACHE],
)
def test_a_test_that_shows_agreement_refutes_what_was_left_undecided(
    bundled: Log, find: Find, place: tuple[str, str], run: tuple[str, str], saying: str
) -> None:
    words, command = place
    after = next(s.ordinal for s in bundled.steps if command in s.command)
    tree = bundled.insert(after, SSH.format(PYTHON + run[0]), run[1], saying=saying).tree()
    node = find(tree, words)
    assert (node.verdict, node.support) == ("refuted", "grounded")
    assert [e.step for e in node.evidence if e.deciding] == [after + 1]
    rest = {w: v for w, v in EXPECTED.items() if w != words}
    assert {w: find(tree, w).verdict for w in rest} == rest


def test_a_late_test_refutes_what_it_names_and_not_what_is_in_focus(bundled: Log, find: Find) -> None:
    place = next(s.ordinal for s in bundled.steps if "fp8" in s.command)
    tree = bundled.insert(place, SSH.format(PYTHON + ATTENTION[0][0]), ATTENTION[0][1]).tree()
    assert find(tree, "triton mla sm120").verdict == "refuted"
    assert find(tree, "kv cache dtype").verdict == "abandoned"


@pytest.mark.parametrize("output", ["max diff 3.41\nallclose(atol=1e-2): False", "Segmentation fault", "layers: 78\n"])
def test_a_test_that_shows_no_agreement_refutes_nothing(bundled: Log, find: Find, output: str) -> None:
    place = next(s.ordinal for s in bundled.steps if '"29,70p"' in s.command)
    tree = bundled.insert(place, SSH.format(PYTHON + "mla_vs_reference.py --backend triton_mla"), output).tree()
    assert find(tree, "triton mla sm120").verdict == "abandoned"


SWAPS: dict[str, dict[str, str]] = json.loads((HERE / "swaps.json").read_text())


@pytest.mark.parametrize("kinds", [["figures"], ["names"], ["figures", "names"]])
def test_other_names_and_figures_give_the_same_tree(bundled: Log, kinds: list[str]) -> None:
    texts = {old: new for kind in kinds for old, new in SWAPS[kind].items()}
    assert shape(bundled.change(texts).tree()) == shape(bundled.tree())


@pytest.mark.parametrize("variant", json.loads((HERE / "paraphrases.json").read_text()))
def test_other_words_give_the_same_tree(bundled: Log, variant: dict[str, str]) -> None:
    everything = "\n".join(m.text for m in bundled.messages)
    assert all(old in everything for old in variant)
    assert shape(bundled.change(variant).tree()) == shape(bundled.tree())


def test_the_first_half_of_the_log_keeps_its_keys_when_it_grows(bundled: Log) -> None:
    half = len(bundled.messages) // 2
    early = type(bundled)(bundled.messages[:half], tuple(s for s in bundled.steps if (s.message or 0) < half)).tree()
    whole = bundled.tree()
    grown = {h.key: h.statement for h in (*whole.hypotheses, *whole.candidates)}
    assert len(early.hypotheses) > 4
    assert {h.key: h.statement for h in early.hypotheses}.items() <= grown.items()


def test_costs_are_steps_seconds_and_tokens(bundled: Log, find: Find) -> None:
    kernel = find(bundled.tree(), "dequantization kernel sm120")
    assert (kernel.cost.steps, kernel.cost.seconds) == (4, 32.4)
    spoken = [each.tokens for each in bundled.messages if each.tokens is not None]
    assert kernel.cost.used is not None
    assert 0 < kernel.cost.used.output < sum(each.output for each in spoken)
    assert kernel.cost.tokens == kernel.cost.used.total < sum(each.total for each in spoken)


SPECIFIC = (
    "glm|triton|mla|kv_b|k_b|v_b|gguf|vllm|blackwell|sm_?120|tokenizer|chat template|dequant|expert|attention|tensor"
    "|1,?809|0[.]00012|0[.]009|192[.]0[.]2|rtx|nvidia|ffn|moe|quant|bfloat|fp8|cache dtype"
)


def test_nothing_in_the_rules_knows_the_example() -> None:
    found = [
        (path.name, word.group())
        for path in Path(rules.__file__).parent.rglob("*.py")
        for word in re.finditer(rf"\b(?:{SPECIFIC})\w*", path.read_text(), re.IGNORECASE)
    ]
    assert found == []
