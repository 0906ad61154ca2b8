"""Simple commands out of the nodes of the grammar, with its misreadings of lines and words put right."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from tree_sitter import Node

from sessions.shell.lift import Heredoc, Lifted
from sessions.shell.syntax import Assignment, Redirect, Simple, Word
from sessions.shell.words import decode, decode_assigned

REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_TESTS = frozenset({"unary_expression", "binary_expression", "parenthesized_expression", "postfix_expression"})
_START = itemgetter(0)
_STRAY = re.compile(r"[\w.,:=+/-]+\Z", re.ASCII)

_Piece = tuple[int, int, Redirect | Node | None]
"""Start and end, and what stands there: a redirection, an assignment's node, or None for a word."""


@dataclass(slots=True)
class Source:
    """The text that a tree was made of: as it was, and with its heredocs overwritten; all positions are the same."""

    text: str
    lifted: Lifted
    problem: str | None = None
    """The first thing that no node covers."""

    def word(self, start: int, end: int) -> Word:
        """The word that stands there."""
        return decode(self.text[start:end], start)

    def slice(self, node: Node) -> str:
        """What a node covers."""
        return self.text[node.start_byte : node.end_byte]

    def check_gap(self, start: int, end: int) -> str:
        """What stands between two nodes, blanks aside: nothing, as a rule, else a problem unless somebody takes it."""
        return self.lifted.text[start:end].strip() if end > start else ""

    def complain(self, at: int) -> None:
        """Note that the grammar left something out."""
        self.problem = self.problem or f"not understood: {self.text[at : at + 20].strip()!r}"


def read_simples(source: Source, nodes: Sequence[Node], redirects: Sequence[Node]) -> list[Simple]:
    """The simple command that `nodes` and the `redirects` behind them are.

    Two, if the grammar has read on over the end of a line, as it does where the next line could be a test.
    """
    pieces = _pieces(source, nodes, redirects)
    declares = bool(nodes) and nodes[0].type == "declaration_command"
    return [_simple(source, line, declares=declares) for line in _lines(source, pieces)]


def _pieces(source: Source, nodes: Sequence[Node], redirects: Sequence[Node]) -> list[_Piece]:
    found: list[_Piece] = []
    for node in nodes:
        for child in _children(node):
            kind = child.type
            if kind in REDIRECTS:
                found += _redirect(source, child)
            elif kind != "comment":
                found.append((child.start_byte, child.end_byte, child if kind == "variable_assignment" else None))
    for node in redirects:
        found += _redirect(source, node)
    found.sort(key=_START)
    return found


def _children(node: Node) -> Iterable[Node]:
    """The parts of a simple command that are words, assignments or redirections."""
    if node.type == "variable_assignment":
        return (node,)
    if node.type == "test_command":
        return _flat(node.children)
    return node.children


def _flat(nodes: Iterable[Node]) -> list[Node]:
    """The words of ``[ … ]``, out of the expressions that the grammar reads into them."""
    out: list[Node] = []
    rest = list(nodes)[::-1]
    while rest:
        node = rest.pop()
        if node.type in _TESTS:
            rest += node.children[::-1]
        else:
            out.append(node)
    return out


def _lines(source: Source, pieces: list[_Piece]) -> list[list[_Piece]]:
    """The pieces line by line, what the grammar has left out between them put in, and touching words joined."""
    lines: list[list[_Piece]] = []
    text, end = source.lifted.text, -1
    for start, stop, content in pieces:
        gap = text[end:start] if lines else "\n"
        if gap == " ":
            pass
        elif "\n" in gap:
            lines.append([])
        elif stray := gap.strip():
            at = text.index(stray, end)
            if _STRAY.match(stray):
                lines[-1].append((at, at + len(stray), None))
            else:
                source.complain(at)
        touches = end >= start and content is None and lines[-1] and lines[-1][-1][2] is None
        first = lines[-1].pop()[0] if touches else start
        end = max(end, stop)
        lines[-1].append((first, end, content))
    return lines


def _simple(source: Source, pieces: list[_Piece], *, declares: bool) -> Simple:
    words: list[Word] = []
    assignments: list[Assignment] = []
    redirects: list[Redirect] = []
    text = source.text
    for start, end, content in pieces:
        if content is None:
            words.append(decode(text[start:end], start))
        elif isinstance(content, Redirect):
            redirects.append(content)
        elif words or declares or not (assignment := _assignment(source, content)):
            words.append(decode(text[start:end], start))
        else:
            assignments.append(assignment)
    start, end = (pieces[0][0], pieces[-1][1]) if pieces else (0, 0)
    return Simple(tuple(words), tuple(assignments), tuple(redirects), text[start:end], start, end)


def _assignment(source: Source, node: Node) -> Assignment | None:
    """None if its name is none in the shell, so that the whole is a word."""
    text = source.slice(node)
    name, _, rest = text.partition("=")
    plain = name.removesuffix("+")
    if not plain.isascii():
        return None
    value = None
    if plain.isidentifier() and not rest.startswith("("):
        value = decode_assigned(rest, node.start_byte + len(name) + 1)
    return Assignment(plain, value, text, name.endswith("+"))


def read_redirects(source: Source, nodes: Iterable[Node]) -> tuple[Redirect, ...]:
    """The redirections behind a compound statement."""
    pieces = sorted((piece for node in nodes for piece in _redirect(source, node)), key=lambda piece: piece[0])
    return tuple(content for _, _, content in pieces if isinstance(content, Redirect))


def _redirect(source: Source, node: Node) -> Iterator[_Piece]:
    """A redirection, and the words behind its target, which the grammar takes for further targets."""
    fd, operator, spans = None, "", []
    at = node.start_byte
    for child in node.children:
        if child.type == "file_descriptor":
            fd = source.slice(child)
        elif not operator and not child.is_named:
            operator, at = child.type, child.start_byte
        else:
            spans.append((child.start_byte, child.end_byte))
    targets = _joined(spans)
    if heredoc := source.lifted.heredocs.get(at):
        redirect = _heredoc(source, heredoc, fd, node.start_byte)
    else:
        target = source.word(*targets[0]) if targets else None
        start, end = node.start_byte, target.end if target else node.end_byte
        redirect = Redirect(operator, fd, target, source.text[start:end], start, end)
    yield redirect.start, redirect.end, redirect
    yield from ((start, end, None) for start, end in targets[1:])


def _heredoc(source: Source, heredoc: Heredoc, fd: str | None, start: int) -> Redirect:
    target = decode(heredoc.delimiter, heredoc.end - len(heredoc.delimiter))
    text = source.text[start : heredoc.end]
    return Redirect(heredoc.operator, fd, target, text, start, heredoc.end, heredoc.body, heredoc.quoted)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that touch are one word."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if out and out[-1][1] >= start:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
