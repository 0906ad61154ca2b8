"""``necropsy analyze``: let a language model that you name make the tree, and hold what it says to the log."""

import argparse
from pathlib import Path

from sessions.errors import BadInput, EnvironmentProblem, UsageProblem
from sessions.hypotheses.model.asking import Asker
from sessions.hypotheses.model.batch import Recorder, request_line
from sessions.hypotheses.model.cache import Cache, default_folder
from sessions.hypotheses.model.engine import Read, Reader
from sessions.hypotheses.model.ground import Log
from sessions.hypotheses.rules import engine as rules
from sessions.store.reader import Reader as Store
from sessions.store.rows import SessionRow
from sessions.store.writer import Writer
from tui.cli import arguments, diagnostics, output
from tui.cli.keeping import batches, served, telling
from tui.cli.looking import show
from tui.cli.looking.agreement import describe_agreement, draw_agreement


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    add = parser.add_argument
    add("--llm", metavar="URL", help="an OpenAI-compatible server: http://HOST:PORT, or ssh://TARGET:PORT")
    add("--model", metavar="NAME", help="the model to ask (default: the one that the server has)")
    add("--context", type=int, metavar="TOKENS", help="what the model can hold (default: what the server says)")
    add("--price", metavar="IN,OUT", help="US dollars for a million tokens of question and of answer")
    add("--at-once", type=int, default=4, metavar="N", help="requests at the same time (default: 4)")
    add("--timeout", type=float, default=600.0, metavar="SECONDS", help="for one answer (default: 600)")
    add("--fresh", action="store_true", help="ask again what was answered before")
    add("--targets", type=Path, metavar="FILE", help="the targets file for ssh:// (default: targets.toml)")
    add("--yes", action="store_true", help="send without asking")
    add("--batch-out", type=Path, metavar="FILE", help="write the questions as a batch file instead of sending them")
    add("--batch-in", type=Path, action="append", default=[], metavar="FILE", help="take the results of batch files")
    add("--rules", action="store_true", help="give the tree back to the rules")
    add("--compare", action="store_true", help="say where the rules and the model's tree agree and where they part")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make the tree in the way that was asked for, and say what came of it."""
    ways = [bool(args.llm), bool(args.batch_out or args.batch_in), args.rules]
    if sum(ways) > 1:
        raise UsageProblem("Choose one of --llm, the batch files and --rules.")
    if not (any(ways) or args.compare):
        raise UsageProblem(
            "Which model?", hint="--llm http://HOST:PORT asks a server; --batch-out FILE writes questions."
        )
    store = arguments.store_path(args)
    with Store.open(store) as reader:
        session = reader.resolve(args.session)
        messages, steps = reader.messages(session.id), reader.steps(session.id)
    log = Log(messages, steps, rules.analyze(messages, steps))
    if args.rules:
        return _give_back(store, session, log)
    if args.batch_out or args.batch_in:
        return _by_files(args, store, session, log)
    code, facts = _ask(args, store, session, log) if args.llm else (0, {})
    return _show(args, store, session, log, facts) or code


def _by_files(args: argparse.Namespace, store: Path, session: SessionRow, log: Log) -> int:
    results = batches.results(args.batch_in)
    model = args.model or results.model()
    if model is None:
        raise UsageProblem("Which model are the questions for?", hint="--model NAME, as the server will call it.")
    recorder = Recorder(results)
    context = args.context or results.context(session.id) or served.CONTEXT
    read = Reader(log, model, context).read_apart(recorder)
    if args.batch_out:
        lines = (request_line(each, session.id, context, model) for each in recorder.missing)
        output.write_file(args.batch_out, "".join(f"{line}\n" for line in lines))
        diagnostics.say(f"{len(recorder.missing)} questions written to {args.batch_out}.")
    if not args.batch_in:
        return 0
    save(store, session, read, model)
    telling.narrate(read)
    batches.tell(results, recorder)
    facts = {"model": model, "unanswered": len(recorder.missing), **telling.describe(read)}
    return _show(args, store, session, log, facts) or (BadInput.exit_code if read.missing else 0)


def _give_back(store: Path, session: SessionRow, log: Log) -> int:
    with Writer.open(store) as writer:
        writer.save_tree(session.id, log.hints, rules.VERSION)
    diagnostics.say("The tree is the rules' again; your corrections are kept.")
    return 0


def _ask(args: argparse.Namespace, store: Path, session: SessionRow, log: Log) -> tuple[int, dict[str, object]]:
    price = telling.price(args.price)
    with served.client(args) as client:
        model = served.choose(client, args)
        reader = Reader(log, model.name, model.context or 0)
        telling.agree(args, reader, model, price, store)
        cache = None if args.fresh else Cache(default_folder())
        asker = Asker(client, model.name, cache, telling.progress())
        read = reader.read(asker)
    save(store, session, read, model.name)
    telling.remember_speed(store, model.name, asker.usage)
    telling.narrate(read)
    telling.account(asker.usage, price)
    facts = {"model": model.name, "usage": telling.spent(asker.usage, price), **telling.describe(read)}
    return (EnvironmentProblem.exit_code if read.missing else 0), facts


def _show(args: argparse.Namespace, store: Path, session: SessionRow, log: Log, facts: dict[str, object]) -> int:
    with Store.open(store) as reader:
        session, tree = reader.resolve(session.id), reader.tree(session.id)
    if args.json:
        more = describe_agreement(log.hints, tree) if args.compare else {}
        output.emit_json({"session": session.id, **facts, **more})
        return 0
    if args.compare:
        draw_agreement(log.hints, tree)
    else:
        show.draw(session, tree)
    return 0


def save(store: Path, session: SessionRow, read: Read, model: str) -> None:
    """Store a tree that a model made. Raises EnvironmentProblem, and stores nothing, where no part has an answer."""
    if read.missing and len(read.missing) == read.parts:
        raise EnvironmentProblem(
            f"The model answered nothing that can be used: {next(iter(read.missing.values()))}.",
            hint="The tree is what it was before.",
        )
    with Writer.open(store) as writer:
        writer.save_tree(session.id, read.tree, f"model:{model}")
