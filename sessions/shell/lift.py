"""What the grammar reads otherwise than bash does, overwritten before a text is parsed.

* A heredoc that is followed by ``|`` or ``;``, two of them on one line, or one in front of the command. Each operator
  becomes an input redirection of the same length, each body blanks.
* ``$'…'`` with a backslash before its last quote. It becomes plain characters.
* A line that goes on after a backslash. Within a word the two characters become plain ones, else blanks.

Every position in the text stays what it was.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sessions.shell import nesting
from sessions.shell.words import decode

_OPERATOR = re.compile(r"<<(-?)[ \t]*((?:\\.|'[^']*'|\"[^\"]*\"|[^\s\\'\"<>|&;()`])+)", re.DOTALL)
_STOP = re.compile(r"""[\\'"`$()#\n]|<<<?|\}""")
_CONTINUATION = re.compile(r"(?:\\\n)+")
_QUOTED_STOP = re.compile(r"""[\\"`]|\$[({]""")


@dataclass(frozen=True, slots=True)
class Heredoc:
    """One heredoc: `start` to `end` is its operator with the delimiter, the body stands elsewhere."""

    start: int
    end: int
    operator: str
    delimiter: str
    """As written."""
    body: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Lifted:
    """A text without heredocs, as long as the one with them, and the heredocs by the start of their operators."""

    text: str
    heredocs: dict[int, Heredoc]


class _Lifter:
    """Walks a text once, with a stack of what it is inside of: ``(`` ``((`` ``{`` for ``${``, or a double quote."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.inside: list[str] = []
        self.pending: list[re.Match[str]] = []
        self.heredocs: dict[int, Heredoc] = {}
        self.edits: list[tuple[int, int, str]] = []
        self.protected = -1
        """Where the last character that a backslash protects ends."""
        self.readers: dict[str, Callable[[int], int]] = {
            "'": self.single,
            "`": self.backquote,
            "$": self.dollar,
            "#": self.comment,
            "\n": self.newline,
            "<<": self.operator,
        }

    def walk(self) -> None:
        at = 0
        while at < len(self.text):
            quoted = self.quoted
            found = (_QUOTED_STOP if quoted else _STOP).search(self.text, at)
            if not found:
                return
            at = self.in_quotes(found) if quoted else self.outside(found)

    @property
    def quoted(self) -> bool:
        return bool(self.inside) and self.inside[-1] == '"'

    def in_quotes(self, found: re.Match[str]) -> int:
        mark = found.group()
        if mark == '"':
            self.inside.pop()
        elif mark == "\\":
            return found.end() + 1
        elif mark == "`":
            return nesting.skip_backquote(self.text, found.end())
        else:
            return self.dollar(found.start())
        return found.end()

    def outside(self, found: re.Match[str]) -> int:
        mark, end = found.group(), found.end()
        if mark == "\\":
            return self.backslash(found.start())
        if mark == '"':
            self.inside.append(mark)
            return end
        if mark in "(){}":
            return self.bracket(mark, end)
        if mark == "<<<":
            return end
        return self.readers[mark](found.start())

    def backslash(self, at: int) -> int:
        run = _CONTINUATION.match(self.text, at)
        if not run:
            self.protected = at + 2
            return at + 2
        before = at == self.protected or not _ends(self.text[at - 1 : at])
        within = before and not _ends(self.text[run.end() : run.end() + 1])
        self.edits.append((at, run.end(), ("_" if within else " ") * (run.end() - at)))
        return run.end()

    def newline(self, at: int) -> int:
        return self.bodies(at + 1)

    def single(self, at: int) -> int:
        return nesting.skip_single(self.text, at + 1)

    def ansi(self, at: int) -> int:
        end = nesting.skip_ansi(self.text, at + 2)
        if end <= len(self.text):
            self.edits.append((at, end, "_" * (end - at)))
        return end

    def backquote(self, at: int) -> int:
        return nesting.skip_backquote(self.text, at + 1)

    def dollar(self, at: int) -> int:
        text = self.text
        if text.startswith("$'", at) and not self.quoted:
            return self.ansi(at)
        for opening in ("$((", "$(", "${"):
            if text.startswith(opening, at):
                self.inside.append(opening[1:])
                return at + len(opening)
        return at + 1

    def bracket(self, mark: str, end: int) -> int:
        """A parenthesis or a brace opens or closes what the text is inside of."""
        top = self.inside[-1] if self.inside else ""
        if mark == "(":
            arithmetic = self.text.startswith("(", end) and top not in {"((", "{"}
            self.inside.append("((" if arithmetic else "(")
            return end + arithmetic
        if mark == ")" and top == "((" and self.text.startswith(")", end):
            self.inside.pop()
            return end + 1
        if (mark == ")" and top == "(") or (mark == "}" and top == "{"):
            self.inside.pop()
        elif mark == ")" and top == "((":
            self.inside[-1] = "("
        return end

    def comment(self, at: int) -> int:
        if (at and self.text[at - 1] not in " \t\n;&|(") or (self.inside and self.inside[-1] in {"{", "(("}):
            return at + 1
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def operator(self, at: int) -> int:
        found = _OPERATOR.match(self.text, at)
        if not found or (self.inside and self.inside[-1] in {"((", "{"}):
            return at + 2
        self.pending.append(found)
        return found.end()

    def bodies(self, at: int) -> int:
        """Read the bodies that wait for this line end; they begin at `at`."""
        for operator in self.pending:
            at = self.body(operator, at)
        self.pending.clear()
        return at

    def body(self, operator: re.Match[str], at: int) -> int:
        dash, delimiter = operator.groups()
        end_word = decode(delimiter).value or delimiter
        start, lines = at, []
        while at < len(self.text):
            newline = self.text.find("\n", at)
            end = len(self.text) if newline < 0 else newline + 1
            line = self.text[at:end].lstrip("\t") if dash else self.text[at:end]
            at = end
            if line.rstrip("\n") == end_word and line.count("\n") <= 1:
                break
            lines.append(line)
        self.keep(operator, "".join(lines))
        self.edits.append((start, at, re.sub(r"[^\n]", " ", self.text[start:at])))
        return at

    def keep(self, operator: re.Match[str], body: str) -> None:
        dash, delimiter = operator.groups()
        quoted = any(each in delimiter for each in "'\"\\")
        start, end = operator.span()
        self.heredocs[start] = Heredoc(start, end, f"<<{dash}", delimiter, body, quoted)
        self.edits.append((start, end, "<" + "_" * (end - start - 1)))


def _ends(char: str) -> bool:
    """Whether a word ends at this character."""
    return char in " \t\n;&|<>()"


def lift(text: str) -> Lifted:
    """The text with all of this overwritten, and its heredocs; one without an end goes to the end of the text."""
    if "<<" not in text and "$'" not in text and "\\\n" not in text:
        return Lifted(text, {})
    lifter = _Lifter(text)
    lifter.walk()
    lifter.bodies(len(text))
    return Lifted(_overwrite(text, lifter), lifter.heredocs)


def _overwrite(text: str, lifter: _Lifter) -> str:
    out, at = [], 0
    for start, end, new in sorted(lifter.edits):
        out += [text[at:start], new]
        at = end
    return "".join([*out, text[at:]])
