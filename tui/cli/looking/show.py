"""``necropsy show``: the hypothesis tree of a session, in the terminal."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text
from rich.tree import Tree as Branch

from sessions.hypotheses.spending import add, dead_ends, paid, priced
from sessions.ingest import display
from sessions.models.hypothesis import DEAD_ENDS, MARKS, Hypothesis, Tree
from sessions.models.session import Tokens
from sessions.store.reader import Reader
from sessions.store.rows import SessionRow
from tui.cli import arguments, diagnostics, output
from tui.widgets import figures

STYLES = {"confirmed": "bold green", "refuted": "red", "abandoned": "yellow", "open": "cyan"}
"""Colour of each verdict; its mark says the same without colour."""

_SUPPORT = {
    "grounded": "grounded in output",
    "claimed": "only claimed by the agent",
    "contradicted": "contradicted by the log's own output",
}
_BY_PERSON = "said by a person who cites no output"
_SHAKY = frozenset({"confirmed", "refuted"})
"""The verdicts that must not look certain while only the agent's words carry them."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--candidates", action="store_true", help="also list the suspicions under the threshold")
    arguments.add_price(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the tree: mark, statement, verdict, and the line that decided."""
    prices = arguments.prices(args.price)
    with Reader.open(arguments.store_path(args)) as reader:
        session = reader.resolve(args.session)
        tree, below = reader.tree(session.id), reader.spent_below(session.id)
    if prices is not None:
        tree = priced(tree, prices)
        session = replace(session, tokens=paid(session.tokens, prices))
        below = tuple(paid(each, prices) for each in below)
    if args.json:
        nodes = (*tree.hypotheses, *(tree.candidates if args.candidates else ()))
        output.emit_json([node.model_dump(mode="json") for node in nodes])
        return 0
    draw(session, tree, candidates=args.candidates, below=below)
    return 0


def draw(session: SessionRow, tree: Tree, *, candidates: bool = False, below: Sequence[Tokens] = ()) -> None:
    """Draw a session's tree on standard output, and what it and its sub-agents cost."""
    output.emit(_heading(session))
    if tree.note:
        diagnostics.say(tree.note)
    output.emit(_grow(tree))
    for spent in (_spent(session, tree), _spent_below(below)):
        if spent:
            output.emit(Text(spent, style="dim"))
    if candidates:
        output.emit(Text("Candidates, by rank", style="bold"))
        for node in tree.candidates:
            output.emit(Text.assemble(("  · ", "dim"), (node.id, "bold"), " ", display.line(node.statement)))
    elif tree.candidates:
        diagnostics.say(f"{len(tree.candidates)} suspicions under the threshold: --candidates lists them.")


def _heading(session: SessionRow) -> Text:
    title = Text(display.line(session.title) or session.id, style="bold")
    if session.reconstructed:
        title.append("  (a reconstruction: its outputs prove nothing about a real host)", style="not bold yellow")
    return title


def _spent(session: SessionRow, tree: Tree) -> str:
    """Return what the dead ends cost of all that the session did, and what the log says of its tokens."""
    cost = dead_ends(tree.hypotheses)
    if not cost.steps:
        return ""
    time = f" and {figures.duration(cost.seconds)}" if cost.seconds else ""
    tokens = "; tokens are not recorded" if cost.tokens is None else f", {cost.tokens:,} tokens"
    whole = f"; the whole session {session.tokens.total:,} tokens" if session.tokens.total else ""
    spent, price = figures.dollars(cost.used), figures.dollars(session.tokens)
    return (
        f"Dead ends took {cost.steps} of {figures.several(session.steps, 'step')}{time}{tokens}{spent and f', {spent}'}"
        f"{whole}{price and f', {price}'}."
    )


def _spent_below(below: Sequence[Tokens]) -> str:
    """Return what sub-agents cost: their logs are sessions of their own, and count for no hypothesis of this one."""
    used = add(below)
    if not used.total:
        return ""
    price = figures.dollars(used)
    whose = figures.several(len(below), "sub-agent")
    return f"{whose} took {used.total:,} tokens more{price and f', {price}'}, counted for no hypothesis."


def _grow(tree: Tree) -> Branch:
    root = next((node for node in tree.hypotheses if node.root), None)
    label = _symptom(root) if root else Text("No hypothesis was found.", style="dim")
    drawn = Branch(label, guide_style="dim")
    top = root.id if root else None
    known = {node.id for node in tree.hypotheses}
    children: dict[str | None, list[Hypothesis]] = {}
    for node in tree.hypotheses:
        if not node.root:
            children.setdefault(node.parent if node.parent in known else top, []).append(node)
    _hang(drawn, top, children)
    return drawn


def _hang(branch: Branch, parent: str | None, children: dict[str | None, list[Hypothesis]]) -> None:
    for node in children.get(parent, []):
        _hang(branch.add(_label(node)), node.id, children)


def _symptom(root: Hypothesis) -> Text:
    return Text.assemble(("Symptom  ", "dim"), (display.line(root.statement), "bold"))


def _label(node: Hypothesis) -> Text:
    style = STYLES[node.verdict] if node.support == "grounded" or node.verdict not in _SHAKY else "yellow"
    text = Text.assemble(
        (f"{MARKS[node.verdict]} ", style),
        (f"{node.id} ", "bold"),
        display.line(node.statement),
        "\n  ",
        (_outcome(node), style),
    )
    quote = deciding_quote(node)
    if quote:
        text.append(f"\n  {quote}", style="dim")
    return text


def _outcome(node: Hypothesis) -> str:
    kind = " · dead end" if node.verdict in DEAD_ENDS else " · cause" if node.verdict == "confirmed" else ""
    words = _BY_PERSON if node.only_said else _SUPPORT[node.support]
    support = f" · {words}" if node.verdict in _SHAKY else ""
    cost = f" · {node.cost.steps} step{'s' if node.cost.steps != 1 else ''}" if node.cost.steps else ""
    tokens = f" · {node.cost.tokens:,} tokens" if node.cost.tokens and node.verdict in DEAD_ENDS else ""
    return f"{node.verdict}{kind}{support}{cost}{tokens}"


def deciding_quote(node: Hypothesis) -> str:
    """Return the line on which the verdict rests, with its place: ``step 12: "max diff 0.00012"``; empty if none."""
    for evidence in node.evidence:
        if evidence.deciding:
            return f"step {evidence.step}: “{display.line(evidence.quote)}”"
    for turn in reversed(node.history):
        if turn.quote and turn.message is not None:
            return f"message {turn.message}: “{display.line(turn.quote)}”"
    return ""
