"""Words with the variables filled in that the same text has set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sessions.shell.syntax import Part, Word

Scope = Mapping[str, tuple[Part, ...]]
"""What is known of variables: the parts of their values, exact ones and ones that stand as written."""

_GLOB = frozenset("*?[")
_ACTIVE = frozenset({"glob", "brace", "tilde", "operator", "quote", "bytes"})


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a program: `value` is exact, or has the parts that only a shell could expand as written."""

    value: str
    exact: bool
    word: Word
    filled: bool = False
    """A variable of the text was filled in."""

    @property
    def shown(self) -> str:
        """The argument as a reader should see it: the word as written if nothing of it is known better."""
        return self.value if self.exact or self.filled else self.word.text


class _Splitter:
    """Joins parts to fields, and splits them where an unquoted variable has blanks in it."""

    def __init__(self, word: Word) -> None:
        self.word = word
        self.out: list[Field] = []
        self.text: list[str] = []
        self.open = False
        self.filled = False
        self.sound = not _ACTIVE.intersection(word.why)
        self.exact = self.sound

    def add(self, text: str, *, exact: bool = True) -> None:
        self.text.append(text)
        self.open = True
        self.exact = self.exact and exact

    def close(self) -> None:
        if self.open:
            self.out.append(Field("".join(self.text), self.exact, self.word, self.filled))
        self.text, self.open, self.exact = [], False, self.sound

    def split(self, text: str) -> None:
        """Add the value of an unquoted variable."""
        pieces = text.split()
        if text[:1].isspace():
            self.close()
        for index, piece in enumerate(pieces):
            if index:
                self.close()
            self.add(piece, exact=_GLOB.isdisjoint(piece))
        if pieces and text[-1:].isspace():
            self.close()


def expand(words: Sequence[Word], scope: Scope) -> list[Field]:
    """The arguments that `words` become, in a shell that knows the variables in `scope`."""
    out: list[Field] = []
    for word in words:
        if word.value is not None:
            out.append(Field(word.value, exact=True, word=word))
        else:
            out += _expand(word, scope)
    return out


def _expand(word: Word, scope: Scope) -> list[Field]:
    splitter = _Splitter(word)
    for part in word.parts:
        value = scope.get(part.name) if part.kind == "variable" else None
        splitter.filled = splitter.filled or value is not None
        for piece in (part,) if value is None else value:
            if value is None or part.quoted or piece.kind != "literal":
                splitter.add(piece.text, exact=piece.kind == "literal")
            else:
                splitter.split(piece.text)
    splitter.close()
    return splitter.out


def fill(word: Word, scope: Scope) -> tuple[Part, ...]:
    """The parts of a value that is assigned: known variables filled in, nothing split."""
    if word.value is not None:
        return (Part(word.value, quoted=True),)
    if "tilde" in word.why:
        return (Part(word.text, "expansion"),)
    return tuple(_filled(word.parts, scope))


def _filled(parts: Iterable[Part], scope: Scope) -> Iterable[Part]:
    for part in parts:
        value = scope.get(part.name) if part.kind == "variable" else None
        yield from (part,) if value is None else value


def join(parts: Iterable[Part]) -> str:
    """The text of parts, those that are not known as written."""
    return "".join(part.text for part in parts)


def known(parts: Iterable[Part]) -> bool:
    """Whether all of it is exact."""
    return all(part.kind == "literal" for part in parts)
