"""``necropsy explain``: which rule, model or person stands behind every mark of a hypothesis."""

import argparse
import dataclasses
from collections.abc import Iterator, Mapping

from rich.text import Text

from sessions import times
from sessions.hypotheses.explain import Correction, Explanation, Mark, explain
from sessions.hypotheses.reasons import Reason
from sessions.ingest import display
from sessions.models.hypothesis import MARKS, Hypothesis
from sessions.store.reader import Reader
from tui.cli import arguments, output
from tui.cli.looking import show
from tui.widgets import figures


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("hypothesis", metavar="H", help="which one: H3, or C2 for a candidate")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print what stands behind one hypothesis."""
    with Reader.open(arguments.store_path(args)) as reader:
        session = reader.resolve(args.session)
        tree = reader.tree(session.id)
        node = arguments.hypothesis(tree, args.hypothesis)
        found = explain(node, reader.edits(session.id), candidate=node in tree.candidates)
    if args.json:
        output.emit_json(_describe(found))
        return 0
    for line in _lines(found):
        output.emit(line)
    return 0


def _lines(found: Explanation) -> Iterator[Text]:
    one = found.hypothesis
    yield from _head(found)
    yield from _part("Why it is here", map(_reason, found.raised))
    yield from _part("Verdict", (_mark(mark, show.STYLES.get(mark.what, "")) for mark in found.verdicts))
    if not one.root:
        yield Text(f"  {one.support}: {found.carried}")
    yield from _part("Evidence", map(_mark, found.evidence))
    yield from _part("Set by a person", map(_correction, found.corrections))
    yield from _part("Cost", _cost(one))


def _head(found: Explanation) -> Iterator[Text]:
    one = found.hypothesis
    mark = "◆" if one.root else MARKS[one.verdict]
    yield Text.assemble((f"{mark} {one.id} ", "bold"), display.line(one.statement))
    stated = "" if one.stated_in is None else f"stated in message {one.stated_in} · "
    yield Text(f"  {stated}set by {display.line(one.source)} · {found.rules}", style="dim")
    if one.score:
        place = "a candidate" if found.candidate else "a node"
        yield Text(
            f"  score {one.score:g}: {place}; {found.opens:g} opens a hypothesis "
            f"({found.least:g} in a log that has few), {found.keeps:g} keeps a candidate. "
            "Of one family the heaviest rule counts; repetition and place add a little.",
            style="dim",
        )


def _part(title: str, lines: Iterator[Text]) -> Iterator[Text]:
    drawn = list(lines)
    if drawn:
        yield Text(title, style="bold")
        yield from drawn


def _reason(why: Reason) -> Text:
    weight = "      " if why.weight is None else f"{why.weight:+.2f} "
    return Text.assemble("  ", weight, *_named(why))


def _named(why: Reason) -> tuple[str | tuple[str, str], ...]:
    family = f" ({why.family})" if why.family and why.kind == "rule" else ""
    return ((display.line(why.source), "cyan"), family, f": {display.line(why.text)}" if why.text else "")


def _mark(mark: Mark, style: str = "") -> Text:
    place = f"step {mark.step}" if mark.step is not None else f"message {mark.message}"
    where = "" if mark.step is None and mark.message is None else f"{place}: "
    weight = "" if mark.why.weight is None else f", weight {mark.why.weight:g}"
    text = Text.assemble(f"  {where}", (mark.what, style), "  ", *_named(mark.why), weight)
    if mark.quote:
        text.append(f"\n    “{display.line(mark.quote)}”", style="dim")
    return text


def _correction(edit: Correction) -> Text:
    value = ", ".join(f"{name} {_worded(each)}" for name, each in edit.value.items() if each not in (None, ""))
    what = display.line(f"{edit.action} {value}".strip())
    return Text.assemble(f"  {times.local(edit.time)} ", (display.line(edit.author), "cyan"), f": {what}")


def _worded(value: object) -> str:
    return f"“{value}”" if isinstance(value, str) and " " in value else str(value)


def _cost(one: Hypothesis) -> Iterator[Text]:
    cost = one.cost
    words = [f"{cost.steps} step{'' if cost.steps == 1 else 's'}"] if cost.steps else []
    words += [f"{cost.seconds:.1f} s"] if cost.seconds is not None else []
    words += ["tokens not recorded" if cost.tokens is None else f"{cost.tokens:,} tokens", figures.dollars(cost.used)]
    if cost.steps or cost.tokens:
        yield Text(f"  {' · '.join(filter(None, words))}, while it was in focus and not settled")


def _describe(found: Explanation) -> Mapping[str, object]:
    return {
        **found.hypothesis.model_dump(mode="json", warnings=False),
        "candidate": found.candidate,
        "raised": [dataclasses.asdict(each) for each in found.raised],
        "verdicts": [dataclasses.asdict(each) for each in found.verdicts],
        "reasons": [dataclasses.asdict(each) for each in found.evidence],
        "carried": found.carried,
        "corrections": [
            {"action": each.action, "value": dict(each.value), "author": each.author, "time": each.time}
            for each in found.corrections
        ],
        "thresholds": {"opens": found.opens, "least": found.least, "keeps": found.keeps},
        "table": found.rules,
    }
