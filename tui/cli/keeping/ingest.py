"""``necropsy ingest``: read agents' session logs into the store."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sessions.errors import BadInput, NecropsyError, UsageProblem
from sessions.ingest import display
from sessions.ingest.pipeline import Ingested, Progress, ingest
from sessions.ingest.source import Source
from sessions.store.writer import Writer
from tui.cli import arguments, diagnostics, output
from tui.widgets import figures


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files or folders with logs, or `-` for standard input; without any, what lies in the agents' own folders",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before reading the agents' own folders")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Ingest, say what came of each log, and exit with 3 if one could not be read."""
    store = arguments.store_path(args)
    sources, failures = _gather(args.paths) if args.paths else (_discover(store, agreed=args.yes), [])
    with Writer.open(store) as writer:
        if not args.paths:
            writer.remember("discovery", "agreed")
        results = _ingest_all(sources, writer, narrate=not args.json)
    if args.json:
        output.emit_json([_describe(result) for result in results])
    for failure in failures:
        diagnostics.report(failure)
    _summarise(results)
    failed = bool(failures) or any(result.status == "failed" for result in results)
    return BadInput.exit_code if failed else 0


def _gather(paths: Sequence[str]) -> tuple[list[Source], list[NecropsyError]]:
    from sessions.ingest.sniff import recognise, spool  # noqa: PLC0415 - formats are loaded only to read logs

    sources: list[Source] = []
    failures: list[NecropsyError] = []
    for path in paths:
        try:
            sources += recognise(spool(sys.stdin.buffer) if path == "-" else Path(path))
        except BadInput as error:
            failures.append(error)
    return sources, failures


def _discover(store: Path, *, agreed: bool) -> list[Source]:
    from sessions.ingest.discovery import known_logs  # noqa: PLC0415 - formats are loaded only to read logs

    found = known_logs()
    if not found:
        raise BadInput(
            "No agent's logs were found in the usual folders of opencode, Claude Code and Codex.",
            hint="Name a file or a folder: necropsy ingest PATH.",
        )
    for place in found:
        size = sum(source.size for source in place.sources) / 1e6
        diagnostics.say(f"{place.agent}: {len(place.sources)} logs, {size:.1f} MB in {place.path}")
    if not (agreed or _agreed_before(store)):
        _ask()
    return [source for place in found for source in place.sources]


def _agreed_before(store: Path) -> bool:
    from sessions.store.reader import Reader  # noqa: PLC0415 - only discovery asks the store first

    if not store.exists():
        return False
    with Reader.open(store) as reader:
        return reader.remembered("discovery") == "agreed"


def _ask() -> None:
    if not diagnostics.interactive():
        raise UsageProblem("Reading the agents' own folders needs a yes the first time.", hint="Add --yes.")
    if not diagnostics.confirm("Read these into the store? Secrets are replaced; nothing leaves this machine."):
        raise UsageProblem("Nothing was read.", hint="Name what to read: necropsy ingest PATH.")


def _ingest_all(sources: Sequence[Source], writer: Writer, *, narrate: bool) -> list[Ingested]:
    results = []
    with _progress(sum(source.size for source in sources)) as advance:
        for result in ingest(sources, writer, progress=advance):
            results.append(result)
            if narrate:
                _narrate(result)
    return results


@contextmanager
def _progress(total: int) -> Iterator[Progress | None]:
    """A progress bar over bytes on a terminal's standard error; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs a bar
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - as above
    from rich.progress import Progress as Bar  # noqa: PLC0415 - as above

    console = Console(stderr=True, markup=False, emoji=False)
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=total or None)
        yield lambda size: bar.advance(task, size)


def _narrate(result: Ingested) -> None:
    if result.status == "failed":
        diagnostics.say(f"failed     {result.source}: {result.error}")
        return
    tally = result.tally
    odd = "".join(
        f", {count} {name}"
        for name, count in (
            ("repaired", tally.repaired),
            ("skipped", tally.skipped),
            ("of unknown type", tally.unknown),
            ("calls without result", tally.calls_without_result),
        )
        if count
    )
    counts = f": {result.messages} messages, {result.steps} steps{odd}" if result.status in {"new", "updated"} else ""
    diagnostics.say(display.safe(f"{result.status:<10} {result.source}{counts}"))


def _summarise(results: Sequence[Ingested]) -> None:
    sessions = {session for result in results if result.status in {"new", "updated"} for session in result.sessions}
    unchanged = sum(result.status in {"unchanged", "known"} for result in results)
    taken = figures.several(len(sessions), "session")
    diagnostics.say(f"{taken} taken, {figures.several(unchanged, 'log')} unchanged.")


def _describe(result: Ingested) -> dict[str, object]:
    tally = result.tally
    return {
        "source": result.source,
        "format": result.format,
        "status": result.status,
        "sessions": list(result.sessions),
        "records": {
            "read": tally.read,
            "repaired": tally.repaired,
            "skipped": tally.skipped,
            "unknown": tally.unknown,
            "unknown_types": dict(tally.unknown_types),
            "calls_without_result": tally.calls_without_result,
        },
        "messages": result.messages,
        "steps": result.steps,
        "error": result.error,
    }
