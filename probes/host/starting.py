"""Starting a process so that a cancellation in the middle of it cannot leave one behind that nobody knows of."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

P = TypeVar("P")


async def whole(start: Coroutine[Any, Any, P], end: Callable[[P], Awaitable[None]]) -> P:
    """Return what `start` returns; if cancelled meanwhile, let it finish, `end` what it started, and be cancelled."""
    starting = asyncio.ensure_future(start)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.shield(_undo(starting, end))
        raise


async def _undo(starting: asyncio.Future[P], end: Callable[[P], Awaitable[None]]) -> None:
    await asyncio.wait([starting])
    if not starting.cancelled() and starting.exception() is None:
        await end(starting.result())
