"""What is suspected in the bundled session, annotated by hand."""

from collections.abc import Mapping
from typing import Any

Truth = Mapping[str, Any]
"""A hypothesis in the shape of a gold annotation."""


def truth(number: int, said: tuple[str, str, str], verdict: str, *evidence: tuple[str, str]) -> Truth:
    statement, stated, decided = said
    pieces = [{"quote": quote, "stance": stance} for stance, quote in evidence]
    return {
        "id": f"h{number}", "parent": None, "statement": statement, "terms": [statement.lower()],
        "stated_quote": stated, "verdict": verdict, "decided_quote": decided or None, "evidence": pieces,
    }  # fmt: skip


TRUTHS = (
    truth(
        1,
        (
            "The chat template or the tokenizer is wrong for this checkpoint.",
            "the chat template or the tokenizer could be wrong for this checkpoint",
            "So this is neither the chat template nor the tokenizer.",
        ),
        "refuted",
        ("refutes", "round trip: True"),
        ("refutes", "1  ' 2'     -20.41"),
    ),
    truth(
        2,
        (
            "The GGUF dequantization kernel decodes Q4_K blocks incorrectly on SM120.",
            "if it decodes Q4_K blocks incorrectly there",
            "The kernel does its job on this card.",
        ),
        "refuted",
        ("refutes", "max diff 0.00012"),
    ),
    truth(
        3,
        (
            "Triton MLA returns wrong results on SM120.",
            "on SM120 that backend may return wrong results without complaining",
            "",
        ),
        "abandoned",
        ("neutral", "class TritonMLABackend(MLACommonBackend):"),
    ),
    truth(
        4,
        (
            "The name map returns nothing for this architecture.",
            "maybe that name map returns nothing for this architecture",
            "came from my query and not from the map",
        ),
        "refuted",
        ("supports", "get_name() is None: 1809"),
        ("refutes", "dense layers 0-2: 54 of 54 names resolve"),
    ),
    truth(
        5,
        (
            "Without manual overrides the expert weights of glm_moe_dsa are not mapped and stay unfilled.",
            "without manual overrides the expert weights are not mapped at all",
            "so the expert weights of this one are skipped without a word",
        ),
        "confirmed",
        ("supports", "blk.3-78.ffn_gate_exps.weight     76  unmapped"),
    ),
)
