"""Comparing two lines token by token, and keeping account of what may stand for what."""

from collections.abc import Callable
from difflib import SequenceMatcher

from replay.output.kinds import Kind
from replay.output.tokens import RATE_TOLERANCE, Token, form, rate, tokens
from sessions.models.replay import TokenDifference

PathMap = Callable[[str], str]

_RULES = {
    "time": "times may differ",
    "pid": "process ids stand for one another",
    "address": "addresses stand for one another",
    "uuid": "identifiers stand for one another",
    "gpu": "GPU identities stand for one another",
    "temporary": "temporary names stand for one another",
    "duration": "durations in a log may differ",
    "rate": f"rates within {RATE_TOLERANCE:.0%}",
    "path": "paths as mapped",
    "space": "column padding",
}
LONGEST = 500
"""Characters of a differing text that are kept."""
_MOST_ALIGNED = 4000
"""Tokens of two lines of different shape up to which they are aligned."""
DRIFT = _RULES["rate"]


class Lines:
    """Compares pairs of lines of one pair of outputs."""

    def __init__(self, kind: Kind, map_path: PathMap) -> None:
        """Read outputs of `kind`; `map_path` maps a recorded path to the target's."""
        self._kind = kind
        self._map_path = map_path
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}
        self.rules: dict[str, None] = {}
        """The rules that were needed, in the order of their first use."""

    def differences(self, recorded: str, new: str, number: int) -> list[TokenDifference]:
        """Return what differs between two lines; `number` is the recorded one's, from 1."""
        if recorded == new:
            return []
        if self._kind.source:
            return self._source(recorded, new, number)
        left = tokens(recorded, listing=self._kind.listing)
        right = tokens(new, listing=self._kind.listing)
        if len(left) != len(right) or any(a.kind != b.kind for a, b in zip(left, right, strict=True)):
            return _aligned(left, right, number)
        return [
            difference(number, a.kind, a.text, b.text)
            for place, (a, b) in enumerate(zip(left, right, strict=True))
            if not self._same(a, b, first=place == 0)
        ]

    def _source(self, recorded: str, new: str, number: int) -> list[TokenDifference]:
        if self._map_path(recorded) == new:
            return []
        return _aligned(tokens(recorded), tokens(new), number)

    def _same(self, recorded: Token, new: Token, *, first: bool) -> bool:
        """Tell whether two tokens of one type say the same, and note the rule that says so."""
        if recorded.text == new.text:
            return self._consistent(recorded, new)
        if not self._says_same(recorded, new, first=first):
            return False
        self.rules.setdefault(_RULES[recorded.kind])
        return True

    def _says_same(self, recorded: Token, new: Token, *, first: bool) -> bool:
        if recorded.kind == "space":
            return not first
        if recorded.kind == "path":
            return self._map_path(recorded.text) == new.text
        if recorded.policy != new.policy or recorded.policy == "exact":
            return False
        if recorded.policy == "any":
            return recorded.kind == "duration" or form(recorded.text) == form(new.text)
        if recorded.policy == "rate":
            return _close(recorded.text, new.text)
        return self._consistent(recorded, new)

    def _consistent(self, recorded: Token, new: Token) -> bool:
        """One recorded value stands for one new value, throughout and both ways."""
        if recorded.policy != "same" or new.policy != "same":
            return True
        key, value = f"{recorded.kind}:{recorded.text}", f"{new.kind}:{new.text}"
        return self._there.setdefault(key, value) == value and self._back.setdefault(value, key) == key


def _close(recorded: str, new: str) -> bool:
    (a, unit), (b, other) = rate(recorded), rate(new)
    return unit == other and abs(a - b) <= RATE_TOLERANCE * max(abs(a), abs(b))


def difference(line: int, kind: str, recorded: str, new: str) -> TokenDifference:
    """Return a difference, its texts cut to what a person would read."""
    return TokenDifference(line=line, kind=kind, recorded=_cut(recorded), new=_cut(new))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _aligned(left: list[Token], right: list[Token], number: int) -> list[TokenDifference]:
    """Return the differing stretches of two lines of different shape."""
    if len(left) + len(right) > _MOST_ALIGNED:
        return [_first_difference(left, right, number)]
    matcher = SequenceMatcher(None, [token.text for token in left], [token.text for token in right], autojunk=False)
    found = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "equal":
            recorded, new = left[a:b], right[c:d]
            kind = (recorded or new)[0].kind
            text, other = "".join(t.text for t in recorded), "".join(t.text for t in new)
            found.append(difference(number, kind, text, other))
    return found


def _first_difference(left: list[Token], right: list[Token], number: int) -> TokenDifference:
    """Return where two long lines part: aligning them would take too long."""
    pairs = zip(left, right, strict=False)
    place = next((n for n, (a, b) in enumerate(pairs) if a.text != b.text), min(len(left), len(right)))
    recorded, new = left[place : place + 1], right[place : place + 1]
    kind = (recorded or new)[0].kind if recorded or new else "line"
    return difference(number, kind, "".join(t.text for t in recorded), "".join(t.text for t in new))
