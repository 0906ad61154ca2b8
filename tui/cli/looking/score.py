"""``necropsy score``: how far trees agree with annotations of the same logs."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from rich.text import Text

from sessions.errors import BadInput, NotALog
from sessions.hypotheses.gold import Annotation, read
from sessions.hypotheses.matching import Told
from sessions.hypotheses.scoring import Score, interval, score, total
from sessions.store.reader import Reader
from sessions.store.rows import SessionRow
from tui.cli import arguments, diagnostics, output

Find = Callable[[Path, Annotation], Told | None]

FIGURES: dict[str, Callable[[Score], float]] = {
    "f1": lambda each: each.f1,
    "verdict_accuracy": lambda each: each.verdict_accuracy,
    "evidence_f1": lambda each: each.evidence_f1,
}
"""Figures that get an interval."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("gold", type=Path, metavar="GOLD", help="an annotation, or a folder of them")
    engine = parser.add_mutually_exclusive_group()
    engine.add_argument(
        "--reports",
        type=Path,
        metavar="FOLDER",
        help="score the JSON reports of the same names in there, whoever made them",
    )
    engine.add_argument(
        "--logs", type=Path, metavar="FOLDER", help="read the annotated logs below it and score what the rules find"
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Score the trees of the store, of reports or of logs; what has none counts as found nothing."""
    files = sorted(args.gold.glob("*.json")) if args.gold.is_dir() else [args.gold]
    if not files:
        raise BadInput(f"{args.gold} holds no annotation.", hint="See `necropsy gold export`.")
    find = _finder(args)
    scores = [_score(path, find) for path in files]
    figures, bounds = total(scores), {name: interval(scores, of) for name, of in FIGURES.items()}
    if args.json:
        each = [{"name": path.stem, **found.shares()} for path, found in zip(files, scores, strict=True)]
        output.emit_json({"scores": each, "total": figures | {"intervals": bounds}})
        return 0
    output.emit_table(_COLUMNS, [*map(_row, (path.stem for path in files), scores), _row("all", sum(scores, Score()))])
    output.emit(Text(_summary(figures, bounds)))
    return 0


def _score(path: Path, find: Find) -> Score:
    annotation = read(path)
    told = find(path, annotation)
    if told is None:
        diagnostics.say(f"{path.name}: nothing of {annotation.log} to score.")
    found = score(annotation, told or Told({}, {}, (), ()))
    if told is not None and found.quotes_missing:
        diagnostics.say(f"{path.name}: {found.quotes_missing} quotes were not found in the log.")
    return found


def _finder(args: argparse.Namespace) -> Find:
    if args.reports:
        return partial(_from_report, args.reports)
    if args.logs:
        return partial(_from_log, args.logs)
    return partial(_from_store, arguments.store_path(args))


def _from_report(folder: Path, path: Path, _annotation: Annotation) -> Told | None:
    report = folder / path.name
    if not report.exists():
        return None
    try:
        return Told.of_report(json.loads(report.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f"{report} is no JSON report: {error!r}.", hint="See `necropsy report --format json`."
        ) from error


def _from_log(folder: Path, _path: Path, annotation: Annotation) -> Told | None:
    from sessions.hypotheses.rules.engine import analyze  # noqa: PLC0415 - formats are loaded only to read logs
    from sessions.ingest.events import Count  # noqa: PLC0415 - as above
    from sessions.ingest.pipeline import read as read_log  # noqa: PLC0415 - as above
    from sessions.ingest.redact import Redactor  # noqa: PLC0415 - as above
    from sessions.ingest.sniff import recognise  # noqa: PLC0415 - as above

    log = folder / annotation.log
    if not log.exists():
        return None
    redactor = Redactor()
    try:
        found = [each for source in recognise(log) for each in read_log(source, redactor, Count())]
    except NotALog as error:
        diagnostics.report(error)
        return None
    if not found:
        return None
    session = max(found, key=lambda each: len(each.messages))
    return Told.of(session.messages, session.steps, analyze(session.messages, session.steps))


def _from_store(store: Path, _path: Path, annotation: Annotation) -> Told | None:
    with Reader.open(store) as reader:
        wanted = Path(annotation.log).parts
        rows = reader.sessions()
        same = [row for row in rows if Path(row.source).parts[-len(wanted) :] == wanted]
        row = max(same or [row for row in rows if Path(row.source).name == wanted[-1]], key=_size, default=None)
        if row is None:
            return None
        return Told.of(reader.messages(row.id), reader.steps(row.id), reader.tree(row.id))


def _size(row: SessionRow) -> int:
    return row.messages


_COLUMNS = (
    output.Column("log"),
    *(
        output.Column(name, right=True)
        for name in ("gold", "found", "matched", "P", "R", "F1", "verdicts", "causes", "false", "evidence", "parents")
    ),
)


def _row(name: str, found: Score) -> Sequence[Text]:
    shares = found.shares()
    cells = (
        found.gold,
        found.predicted,
        found.matched,
        *(f"{float(shares[key]):.2f}" for key in ("precision", "recall", "f1")),
        f"{found.verdicts_right}/{found.matched}",
        f"{found.causes_found}/{found.causes}",
        found.false_causes,
        f"{found.evidence_f1:.2f}",
        f"{found.parents_right}/{found.parents}",
    )
    return (output.words(name[:44], "bold"), *(Text(str(cell)) for cell in cells))


def _summary(figures: Mapping[str, object], bounds: Mapping[str, tuple[float, float]]) -> str:
    drawn = "; ".join(f"{name} {low:.2f} to {high:.2f}" for name, (low, high) in bounds.items())
    return (
        f"F1 {figures['f1']} micro, {figures['macro_f1']} macro · verdicts {figures['verdict_accuracy']} micro, "
        f"{figures['macro_verdict_accuracy']} macro · candidates reach {figures['candidate_recall']} of gold · "
        f"grounded causes right {figures['grounded_causes_right']}\n95 of 100 draws over logs: {drawn}"
    )
