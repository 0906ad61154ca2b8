"""``necropsy recall``: what was suspected before on the same thing, in any session, and how it ended."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.text import Text

from sessions import times
from sessions.ingest import display
from sessions.models.hypothesis import MARKS
from sessions.store.rows import Recollection
from tui import answers
from tui.cli import arguments, diagnostics, output
from tui.cli.looking import show

MANY = 200
"""From so many new statements on it is said how far one is."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="WORDS",
        help='what it was about; at least half of the words must occur; "quoted" ones in a row',
    )
    parser.add_argument(
        "--limit", type=arguments.natural, default=20, metavar="N", help="at most N hypotheses (default: 20)"
    )
    parser.add_argument("--llm", metavar="URL", help="a server of embeddings: find by meaning as well as by words")
    parser.add_argument("--model", metavar="NAME", help="its model (default: the one that the server has)")
    parser.add_argument("--targets", type=Path, metavar="FILE", help="the targets file, for ssh://TARGET:PORT")
    parser.set_defaults(context=None, at_once=1, timeout=120.0)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the hypotheses that were found, best first; exit with 1 if there is none."""
    path, words = arguments.store_path(args), " ".join(args.words)
    found = by_meaning(path, words, args) if args.llm else answers.recall(path, words, args.limit, writes=True)
    if args.json:
        output.emit_json([answers.describe(each) for each in found])
    elif found:
        for each in found:
            output.emit(Text("\n").join(_lines(each)))
    else:
        diagnostics.say("Nothing like it was suspected before.")
    return 0 if found else 1


def by_meaning(path: Path, words: str, args: argparse.Namespace) -> Sequence[Recollection]:
    """Return what words and what meaning find, fused; vectors are kept beside the store.

    Raises UsageProblem, BadInput and EnvironmentProblem where the server cannot be asked.
    """
    from sessions.store.finding import meaning  # noqa: PLC0415 - only with a server
    from tui.cli.keeping import served  # noqa: PLC0415 - as above

    with answers.up_to_date(path, writes=True) as reader:
        said, known = reader.recall(words, args.limit), reader.beliefs()
    with served.client(args) as client:
        model = served.choose(client, args).name
        embed = partial(client.embed, model=model)
        vectors = meaning.Vectors(path.with_name(path.name + ".vectors"), model)
        there = vectors.of([each.hypothesis.statement for each in known], embed, _progress)
        query = meaning.unit(embed([words])[0])
    return meaning.fuse(said, meaning.nearest(query, there, known)[: args.limit])[: args.limit]


def _progress(done: int, of: int) -> None:
    if of > MANY:
        diagnostics.say(f"{done:,} of {of:,} statements have a vector.")


def _lines(found: Recollection) -> Iterator[Text]:
    one = found.hypothesis
    style = show.STYLES[one.verdict]
    yield Text.assemble((f"{MARKS[one.verdict]} ", style), (display.line(one.statement), "bold"))
    where = f"{found.session[:16]} {one.id} · {times.local(found.time)} · {found.title}"
    yield Text.assemble("  ", (f"{one.verdict}, {one.support}", style), f"  {display.line(where)}")
    if quote := show.deciding_quote(one):
        yield Text(f"  {quote}", style="dim")
