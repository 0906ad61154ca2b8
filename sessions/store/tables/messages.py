"""Rows of `messages`."""

from typing import Any

from sessions.models.session import Message, Tokens
from sessions.store.tables.packing import pack, pack_span, unpack, unpack_span

COLUMNS = "session, ordinal, role, kind, time, injected, abandoned, span, text, tokens"
BEFORE_TOKENS = COLUMNS.replace(", tokens", ", NULL")
"""The same of a store whose layout has no tokens yet."""
TEXT = 8
"""Place of the text in a row."""

Row = tuple[Any, ...]


def to_row(session: str, message: Message) -> Row:
    """Return the row of a message."""
    return (
        session,
        message.ordinal,
        message.role,
        message.kind,
        message.time,
        int(message.injected),
        int(message.abandoned),
        pack_span(message.span),
        message.text,
        None if message.tokens is None else pack(message.tokens.model_dump(exclude_defaults=True)),
    )


def from_row(row: Row) -> Message:
    """Return the message of a row, not validated again."""
    _, ordinal, role, kind, time, injected, abandoned, span, text, tokens = row
    return Message.model_construct(
        ordinal=ordinal,
        role=role,
        kind=kind,
        text=text,
        time=time,
        injected=bool(injected),
        abandoned=bool(abandoned),
        span=unpack_span(span),
        tokens=None if tokens is None else Tokens.model_construct(**unpack(tokens)),
    )
