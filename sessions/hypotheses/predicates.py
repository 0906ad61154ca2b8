"""What exactly must hold of an output for a piece of evidence to stand, where a person says so.

max diff < 0.01         every number behind these words, in the unit that stands there
contains TritonMLA      these words stand in it, as whole words
lacks CUDA error        they do not
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

_COMPARED = re.compile(
    r"(?P<label>\S.*?)\s*(?P<sign><=|>=|==|!=|<|>)\s*(?P<bound>[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)"
)
_WORDED = re.compile(r"(?P<verb>contains|lacks)\s+(?P<words>\S.*)")
_NUMBER = r"\s*(?:[:=]|is|of)?\s*([-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|nan|inf|-inf)(?![\w.])"
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on an output."""

    text: str
    holds: Callable[[str], bool | None]
    """Returns None where an output does not tell: the words before the number are not there."""


def parse(text: str) -> Predicate | None:
    """Return the predicate that a text writes; None if it is none."""
    worded = _WORDED.fullmatch(text.strip())
    if worded:
        pattern = re.compile(rf"(?<!\w){re.escape(worded['words'].strip())}(?!\w)")
        wanted = worded["verb"] == "contains"
        return Predicate(text, lambda output: (pattern.search(output) is not None) == wanted)
    compared = _COMPARED.fullmatch(text.strip())
    return _comparing(text, compared) if compared else None


def _comparing(text: str, written: re.Match[str]) -> Predicate:
    label = re.compile(rf"(?<!\w){re.escape(written['label'])}{_NUMBER}")
    fits, bound = _SIGNS[written["sign"]], _number(written["bound"])

    def holds(output: str) -> bool | None:
        found = [_number(value) for value in label.findall(output)]
        return all(fits(value, bound) for value in found) if found else None

    return Predicate(text, holds)


def _number(text: str) -> float:
    return float(text.replace(",", ""))
