"""The server that a person names with --llm: reached directly or through ssh, and what it serves."""

import argparse
import asyncio
import os
import re
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from sessions.errors import BadInput, UsageProblem
from sessions.hypotheses.model.client import Client, Served, Settings

KEY = "NECROPSY_LLM_KEY"
"""Environment variable with the key that the server wants, if any."""

CONTEXT = 32_768
"""Tokens that a model is taken to hold where nobody says."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SSH = re.compile(r"ssh://([^/]+):(\d{1,5})/?")

T = TypeVar("T")


@contextmanager
def client(args: argparse.Namespace) -> Iterator[Client]:
    """Open the way to the server that the command line names.

    Raises UsageProblem for an address that is none, HostProblem where the ssh target cannot be reached.
    """
    with _address(args.llm, args.targets) as url:
        key = os.environ.get(KEY)
        if key and url.startswith("http://") and urlsplit(url).hostname not in _LOOPBACK:
            raise UsageProblem(
                f"The key in {KEY} would go over the network unencrypted.", hint="Use https:// or ssh://, or unset it."
            )
        yield Client(url, key, Settings(timeout=args.timeout, at_once=max(1, args.at_once)))


def choose(client_: Client, args: argparse.Namespace) -> Served:
    """Return the model to ask, with the context to use: as the command line says, else as the server does.

    Raises BadInput where the server has no such model, UsageProblem where it has several and none is named.
    """
    served = {each.name: each for each in client_.models()}
    if args.model is None and len(served) != 1:
        raise UsageProblem("Which model?", hint=f"--model NAME; the server has {_listed(served)}.")
    name = args.model or next(iter(served))
    if served and name not in served:
        raise BadInput(f"The server has no model {name}.", hint=f"It has {_listed(served)}.")
    said = served[name].context if name in served else None
    return Served(name, args.context or said or CONTEXT)


def _listed(served: dict[str, Served]) -> str:
    return ", ".join(list(served)[:8]) or "none"


@contextmanager
def _address(url: str, file: Path | None) -> Iterator[str]:
    if not url.startswith("ssh:"):
        yield url
        return
    match = _SSH.fullmatch(url)
    if match is None:
        raise UsageProblem(f"{url!r} names no host and port.", hint="Write ssh://TARGET:8000.")
    with _forwarded(match[1], int(match[2]), file) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _forwarded(name: str, port: int, file: Path | None) -> Iterator[int]:
    """Keep a forward open in a thread with an event loop of its own: the questions are asked by plain threads."""
    from probes.host import targets  # noqa: PLC0415 - ssh is loaded only for ssh://
    from probes.host.forward import forward  # noqa: PLC0415 - as above

    target = targets.load(file).named(name)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    stack = AsyncExitStack()
    try:
        yield _in(loop, stack.enter_async_context(forward(target, port)))
    finally:
        _in(loop, stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _in(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, loop).result()
