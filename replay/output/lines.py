"""Comparing two lines token by token, and keeping account of what may stand for what."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from replay.output.forms import Form, Piece, form_of, gist, outline
from replay.output.kinds import Kind
from replay.output.masks import Mask
from replay.output.relations import BINDING, RULES, says_same
from replay.output.rows.agreement import Agreement, Bindings, Bound
from replay.output.rows.columns import agree
from replay.output.rows.heads import heads
from replay.output.rows.outlines import Rows
from replay.output.tokens import Token, tokens
from sessions.models.replay import TokenDifference

PathMap = Callable[[str], str]

LONGEST = 500
"""Characters of a differing text that are kept."""
_MOST_REMEMBERED = 10_000
"""Pairs of texts whose agreement is kept, so that it is not found again on every line."""
_MOST_ALIGNED = 4000
"""Tokens of two lines of different shape up to which they are aligned."""


class Lines:
    """Compares pairs of lines of one pair of outputs."""

    def __init__(self, kind: Kind, map_path: PathMap) -> None:
        """Read outputs of `kind`; `map_path` maps a recorded path to the target's."""
        self.kind = kind
        self._map_path = map_path
        self._bindings: Bindings = {}
        self._known: set[str] = set()
        self._agreed: set[tuple[str, str]] = set()
        self.rules: dict[str, None] = {}
        """The rules that were needed, in the order of their first use."""

    @property
    def masking(self) -> bool:
        """Whether times may be masked before lines are compared: not in a source file."""
        return not self.kind.source

    def again(self) -> "Lines":
        """Return one like this that has seen no line yet."""
        return Lines(self.kind, self._map_path)

    @property
    def replaced(self) -> frozenset[str]:
        """The recorded values for which another one stood."""
        return frozenset(a for bound in self._bindings.values() for a, b in bound.there.items() if a != b)

    def key(self, line: str) -> object:
        """Return what lines that say the same have in common, rates and bound values aside."""
        if self.kind.source:
            return line
        found = form_of(outline(line), listing=self.kind.listing)
        return found.signature, found.fixed(line)

    def keys(self, text: Sequence[str]) -> Sequence[str]:
        """Return something rougher for every line of a text, at once: to align by, not to judge by."""
        return text if self.kind.source else gist("\n".join(text)).split("\n")

    def agree(self, rows: Rows, masks: tuple[Sequence[Mask], Sequence[Mask]]) -> bool:
        """Tell whether many pairs of lines all say the same; if so, what was seen is remembered.

        False where a closer look is needed at some of them.
        """
        if not rows[0]:
            return True
        found = Agreement(self._bindings, frozenset(self._known), padded=RULES["space"] in self.rules)
        if self.kind.source or not agree(rows, masks, found, listing=self.kind.listing):
            return False
        for kind, bound in found.bound.items():
            self._bindings.setdefault(kind, Bound({}, {})).take(bound)
        self._known.update(found.kinds)
        self.rules.update(dict.fromkeys(RULES[kind] for kind in found.kinds if RULES[kind] not in self.rules))
        return True

    def told(self, masked: tuple[str, str], whole: tuple[str, str], number: int) -> list[TokenDifference]:
        """Return what differs between two lines, given also with their times masked; what was seen is remembered."""
        if masked[0] == masked[1]:
            self.rules.setdefault(RULES["time"])
            return []
        pair = heads(*masked)
        if pair in self._agreed:
            return []
        found = self.differences(*whole, number)
        if not found and len(self._agreed) < _MOST_REMEMBERED:
            self._agreed.add(pair)
        return found

    def differences(self, recorded: str, new: str, number: int) -> list[TokenDifference]:
        """Return what differs between two lines; `number` is the recorded one's, from 1."""
        if recorded == new:
            return []
        if self.kind.source:
            return self._source(recorded, new, number)
        if self._agree(recorded, new):
            return []
        return self._apart(recorded, new, number)

    def confirm(self, line: str, number: int) -> list[TokenDifference]:
        """Return where a line that both outputs have goes against what stands for what elsewhere."""
        pieces = (token for token in tokens(line, listing=self.kind.listing) if token.policy in BINDING)
        return [difference(number, each.kind, each.text, each.text) for each in pieces if not self._bound(each, each)]

    def _agree(self, recorded: str, new: str) -> bool:
        """Tell, without cutting them up, whether two lines say the same; False where a closer look is needed."""
        listing = self.kind.listing
        recorded, new = heads(recorded, new)
        outlined, other = outline(recorded), outline(new)
        left = right = form_of(outlined, listing=listing)
        if outlined == other:
            agreed = left.solid(recorded) == left.solid(new)
        else:
            right = form_of(other, listing=listing)
            padded = RULES["space"] in self.rules
            agreed = left.signature == right.signature and (
                left.fixed(recorded) == right.fixed(new) if padded else left.solid(recorded) == right.solid(new)
            )
        if not agreed or (left.loose and not self._chosen_agree(left, right, recorded, new)):
            return False
        if not left.kinds <= self._known:
            self._note(left, right, recorded, new)
        return True

    def _chosen_agree(self, left: Form, right: Form, recorded: str, new: str) -> bool:
        pairs = zip(left.loose, right.loose, strict=True)
        return all(self._same(_token(a, recorded), _token(b, new)) for a, b in pairs)

    def _note(self, left: Form, right: Form, recorded: str, new: str) -> None:
        """Note the rules by which two lines say the same."""
        for kind in left.kinds - self._known:
            if left.of_kind[kind](recorded) != right.of_kind[kind](new):
                self._known.add(kind)
                self.rules.setdefault(RULES[kind])

    def _source(self, recorded: str, new: str, number: int) -> list[TokenDifference]:
        if self._map_path(recorded) == new:
            self.rules.setdefault(RULES["path"])
            return []
        return _aligned(tokens(recorded), tokens(new), number)

    def _apart(self, recorded: str, new: str, number: int) -> list[TokenDifference]:
        """Compare token by token."""
        left = tokens(recorded, listing=self.kind.listing)
        right = tokens(new, listing=self.kind.listing)
        if [token.kind for token in left] != [token.kind for token in right]:
            return _aligned(left, right, number)
        return [
            difference(number, a.kind, a.text, b.text)
            for place, (a, b) in enumerate(zip(left, right, strict=True))
            if not self._same(a, b, first=place == 0)
        ]

    def _same(self, recorded: Token, new: Token, *, first: bool = False) -> bool:
        """Tell whether two tokens of one type say the same, and note the rule that says so."""
        if recorded.text == new.text:
            return recorded.policy not in BINDING or self._bound(recorded, new)
        if not self._says_same(recorded, new, first=first):
            return False
        self.rules.setdefault(RULES[recorded.kind])
        return True

    def _says_same(self, recorded: Token, new: Token, *, first: bool) -> bool:
        if recorded.kind == "space":
            return not first
        if recorded.kind == "path":
            return self._map_path(recorded.text) == new.text
        if recorded.policy != new.policy or not says_same(recorded.policy, recorded.text, new.text):
            return False
        return recorded.policy not in BINDING or self._bound(recorded, new)

    def _bound(self, recorded: Token, new: Token) -> bool:
        """One recorded value stands for one new value, throughout and both ways."""
        there, back = self._bindings.setdefault(recorded.kind, Bound({}, {}))
        return (
            there.setdefault(recorded.text, new.text) == new.text
            and back.setdefault(new.text, recorded.text) == recorded.text
        )


def _token(piece: Piece, line: str) -> Token:
    return Token(piece.kind, line[piece.start : piece.end], piece.policy)


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
