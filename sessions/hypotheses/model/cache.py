"""Answers by the content of their questions, one small file each, so that a second run costs nothing."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from sessions.hypotheses.model.requests import Reply


def default_folder() -> Path:
    """Return the folder for answers in the platform's cache folder; nothing is created."""
    return user_cache_path("necropsy", appauthor=False) / "answers"


class Cache:
    """Answers in a folder. A file that is missing or damaged is an answer that is not there."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, made when the first answer is kept."""
        self._folder = folder

    def get(self, body: Mapping[str, Any]) -> Reply | None:
        """Return what a request with this body was answered before."""
        try:
            kept = json.loads(self._path(body).read_bytes())
            return Reply(str(kept["text"]), str(kept["finish"]), cached=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, body: Mapping[str, Any], reply: Reply) -> None:
        """Keep an answer, whole or not at all; a cache that cannot be written is no reason to stop."""
        path = self._path(body)
        partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        text = json.dumps({"text": reply.text, "finish": reply.finish})
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(
                os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
            ) as file:
                file.write(text)
            partial.replace(path)
        except (OSError, UnicodeError):
            with suppress(OSError):
                partial.unlink()

    def _path(self, body: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"
