"""What an analysis by a model will take, what it took, and what the log bore out: in words and as plain values."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from sessions.errors import UsageProblem
from sessions.hypotheses.model.asking import Usage
from sessions.hypotheses.model.client import Served
from sessions.hypotheses.model.cost import Price, estimated
from sessions.hypotheses.model.engine import Read, Reader
from sessions.store.reader import Reader as Store
from sessions.store.writer import Writer
from tui.cli import diagnostics

_MANY = {"hypothesis": "hypotheses", "evidence": "pieces of evidence", "verdict": "verdicts", "check": "checks"}
_ONE = {"evidence": "piece of evidence"}
_MINUTE = 60


def price(text: str | None) -> Price | None:
    """Return the price that ``IN,OUT`` gives. Raises UsageProblem for anything else."""
    if text is None:
        return None
    try:
        one, other = (float(part) for part in text.split(","))
    except ValueError as error:
        raise UsageProblem(f"{text!r} is no price.", hint="Write two numbers: --price 0.5,1.5.") from error
    return Price(one, other)


def agree(args: argparse.Namespace, reader: Reader, model: Served, price_: Price | None, store: Path) -> None:
    """Say what it will take, and ask. Raises UsageProblem where nobody says yes."""
    about = estimated(reader.questions())
    diagnostics.say(
        f"{model.name} at {args.llm}: {len(reader.windows)} parts for a context of {model.context:,} tokens. About "
        f"{about.requests} requests, {about.tokens_in:,} tokens in, at most {about.tokens_out:,} out"
        f"{_money(price_, about.tokens_in, about.tokens_out)}; {_time(store, model.name, about.tokens_in)}."
    )
    if args.yes:
        return
    if not diagnostics.interactive():
        raise UsageProblem("Sending a log to a model needs a yes.", hint="Add --yes.")
    if not diagnostics.confirm(f"Send this log, its secrets replaced, to {args.llm}?"):
        raise UsageProblem("Nothing was sent.")


def progress() -> Callable[[Usage], None]:
    """Return what says, at each answer and while none comes, how far it is and how long it has taken."""
    started = time.monotonic()

    def tell(usage: Usage) -> None:
        answers = usage.asked + usage.cached + usage.failed
        failed = f", {usage.failed} failed" if usage.failed else ""
        tokens = usage.tokens_in + usage.tokens_out
        diagnostics.say(f"  {answers} answers{failed}, {tokens:,} tokens, {time.monotonic() - started:.0f} s")

    return tell


def account(usage: Usage, price_: Price | None) -> None:
    """Say what it took."""
    diagnostics.say(
        f"{usage.asked} requests answered, {usage.cached} known from before, {usage.failed} failed; "
        f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out"
        f"{_money(price_, usage.tokens_in, usage.tokens_out)}; {usage.seconds:,.1f} s of answering."
    )


def spent(usage: Usage, price_: Price | None) -> dict[str, object]:
    """Return the same as plain values; cost in US dollars, null without a price."""
    return {
        "requests": usage.asked,
        "cached": usage.cached,
        "failed": usage.failed,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "seconds": round(usage.seconds, 3),
        "cost": price_.of(usage.tokens_in, usage.tokens_out) if price_ else None,
    }


def remember_speed(store: Path, model: str, usage: Usage) -> None:
    """Keep how many seconds a token of question took, for the estimate of the next run."""
    if usage.tokens_in:
        with Writer.open(store) as writer:
            writer.remember(_speed_of(model), repr(usage.seconds / usage.tokens_in))


def narrate(read: Read) -> None:
    """Say what the log bore out of the answers, and what it did not."""
    kept = (f"{count} {(_ONE if count == 1 else _MANY).get(what, what)}" for what, count in read.account.kept.items())
    diagnostics.say(f"Kept: {', '.join(kept) or 'nothing'}.")
    for reason, count in read.account.dropped.most_common():
        diagnostics.say(f"Dropped: {count} x {reason}.")
    for part, reason in read.missing.items():
        diagnostics.say(f"Part {part} of {read.parts} was not read: {reason}.")


def describe(read: Read) -> dict[str, object]:
    """Return the same as plain values."""
    return {
        "parts": read.parts,
        "missing": {str(part): reason for part, reason in read.missing.items()},
        "kept": dict(read.account.kept),
        "dropped": dict(read.account.dropped),
    }


def _money(price_: Price | None, tokens_in: int, tokens_out: int) -> str:
    return f", ${price_.of(tokens_in, tokens_out):.4f}" if price_ else ""


def _time(store: Path, model: str, tokens: int) -> str:
    with Store.open(store) as reader:
        speed = reader.remembered(_speed_of(model))
    if speed is None:
        return "how long it takes is known after the first run"
    seconds = float(speed) * tokens
    return f"about {seconds / _MINUTE:.0f} min" if seconds >= _MINUTE else f"about {seconds:.0f} s"


def _speed_of(model: str) -> str:
    return f"llm-speed:{model}"
