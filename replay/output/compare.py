"""Whether a new output says what the recorded one said: exactly, by typed tokens, in another order or place."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from replay.output import moved
from replay.output.kinds import Kind, kind_of
from replay.output.lines import DRIFT, Lines, difference
from replay.output.terminal import settle
from replay.rewrite import PathRules
from sessions.models.replay import Compared, TokenDifference

MOST_TOKENS = 200
"""Differing tokens that are kept."""
_DIGITS = re.compile(r"\d+")
_MOST_ALIGNED = 4000
"""Lines up to which outputs of different length are aligned; longer ones are compared in place."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What counts beside the texts."""

    exit_codes: tuple[int | None, int | None] = (None, None)
    """Recorded and new; None where not known."""
    reconstructed: bool = False
    """The recording itself says that it is none."""
    whole: str | None = None
    """The whole file on the target of which a part was printed."""
    paths: PathRules = field(default_factory=PathRules)


def compare(
    recorded: str,
    new: str,
    *,
    argv: Sequence[str] | None = None,
    truncated: bool = False,
    circumstances: Circumstances | None = None,
) -> Compared:
    """Return how `new` compares to `recorded`, which rules that took, and the tokens that differ.

    `argv` is the call that printed both; `truncated` says that the recording was cut. Texts are those of
    `sessions.ingest.display.clean`.
    """
    about = circumstances or Circumstances()
    if about.reconstructed:
        return Compared(comparison="not-comparable", detail="the recording is a reconstruction")
    compared = _texts(recorded, new, kind_of(argv), about)
    if truncated and compared.comparison != "identical":
        detail = "the recording was cut, and the rest differs" if compared.tokens else "the recording was cut"
        return compared.model_copy(update={"comparison": "recording-truncated", "detail": detail})
    before, after = about.exit_codes
    if before is not None and after is not None and before != after and compared.comparison != "moved":
        detail = f"exit status {before} became {after}"
        return compared.model_copy(update={"comparison": "exit-status-changed", "detail": detail})
    return compared


def _texts(recorded: str, new: str, kind: Kind, about: Circumstances) -> Compared:
    if recorded.rstrip("\n") == new.rstrip("\n"):
        return Compared(comparison="identical")
    (left, rules), (right, more) = settle(recorded), settle(new)
    rules = tuple(dict.fromkeys((*rules, *more)))
    if left == right:
        return Compared(comparison="equivalent", rules=rules)
    lines = Lines(kind, about.paths.map_text if kind.source else about.paths.map)
    tokens = _differences(left.split("\n"), right.split("\n"), lines)
    used = (*rules, *lines.rules)
    if not tokens:
        return Compared(comparison="drift" if DRIFT in lines.rules else "equivalent", rules=used)
    found = _elsewhere(left, right, kind, about) or _reordered(left, right, kind)
    if found:
        return found.model_copy(update={"rules": (*rules, *found.rules)})
    return Compared(comparison="changed", rules=used, tokens=tuple(tokens[:MOST_TOKENS]))


def _differences(left: Sequence[str], right: Sequence[str], lines: Lines) -> list[TokenDifference]:
    if len(left) == len(right):
        pairs = zip(left, right, strict=True)
        return [token for place, (a, b) in enumerate(pairs, 1) for token in lines.differences(a, b, place)]
    skipped = _common(left, right)
    left, right = left[skipped:], right[skipped:]
    behind = _common(left[::-1], right[::-1])
    left, right = left[: len(left) - behind], right[: len(right) - behind]
    found: list[TokenDifference] = []
    for a, b, c, d in _stretches(left, right):
        for place in range(max(b - a, d - c)):
            before = left[a + place] if a + place < b else None
            after = right[c + place] if c + place < d else None
            if before is not None and after is not None:
                found += lines.differences(before, after, skipped + a + place + 1)
            else:
                found.append(difference(skipped + a + place + 1, "line", before or "", after or ""))
    return found


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many lines two texts begin with alike."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))


def _stretches(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the differing stretches of two texts; of very long ones the whole."""
    if max(len(left), len(right)) > _MOST_ALIGNED:
        return [(0, len(left), 0, len(right))]
    matcher = SequenceMatcher(
        None, [_outline(line) for line in left], [_outline(line) for line in right], autojunk=False
    )
    stretches = [(a, b, c, d) for what, a, b, c, d in matcher.get_opcodes() if what != "equal"]
    alike = [
        (a + n, a + n + 1, c + n, c + n + 1)
        for what, a, b, c, _ in matcher.get_opcodes()
        if what == "equal"
        for n in range(b - a)
        if left[a + n] != right[c + n]
    ]
    return sorted([*stretches, *alike])


def _outline(line: str) -> str:
    """Return a line with its digits alike, so that lines of one form are aligned with each other."""
    return _DIGITS.sub("0", line)


def _elsewhere(left: str, right: str, kind: Kind, about: Circumstances) -> Compared | None:
    if kind.numbered:
        return moved.renumbered(left, right)
    if about.whole is not None and kind.first is not None:
        return moved.block(about.paths.map_text(left), about.whole, kind.first)
    return None


def _reordered(left: str, right: str, kind: Kind) -> Compared | None:
    if not kind.unordered or Counter(left.split("\n")) != Counter(right.split("\n")):
        return None
    return Compared(comparison="reordered", rules=("the order of this program's lines means nothing",))
