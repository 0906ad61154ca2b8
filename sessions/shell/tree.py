"""From the nodes of the grammar to our own syntax tree."""

from collections.abc import Iterable, Sequence

from tree_sitter import Node

from sessions.shell.simple import REDIRECTS, Source, read_redirects, read_simples
from sessions.shell.syntax import (
    Compound,
    CompoundKind,
    Joint,
    Pipeline,
    Redirect,
    Script,
    Word,
)

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
_KEYWORD_COMPOUNDS: dict[str, CompoundKind] = {"select": "select", "until": "until", "((": "arithmetic", "[[": "test"}


class TooDeep(Exception):
    """Compound statements nest deeper than `DEEPEST`; never leaves this package."""


class Reader:
    """Reads the tree of one text."""

    def __init__(self, source: Source) -> None:
        """Begin with the text that the tree was made of."""
        self.source = source
        self.depth = 0
        self._readers = {"list": self._list, "negated_command": self._negated, "pipeline": self._pipeline}

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
        end = -1
        for node in nodes:
            if end >= 0 and self.source.check_gap(end, node.start_byte):
                self.source.complain(end)
            end, shape = node.end_byte, node.type
            if shape in _STATEMENTS:
                chain = self._chain(node)
                if chain and out:
                    chain[0] = _behind(joint, chain[0])
                out += chain
                joint = ";"
            elif shape == "&" and out:
                _put_in_background(out)
                joint = "&"
            elif shape in _CONTAINERS:
                self._collect(node.children, out)
                joint = ";"

    def _chain(self, node: Node, redirects: Sequence[Node] = ()) -> list[Pipeline]:
        """One and-or list; `redirects` stand behind its last command."""
        shape = node.type
        if shape == "redirected_statement":
            body, more = _split_redirects(node)
            if body is None:
                return self._simples((), (*more, *redirects))
            return self._chain(body, (*more, *redirects))
        if reader := self._readers.get(shape):
            return reader(node, redirects)
        kind = _COMPOUNDS.get(shape)
        if kind is None or (kind == "test" and node.children[0].type == "["):
            return self._simples((node,), redirects)
        return [Pipeline((self._compound(node, _KEYWORD_COMPOUNDS.get(node.children[0].type, kind), redirects),))]

    def _simples(self, nodes: Sequence[Node], redirects: Sequence[Node]) -> list[Pipeline]:
        simples = read_simples(self.source, nodes, redirects)
        return [Pipeline((simple,), ";" if index else "") for index, simple in enumerate(simples)]

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
            if chain and out:
                chain[0] = _behind(joint, chain[0])
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
            chain[0] = chain[0]._replace(negated=negated)
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

    # -- compound statements

    def _compound(self, node: Node, kind: CompoundKind, redirect_nodes: Sequence[Node]) -> Compound:
        redirects = read_redirects(self.source, (*redirect_nodes, *(c for c in node.children if c.type in REDIRECTS)))
        start, end = node.start_byte, max([node.end_byte, *(each.end for each in redirects)])
        body = None if kind in {"test", "arithmetic"} else self.script(node)
        named = kind in {"for", "select", "case", "function"}
        subject, words = self._header(node) if named else ("", ())
        return Compound(kind, body, redirects, self.source.text[start:end], start, end, subject, words)

    def _header(self, node: Node) -> tuple[str, tuple[Word, ...]]:
        subject = ""
        words = []
        for child in node.children:
            if child.type in {"do_group", "case_item", "compound_statement", "subshell"}:
                break
            if child.type == "variable_name" or (node.type == "function_definition" and child.type == "word"):
                subject = self.source.slice(child)
            elif child.is_named and child.type != "comment":
                words.append(self.source.word(child.start_byte, child.end_byte))
        return subject, tuple(words)


def _piped(left: Pipeline, right: Pipeline, bar: Node | None) -> Pipeline:
    """One pipeline out of two; ``|&`` also sends the error output of the left one."""
    stages = left.stages
    if bar is not None and bar.type == "|&":
        merged = Redirect(">&", "2", Word("1", "1"), "|&", bar.start_byte, bar.end_byte)
        stages = (*stages[:-1], stages[-1]._replace(redirects=(*stages[-1].redirects, merged)))
    return left._replace(stages=(*stages, *right.stages))


def _behind(joint: Joint, pipeline: Pipeline) -> Pipeline:
    return Pipeline(pipeline.stages, joint, pipeline.negated, pipeline.background)


def _split_redirects(node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    children = node.children
    redirects = tuple(child for child in children if child.type in REDIRECTS)
    body = [child for child in children if child.type in _STATEMENTS]
    return (body[0] if body else None), redirects


def _put_in_background(pipelines: list[Pipeline]) -> None:
    """A ``&`` takes the whole and-or list before it."""
    for index in range(len(pipelines) - 1, -1, -1):
        pipelines[index] = pipelines[index]._replace(background=True)
        if pipelines[index].after not in {"&&", "||"}:
            return
