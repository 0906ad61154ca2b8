"""``necropsy edit``: a person corrects the tree; what a person set survives every later analysis."""

import argparse
import getpass
import re
from collections.abc import Iterable, Iterator

from sessions.errors import UsageProblem
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.store.reader import Reader
from tui.cli import arguments, diagnostics
from tui.cli.looking import show

VERDICTS = ("open", "refuted", "confirmed", "abandoned")
STANCES = ("supports", "refutes", "neutral")

_STEP = re.compile("[0-9]{1,9}")

Edit = tuple[str, dict[str, object]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("hypothesis", nargs="?", metavar="H", help="which one: H3; leave it out with --add")
    parser.add_argument("--add", metavar="STATEMENT", help="add a hypothesis")
    parser.add_argument("--statement", metavar="TEXT", help="state it in other words")
    parser.add_argument("--verdict", choices=VERDICTS, help="set its verdict")
    parser.add_argument("--parent", metavar="H", help="hang it under another one; H0 is the symptom")
    parser.add_argument(
        "--evidence",
        action="append",
        default=[],
        metavar="STEP:STANCE:QUOTE",
        help="add evidence: a step, supports, refutes or neutral, and a line of its output",
    )
    parser.add_argument(
        "--no-evidence", action="append", default=[], type=arguments.natural, metavar="STEP", help="take evidence away"
    )
    parser.add_argument(
        "--predicate",
        action="append",
        default=[],
        metavar="STEP:PREDICATE",
        help="what must hold of a cited step's output: 12:max diff < 0.01, 12:contains WORDS, 12:lacks WORDS",
    )
    parser.add_argument("--merge", metavar="H", help="make it one with another one, which stays")
    parser.add_argument("--remove", action="store_true", help="remove it; its children move up")
    parser.add_argument("--promote", action="store_true", help="make a candidate a node of the tree")
    parser.add_argument("--author", default=None, metavar="NAME", help="who decides (default: your login name)")


def run(args: argparse.Namespace) -> int:
    """Store the corrections and print the tree as it is now."""
    from sessions.store.writer import Writer  # noqa: PLC0415 - only commands that write load the writer

    store = arguments.store_path(args)
    with Reader.open(store) as reader:
        session = reader.resolve(args.session)
        tree = reader.tree(session.id)
        key = _key(args, tree)
        edits = list(_edits(args, tree, reader, session.id))
    if not edits:
        raise UsageProblem("Nothing to change was named.", hint="See necropsy edit --help.")
    author = args.author or login()
    with Writer.open(store) as writer:
        for action, value in edits:
            writer.edit(session.id, key, action, value, author)
    with Reader.open(store) as reader:
        show.draw(session, reader.tree(session.id))
    diagnostics.say(f"{len(edits)} correction{'s' if len(edits) > 1 else ''} stored.")
    return 0


def login() -> str:
    """Return the login name, in which corrections are made. Raises UsageProblem where there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:  # which one depends on the version of Python
        raise UsageProblem(
            "This system does not know your login name.", hint="Say who decides: --author NAME."
        ) from error


def _key(args: argparse.Namespace, tree: Tree) -> str:
    """The key of what is to be corrected; empty for something new."""
    if args.add is not None:
        _refuse_beside_add(args)
        return ""
    if not args.hypothesis:
        raise UsageProblem("Which hypothesis?", hint="Name it (H3), or add one with --add.")
    node = arguments.hypothesis(tree, args.hypothesis)
    _refuse_idle(args, node, tree)
    return node.key


def _refuse_beside_add(args: argparse.Namespace) -> None:
    if args.hypothesis:
        raise UsageProblem("--add makes a new hypothesis: leave H out.", hint="Use --statement to restate H.")
    others = (args.statement, args.evidence, args.no_evidence, args.predicate, args.merge, args.remove, args.promote)
    if any(others):
        raise UsageProblem(
            "--add goes with --verdict, --parent and --author only.", hint="Correct the new hypothesis afterwards."
        )


def _refuse_idle(args: argparse.Namespace, node: Hypothesis, tree: Tree) -> None:
    """Refuse what would be stored and change nothing. Raises UsageProblem."""
    if node.root and (args.verdict or args.parent or args.merge or args.remove or args.promote):
        raise UsageProblem(f"{node.id} is the symptom.", hint="It can be stated in other words, and no more.")
    for option, other in (("--parent", args.parent), ("--merge", args.merge)):
        if other and arguments.hypothesis(tree, other).key == node.key:
            raise UsageProblem(f"{option} {other}: that is the hypothesis itself.", hint="Name another one.")
    cited = {evidence.step for evidence in node.evidence} | {int(text.split(":")[0]) for text in _given(args.evidence)}
    uncited = [text for text in _given(args.predicate) if int(text.split(":")[0]) not in cited]
    if uncited:
        raise UsageProblem(f"{node.id} cites no such step: {uncited[0]!r}.", hint=f"It cites {_listed(cited)}.")
    idle = [str(step) for step in args.no_evidence if step not in cited]
    if idle:
        raise UsageProblem(f"{node.id} cites no step {', '.join(idle)}.", hint=f"It cites {_listed(cited)}.")
    if args.promote and node in tree.hypotheses:
        raise UsageProblem(f"{node.id} is in the tree already.", hint="`necropsy show --candidates` lists the others.")


def _listed(steps: set[int]) -> str:
    return ", ".join(map(str, sorted(steps))) or "none"


def _edits(args: argparse.Namespace, tree: Tree, reader: Reader, session: str) -> Iterator[Edit]:
    parent = arguments.hypothesis(tree, args.parent).key if args.parent else None
    if args.add is not None:
        yield "add", {"statement": args.add, "verdict": args.verdict or "open", "parent": parent}
        return
    into = arguments.hypothesis(tree, args.merge).key if args.merge else None
    one_each: tuple[tuple[object, str, dict[str, object]], ...] = (
        (args.promote, "promote", {}),
        (args.statement, "statement", {"statement": args.statement}),
        (args.parent, "parent", {"parent": parent}),
        (args.verdict, "verdict", {"verdict": args.verdict}),
        (args.merge, "merge", {"into": into}),
        (args.remove, "remove", {}),
    )
    yield from (("evidence", _evidence(text, reader, session)) for text in args.evidence)
    yield from (("predicate", _predicate(text, reader, session)) for text in args.predicate)
    yield from (("unevidence", {"step": step}) for step in args.no_evidence)
    yield from ((action, value) for wanted, action, value in one_each if wanted)


def _evidence(text: str, reader: Reader, session: str) -> dict[str, object]:
    step, stance, quote = (*text.split(":", 2), "", "")[:3]
    if not _STEP.fullmatch(step) or stance not in STANCES or not quote:
        raise UsageProblem(f"{text!r} is no evidence.", hint="Write 12:refutes:the line of the output.")
    whole = reader.step(session, int(step))
    if quote not in whole.output and quote not in whole.command:
        raise UsageProblem(
            f"Step {step} does not say {quote!r}.", hint=f"Copy a line from: necropsy steps {session} --only {step}."
        )
    return {"step": int(step), "stance": stance, "quote": quote}


def _given(texts: Iterable[str]) -> list[str]:
    """Return those of STEP:… that begin with a step."""
    return [text for text in texts if _STEP.fullmatch(text.split(":")[0])]


def _predicate(text: str, reader: Reader, session: str) -> dict[str, object]:
    from sessions.hypotheses.predicates import parse  # noqa: PLC0415 - only this option needs it

    step, _, written = text.partition(":")
    predicate = parse(written)
    if not _STEP.fullmatch(step) or predicate is None:
        raise UsageProblem(f"{text!r} is no predicate.", hint="Write 12:max diff < 0.01, or 12:contains WORDS.")
    if not predicate.holds(reader.step(session, int(step)).output):
        raise UsageProblem(
            f"{written!r} does not hold of the recorded output of step {step}.",
            hint="A predicate says what the recording shows and a replay must show too.",
        )
    return {"step": int(step), "predicate": written.strip()}
