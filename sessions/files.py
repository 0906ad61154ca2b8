"""Files that are replaced whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path


def replace(place: Path, text: str, *, errors: str = "strict", mode: int | None = None) -> None:
    """Put `text` in UTF-8 at `place`, a file or nothing yet, with the permissions `mode` if they are given.

    Raises OSError; what was there then still is.
    """
    partial = place.parent / f".{place.name}.{os.getpid()}.part"
    try:
        partial.write_text(text, "utf-8", errors)
        if mode is not None:
            partial.chmod(mode)
        partial.replace(place)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
