"""From the nodes of the grammar to our own syntax tree."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tree_sitter import Node

from sessions.shell.lift import Heredoc
from sessions.shell.syntax import (
    Assignment,
    Compound,
    CompoundKind,
    Joint,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Stage,
    Word,
)
from sessions.shell.words import decode, decode_assigned

DEEPEST = 8
"""Compound statements within one another."""

_COMPOUNDS: dict[str, CompoundKind] = {
    "for_statement": "for", "c_style_for_statement": "loop", "while_statement": "while", "if_statement": "if",
    "case_statement": "case", "subshell": "subshell", "compound_statement": "group",
    "function_definition": "function", "test_command": "test",
}  # fmt: skip
_CONTAINERS = frozenset({"do_group", "elif_clause", "else_clause", "case_item"})
_STATEMENTS = frozenset({
    "list", "pipeline", "command", "redirected_statement", "negated_command", "declaration_command", "unset_command",
    "variable_assignment", "variable_assignments", *_COMPOUNDS,
})  # fmt: skip
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_TESTS = frozenset({"unary_expression", "binary_expression", "parenthesized_expression", "postfix_expression"})
_KEYWORD_COMPOUNDS: dict[str, CompoundKind] = {"select": "select", "until": "until", "((": "arithmetic", "[[": "test"}


class TooDeep(Exception):
    """Compound statements nest deeper than `DEEPEST`; never leaves this package."""


class Reader:
    """Reads the tree of one text, in which heredocs were overwritten."""

    def __init__(self, text: str, heredocs: dict[int, Heredoc]) -> None:
        """Keep the text as it was before, which has the positions of the tree, and its heredocs."""
        self.text = text
        self.heredocs = heredocs
        self.depth = 0

    def script(self, node: Node) -> Script:
        """All statements under `node`. Raises TooDeep."""
        self.depth += 1
        if self.depth > DEEPEST + 1:
            raise TooDeep
        pipelines: list[Pipeline] = []
        header = node.type == "c_style_for_statement"
        self._collect((c for c in node.children if not header or c.type in _CONTAINERS), pipelines)
        self.depth -= 1
        return Script(tuple(pipelines))

    def _collect(self, nodes: Iterable[Node], out: list[Pipeline]) -> None:
        """Add the statements among `nodes`, and in the clauses among them, joined as the text joins them."""
        joint: Joint = "&" if out and out[-1].background else ";"
        for node in nodes:
            if node.type in _STATEMENTS:
                chain = self._chain(node)
                if chain and out:
                    chain[0] = replace(chain[0], after=joint)
                out += chain
                joint = ";"
            elif node.type == "&" and out:
                _put_in_background(out)
                joint = "&"
            elif node.type in _CONTAINERS:
                self._collect(node.children, out)
                joint = ";"

    def _chain(self, node: Node, redirects: Sequence[Node] = ()) -> list[Pipeline]:
        """One and-or list; `redirects` stand behind its last command."""
        if node.type == "redirected_statement":
            body, more = _split_redirects(node)
            if body is None:
                return [Pipeline((self._simple((), (*more, *redirects)),))]
            return self._chain(body, (*more, *redirects))
        if node.type == "list":
            return self._list(node, redirects)
        if node.type == "negated_command":
            return self._negated(node, redirects)
        if node.type == "pipeline":
            return self._pipeline(node, redirects)
        return [Pipeline((self._stage(node, redirects),))]

    def _list(self, node: Node, redirects: Sequence[Node]) -> list[Pipeline]:
        """The list grows to the left: walked in a loop, since one may have thousands of members."""
        members: list[tuple[Joint, Node]] = []
        while node.type == "list":
            named = [child for child in node.children if child.type in _STATEMENTS]
            joint: Joint = "||" if any(child.type == "||" for child in node.children) else "&&"
            members += [(joint, child) for child in reversed(named[1:])]
            if not named:
                break
            node = named[0]
        else:
            members.append(("", node))
        out: list[Pipeline] = []
        for index, (joint, member) in enumerate(reversed(members)):
            chain = self._chain(member, redirects if index == len(members) - 1 else ())
            chain[0] = replace(chain[0], after=joint if out else "")
            out += chain
        return out

    def _negated(self, node: Node, redirects: Sequence[Node]) -> list[Pipeline]:
        negated = False
        while node.type == "negated_command":
            inner = [child for child in node.children if child.type in _STATEMENTS]
            negated = not negated
            if not inner:
                return []
            node = inner[0]
        chain = self._chain(node, redirects)
        if chain:
            chain[0] = replace(chain[0], negated=negated)
        return chain

    def _pipeline(self, node: Node, redirects: Sequence[Node]) -> list[Pipeline]:
        """A pipeline. The grammar may have a whole list in place of a stage: then only the near end is piped."""
        members = [child for child in node.children if child.type in _STATEMENTS]
        bars = [child for child in node.children if child.type in {"|", "|&"}]
        out: list[Pipeline] = []
        for index, member in enumerate(members):
            chain = self._chain(member, redirects if index == len(members) - 1 else ())
            if out and chain:
                bar = bars[index - 1] if index <= len(bars) else None
                chain[0] = _piped(out.pop(), chain[0], bar)
            out += chain
        return out

    def _stage(self, node: Node, redirects: Sequence[Node]) -> Stage:
        kind = _COMPOUNDS.get(node.type)
        if kind is None or (kind == "test" and node.children[0].type == "["):
            return self._simple((node,), redirects)
        return self._compound(node, _KEYWORD_COMPOUNDS.get(node.children[0].type, kind), redirects)

    # -- compound statements

    def _compound(self, node: Node, kind: CompoundKind, redirect_nodes: Sequence[Node]) -> Compound:
        redirects, _ = self._redirects((*redirect_nodes, *(c for c in node.children if c.type in _REDIRECTS)))
        start, end = node.start_byte, max([node.end_byte, *(each.end for each in redirects)])
        body = None if kind in {"test", "arithmetic"} else self.script(node)
        named = kind in {"for", "select", "case", "function"}
        subject, words = self._header(node) if named else ("", ())
        return Compound(kind, body, redirects, self.text[start:end], start, end, subject, words)

    def _header(self, node: Node) -> tuple[str, tuple[Word, ...]]:
        subject = ""
        words = []
        for child in node.children:
            if child.type in {"do_group", "case_item", "compound_statement", "subshell"}:
                break
            if child.type == "variable_name" or (node.type == "function_definition" and child.type == "word"):
                subject = self._slice(child)
            elif child.is_named and child.type != "comment":
                words.append(self._word(child.start_byte, child.end_byte))
        return subject, tuple(words)

    # -- simple commands

    def _simple(self, nodes: Sequence[Node], redirect_nodes: Sequence[Node]) -> Simple:
        assignments: list[Assignment] = []
        spans: list[tuple[int, int]] = []
        inner: list[Node] = []
        for node in nodes:
            for child in _pieces(node):
                if child.type in _REDIRECTS:
                    inner.append(child)
                elif child.type == "variable_assignment" and not spans and node.type != "declaration_command":
                    self._assign(child, assignments, spans)
                elif child.type != "comment":
                    spans.append((child.start_byte, child.end_byte))
        redirects, displaced = self._redirects((*inner, *redirect_nodes))
        words = tuple(self._word(*span) for span in _joined(sorted([*spans, *displaced])))
        start, end = self._extent((*nodes, *redirect_nodes))
        return Simple(words, tuple(assignments), redirects, self.text[start:end], start, end)

    def _assign(self, node: Node, assignments: list[Assignment], spans: list[tuple[int, int]]) -> None:
        """An assignment in front of a command; one whose name is no name is the command's first word."""
        text = self._slice(node)
        name, _, _ = text.partition("=")
        plain = name.removesuffix("+")
        if not plain.isascii():
            spans.append((node.start_byte, node.end_byte))
            return
        value = None
        if plain.isidentifier() and not text.startswith("(", len(name) + 1):
            value = decode_assigned(text[len(name) + 1 :], node.start_byte + len(name) + 1)
        assignments.append(Assignment(plain, value, text, name.endswith("+")))

    def _redirects(self, nodes: Iterable[Node]) -> tuple[tuple[Redirect, ...], list[tuple[int, int]]]:
        """The redirections, and the words behind a target, which the grammar takes for further targets."""
        out: list[Redirect] = []
        displaced: list[tuple[int, int]] = []
        for node in nodes:
            redirect, more = self._redirect(node)
            out.append(redirect)
            displaced += more
        return tuple(sorted(out, key=lambda each: each.start)), displaced

    def _redirect(self, node: Node) -> tuple[Redirect, list[tuple[int, int]]]:
        fd, operator, spans = None, "", []
        at = node.start_byte
        for child in node.children:
            if child.type == "file_descriptor":
                fd = self._slice(child)
            elif not operator and not child.is_named:
                operator, at = child.type, child.start_byte
            else:
                spans.append((child.start_byte, child.end_byte))
        spans = _joined(spans)
        if heredoc := self.heredocs.get(at):
            return self._heredoc(heredoc, fd, node.start_byte), spans[1:]
        target = self._word(*spans[0]) if spans else None
        start, end = node.start_byte, target.end if target else node.end_byte
        return Redirect(operator, fd, target, self.text[start:end], start, end), spans[1:]

    def _heredoc(self, heredoc: Heredoc, fd: str | None, start: int) -> Redirect:
        target = decode(heredoc.delimiter, heredoc.end - len(heredoc.delimiter))
        text = self.text[start : heredoc.end]
        return Redirect(heredoc.operator, fd, target, text, start, heredoc.end, heredoc.body, heredoc.quoted)

    # -- text

    def _extent(self, nodes: Sequence[Node]) -> tuple[int, int]:
        return min(node.start_byte for node in nodes), max(node.end_byte for node in nodes)

    def _slice(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]

    def _word(self, start: int, end: int) -> Word:
        return decode(self.text[start:end], start)


def _piped(left: Pipeline, right: Pipeline, bar: Node | None) -> Pipeline:
    """One pipeline out of two; ``|&`` also sends the error output of the left one."""
    stages = left.stages
    if bar is not None and bar.type == "|&":
        merged = Redirect(">&", "2", Word("1", "1"), "|&", bar.start_byte, bar.end_byte)
        stages = (*stages[:-1], replace(stages[-1], redirects=(*stages[-1].redirects, merged)))
    return replace(left, stages=(*stages, *right.stages))


def _split_redirects(node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    redirects = tuple(child for child in node.children if child.type in _REDIRECTS)
    body = [child for child in node.children if child.type in _STATEMENTS]
    return (body[0] if body else None), redirects


def _put_in_background(pipelines: list[Pipeline]) -> None:
    """A ``&`` takes the whole and-or list before it."""
    for index in range(len(pipelines) - 1, -1, -1):
        pipelines[index] = replace(pipelines[index], background=True)
        if pipelines[index].after not in {"&&", "||"}:
            return


def _pieces(node: Node) -> Iterable[Node]:
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


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that touch are one word."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if out and out[-1][1] >= start:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
