"""``necropsy recall --llm``: what no shared word finds, found by the vectors of an embedding server on loopback."""

import json
import re
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

CONCEPTS = (
    r"dequantiz|unpack|nibble|decodes",
    r"tokenizer|prompt|chat template|vocabulary",
    r"download|402 GB|damaged|transfer|came over",
    r"name map|tensor names|lookup table",
)
"""A language of four meanings: a vector says how often each is meant."""


class Server(ThreadingHTTPServer):
    """Speaks OpenAI's embeddings; keeps the texts it was asked about."""

    daemon_threads = True
    asked: list[str]
    answer: Callable[[list[str]], dict[str, Any]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.send({"data": [{"id": "meanings"}]})

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.asked += texts
        self.send(self.server.answer(texts))

    def send(self, document: dict[str, Any]) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def meanings(texts: list[str]) -> dict[str, Any]:
    rows = [[len(re.findall(concept, text, re.IGNORECASE)) + 0.01 for concept in CONCEPTS] for text in texts]
    data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
    return {"data": data[::-1]}


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    made.asked, made.answer = [], meanings
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_another_wording_finds_it(bundled: Run, server: Server) -> None:
    words = ["do", "kernels", "unpack", "nibbles", "badly"]
    assert "✗ The GGUF dequantization kernel" not in bundled("recall", *words).stdout
    assert bundled("recall", *words, "--llm", server.url).stdout.startswith("✗ The GGUF dequantization kernel")


def test_what_words_find_stays_on_top(bundled: Run, server: Server) -> None:
    told = bundled("recall", "kv", "cache", "dtype", "culprit", "--llm", server.url).stdout
    assert told.startswith("⊘ The KV cache dtype is the culprit")


def test_a_second_question_sends_only_itself(bundled: Run, server: Server) -> None:
    bundled("recall", "vocabulary", "--llm", server.url)
    assert len(server.asked) == 8 + 1
    bundled("recall", "transfer", "--llm", server.url)
    assert server.asked[9:] == ["transfer"]


def test_vectors_of_forgotten_sessions_go(bundled: Run, server: Server, store: Path) -> None:
    bundled("recall", "vocabulary", "--llm", server.url)
    assert vectors(store) == 8
    bundled("forget", "latest", "--yes")
    assert bundled("recall", "vocabulary", "--llm", server.url).returncode == 1
    assert vectors(store) == 0


def vectors(store: Path) -> int:
    with closing(sqlite3.connect(store.with_name(store.name + ".vectors"))) as connection:
        (number,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
        return int(number)


def test_a_server_without_vectors_is_named(bundled: Run, server: Server) -> None:
    server.answer = lambda _: {"choices": []}
    done = bundled("recall", "vocabulary", "--llm", server.url)
    assert done.returncode == 4
    assert "gives no embeddings: the answer holds no vectors" in done.stderr
