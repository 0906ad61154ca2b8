"""An OpenAI-compatible server: asked over plain HTTP(S), several questions at once, patiently, and stopped at once."""

import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sessions.errors import EnvironmentProblem, UsageProblem
from sessions.hypotheses.model.requests import Failure, Reply, Shape

_TRIES = 5
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_CONNECT = 20.0
_OK = 200
_BAD = frozenset({400, 413, 422, 500})
_TOO_LONG = re.compile(
    r"(?i)context (?:length|size|window)|maximum context|max_model_len|too (?:long|many tokens)|exceeds?\b.*token"
)
_AUTH = frozenset({401, 403})
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_ANSWER = 16 * 1024 * 1024
_SHAPES: tuple[Shape, ...] = ("schema", "object", "plain")


@dataclass(frozen=True, slots=True)
class Served:
    """A model that a server has, and the tokens that its context holds, where the server says so."""

    name: str
    context: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How patient a client is: seconds for one answer, requests at once, tries, and the first pause between them."""

    timeout: float = 600.0
    at_once: int = 4
    tries: int = _TRIES
    pause: float = _FIRST_PAUSE


class _Refused(Exception):
    """A server's answer that is none; `passing` says whether asking again may help."""

    def __init__(self, reason: str, *, status: int = 0, passing: bool = False, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.passing = passing
        self.wait = wait


class Client:
    """Asks one server. `stop` may be called from another thread or a signal's handler."""

    def __init__(self, url: str, key: str | None = None, settings: Settings | None = None) -> None:
        """Take the address of a server, with or without ``/v1``, and the key it wants, if any.

        Raises UsageProblem for what is no http or https address.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageProblem(f"{url!r} is no address of a server.", hint="Write http://HOST:PORT or ssh://HOST:PORT.")
        self.settings = settings or Settings()
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/").removesuffix("/v1") + "/v1"
        self._key = key
        self._shape: Shape = "schema"
        self._stopped = threading.Event()
        self._open: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()

    def models(self) -> tuple[Served, ...]:
        """Return what the server serves. Raises EnvironmentProblem where it does not say."""
        try:
            document = self._exchange("GET", "/models", None)
        except _Refused as refusal:
            raise EnvironmentProblem(
                f"The server at {self._where()} does not answer: {refusal.reason}.",
                hint="Is it running, and is the address right? `vllm serve MODEL` listens on port 8000.",
            ) from refusal
        data = document.get("data")
        rows = [row for row in data if isinstance(row, Mapping)] if isinstance(data, list) else []
        return tuple(Served(str(row.get("id", "")), _context(row)) for row in rows)

    def chat(self, body: Callable[[Shape], Mapping[str, Any]]) -> Reply | Failure:
        """Return what came of one request, after as many tries as it takes; `body` makes it per shape of JSON."""
        pause = self.settings.pause
        refusal = _Refused("stopped")
        too_long = False
        for attempt in range(self.settings.tries):
            if self._stopped.is_set():
                break
            try:
                return self._shaped(body)
            except _Refused as error:
                refusal = error
            too_long = refusal.status in _BAD and bool(_TOO_LONG.search(refusal.reason))
            if too_long or not refusal.passing or attempt == self.settings.tries - 1:
                break
            self._stopped.wait(min(max(pause, refusal.wait), _LONGEST_PAUSE))
            pause *= 2
        return Failure(refusal.reason, too_long=too_long)

    def embed(self, texts: Sequence[str], model: str) -> list[list[float]]:
        """Return a vector for each text, in their order. Raises EnvironmentProblem where the server gives none."""
        try:
            document = self._exchange("POST", "/embeddings", {"model": model, "input": list(texts)})
            rows = sorted(document["data"], key=lambda row: row["index"])
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (_Refused, LookupError, TypeError, ValueError) as error:
            reason = error.reason if isinstance(error, _Refused) else "the answer holds no vectors"
            raise EnvironmentProblem(
                f"The server at {self._where()} gives no embeddings: {reason}.",
                hint="It must serve an embedding model: `vllm serve MODEL --runner pooling`.",
            ) from error
        if len(vectors) != len(texts):
            raise EnvironmentProblem(
                f"The server at {self._where()} gave {len(vectors)} vectors for {len(texts)} texts."
            )
        return vectors

    def stop(self) -> None:
        """End all that is under way."""
        self._stopped.set()
        with self._lock:
            open_ = list(self._open)
        for connection in open_:
            if connection.sock is not None:
                with suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def _shaped(self, body: Callable[[Shape], Mapping[str, Any]]) -> Reply:
        """Ask with the strictest shape of JSON that the server takes; which one that is, is remembered."""
        for shape in _SHAPES[_SHAPES.index(self._shape) :]:
            try:
                reply = self._post(body(shape))
            except _Refused as refusal:
                if shape == "plain" or not _about_format(refusal):
                    raise
                continue
            self._shape = shape
            return reply
        raise _Refused("no shape of JSON is taken")

    def _post(self, body: Mapping[str, Any]) -> Reply:
        started = time.monotonic()
        document = self._exchange("POST", "/chat/completions", body)
        reply = completion(document, time.monotonic() - started)
        if reply is None:
            raise _Refused("the answer is no chat completion", passing=True)
        return reply

    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        connection = self._connection()
        with self._lock:
            self._open.add(connection)
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.connect()
            connection.sock.settimeout(self.settings.timeout)
            connection.request(method, self._base + path, content, self._headers(content))
            response = connection.getresponse()
            answer = response.read(_LONGEST_ANSWER)
            status, wait = response.status, _seconds(response.getheader("Retry-After"))
        except (OSError, http.client.HTTPException) as error:
            raise _Refused(_reason(error), passing=not isinstance(error, ssl.SSLCertVerificationError)) from error
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()
        if status != _OK:
            raise _Refused(_told(status, answer), status=status, passing=status in _PASSING, wait=wait)
        return _object(answer)

    def _connection(self) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=_CONNECT)
        return http.client.HTTPConnection(self._host, self._port, timeout=_CONNECT)

    def _headers(self, content: bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json"} | ({"Content-Type": "application/json"} if content else {})
        return headers | ({"Authorization": f"Bearer {self._key}"} if self._key else {})

    def _where(self) -> str:
        return f"{self._host}:{self._port}" if self._port else self._host


def completion(document: Mapping[str, Any], seconds: float = 0.0) -> Reply | None:
    """Return the answer in a chat completion that took so many seconds; None for a document that is none."""
    try:
        choice = document["choices"][0]
        text = choice["message"].get("content") or ""
        usage = document.get("usage") or {}
        counts = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
        return Reply(str(text), str(choice.get("finish_reason") or "stop"), *counts, seconds)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None


def _object(answer: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(answer)
    except ValueError as error:
        raise _Refused("the answer is no JSON", passing=True) from error
    if not isinstance(document, dict):
        raise _Refused("the answer is no JSON object", passing=True)
    return document


def _about_format(refusal: _Refused) -> bool:
    words = ("response_format", "json_schema", "text' or 'json_object", "guided", "grammar")
    return refusal.status in {400, 422, 500, 501} and any(word in refusal.reason for word in words)


def _context(row: Mapping[str, Any]) -> int | None:
    """Return how much a context holds, where the server says so, as vLLM does."""
    length = row.get("max_model_len")
    return length if isinstance(length, int) and length > 0 else None


def _seconds(value: str | None) -> float:
    return float(value) if value is not None and value.strip().isdecimal() else 0.0


def _told(status: int, answer: bytes) -> str:
    said = answer[:400].decode("utf-8", "replace").strip()
    if status in _AUTH:
        return f"HTTP {status}: the key is not accepted (NECROPSY_LLM_KEY)"
    return f"HTTP {status}: {said}" if said else f"HTTP {status}"


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
