"""A server on loopback that speaks OpenAI's protocol and answers as a model that knows the truth, or not always."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any

import pytest

from tests.sessions.hypotheses.model.truths import TRUTHS, Truth

_BLOCK = re.compile(r"^\[(message|step) (\d+)\].*$", re.MULTILINE)
_KNOWN = re.compile(r"^(K\d+): \(message \d+, (\w+)\) (.*)$", re.MULTILINE)
FAULTS = ("invented", "foreign", "broken", "refusal", "truncated", "slow", "429", "500")


def fold(text: str) -> str:
    return " ".join(text.split())


@dataclass
class Shown:
    """What a question shows of a log, and what it says is known."""

    messages: dict[int, str]
    steps: dict[int, str]
    known: dict[str, tuple[str, str]]
    last: bool

    @classmethod
    def read(cls, user: str) -> "Shown":
        head, _, log = user.partition("\n\nThe log:\n")
        parts: dict[str, dict[int, str]] = {"message": {}, "step": {}}
        marks = list(_BLOCK.finditer(log or head))
        for mark, following in zip(marks, [*marks[1:], None], strict=True):
            body = (log or head)[mark.end() : following.start() if following else None]
            lines = [line[2:] for line in body.split("\n") if line[:2] in {"| ", "$ "}]
            parts[mark[1]][int(mark[2])] = fold("\n".join(lines))
        known = {m[1]: (m[2], m[3]) for m in _KNOWN.finditer(head)}
        return cls(parts["message"], parts["step"], known, "The log ends here" in user)

    def message(self, quote: str | None) -> int | None:
        return next((n for n, text in self.messages.items() if quote and fold(quote) in text), None)

    def step(self, quote: str) -> int | None:
        return next((n for n, text in self.steps.items() if fold(quote) in text), None)


def statement(truth: Truth) -> str:
    """What a right statement says: it has one of the words that tell it from its siblings."""
    text = fold(truth["statement"])[:200]
    plain = re.sub(r"[^a-z0-9]+", " ", text.lower())
    if any(re.sub(r"[^a-z0-9]+", " ", term.lower()).strip() in plain for term in truth["terms"]):
        return text
    return f"{truth['terms'][0]}: {text}"[:200]


@dataclass
class Oracle:
    """Answers from the truth, and from nothing that a question does not show."""

    truths: Sequence[Truth] = ()

    def answer(self, system: str, user: str) -> dict[str, Any]:
        shown = Shown.read(user)
        return self._reading(shown) if system.startswith("You read one part") else self._opinion(user, shown)

    def _reading(self, shown: Shown) -> dict[str, Any]:
        names = {text: name for name, (_, text) in shown.known.items()}
        called = {t["id"]: names.get(statement(t), f"N{n}") for n, t in enumerate(self.truths, 1)}
        told = [self._told(t, shown, called) for t in self.truths]
        return {"symptom": None, "hypotheses": [t for t in told if t is not None]}

    def _told(self, truth: Truth, shown: Shown, called: Mapping[str, str]) -> dict[str, Any] | None:
        name = called[truth["id"]]
        stated = shown.message(truth["stated_quote"])
        if name[0] == "N" and stated is None:
            return None
        decided = shown.message(truth["decided_quote"])
        over = decided is not None or shown.last
        cited = [(shown.step(e["quote"]), e) for e in truth["evidence"]]
        return {
            "name": name,
            "statement": statement(truth),
            "stated_in": stated,
            "stated_quote": truth["stated_quote"] if stated is not None else "",
            "verdict": truth["verdict"] if over else "open",
            "decided_in": decided,
            "decided_quote": truth["decided_quote"] if decided is not None else "",
            "parent": called.get(truth["parent"] or ""),
            "evidence": [
                {"step": n, "stance": e["stance"], "quote": e["quote"], "deciding": False}
                for n, e in cited
                if n is not None
            ],
        }

    def _opinion(self, user: str, shown: Shown) -> dict[str, Any]:
        claim = user.split("\n\n", 1)[0].partition("problem: ")[2]
        truth = next((t for t in self.truths if statement(t) == claim), None)
        for piece in truth["evidence"] if truth else ():
            step = shown.step(piece["quote"])
            if step is not None and truth and truth["verdict"] == "confirmed":
                return {"answer": "carries", "step": step, "quote": piece["quote"]}
        return {"answer": "does-not-carry", "step": None, "quote": ""}


@dataclass
class LLM:
    """A server: `bodies` are the requests it got; every `every`-th answer is wrong, each time in another way."""

    url: str
    oracle: Oracle
    context: int = 32_768
    every: int = 0
    faults: Sequence[str] = FAULTS
    stall: float = 1.0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    script: Callable[[dict[str, Any]], str | None] | None = None
    """Answers in place of the oracle, where it returns something."""

    refuse: Callable[[dict[str, Any]], int | None] | None = None
    """Refuses a request with an HTTP status, as one that does not fit."""
    takes: tuple[str, ...] = ("json_schema", "json_object")
    """The response formats that it knows."""

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.next_fault = cycle(self.faults)
        self.released = threading.Event()

    def fault(self, body: dict[str, Any]) -> str | None:
        with self.lock:
            self.bodies.append(body)
            if self.every and len(self.bodies) % self.every == 0:
                self.wrong.append(next(self.next_fault))
                return self.wrong[-1]
        return None

    def respond(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and document."""
        fault = self.fault(body)
        status = self.refuse(body) if self.refuse else None
        if status is not None:
            return status, {"error": {"message": "This model's maximum context length is 8192 tokens."}}
        wanted = body.get("response_format", {}).get("type")
        if wanted is not None and wanted not in self.takes:
            return 500, {"error": {"message": "response_format.type: Input should be 'text' or 'json_object'"}}
        if fault in {"429", "500"}:
            return int(fault), {"error": {"message": "not now"}}
        if fault == "slow":
            self.released.wait(self.stall)
        text, finish = spoil(self.text(body), fault)
        usage = {"prompt_tokens": sum(len(m["content"]) for m in body["messages"]) // 4, "completion_tokens": 9}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return 200, {"object": "chat.completion", "model": "oracle", "choices": [choice], "usage": usage}

    def text(self, body: dict[str, Any]) -> str:
        scripted = self.script(body) if self.script else None
        system, user = (m["content"] for m in body["messages"])
        return scripted if scripted is not None else json.dumps(self.oracle.answer(system, user))


def spoil(text: str, fault: str | None) -> tuple[str, str]:
    """Return the answer's text with a fault in it, and why it ended."""
    if fault == "invented":
        return re.sub(r'(_?quote": ")[^"]{2,}', r"\1the invented words of nobody", text), "stop"
    if fault == "foreign":
        return re.sub(r'("(?:step|stated_in|decided_in)": )(\d+)', lambda m: f"{m[1]}{int(m[2]) + 5000}", text), "stop"
    if fault == "broken":
        return text.replace('"hypotheses"', "hypotheses").replace('"answer"', "answer"), "stop"
    if fault == "refusal":
        return "I'm sorry, but I can't help with that.", "stop"
    return (text[: len(text) // 2], "length") if fault == "truncated" else (text, "stop")


def _handler(state: Callable[[], LLM]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": "oracle", "max_model_len": state().context}]})

        def do_POST(self) -> None:
            llm = state()
            llm.headers.append(dict(self.headers))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*llm.respond(body))

        def _send(self, status: int, document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # the client did not wait

    return Handler


@contextmanager
def serving() -> Iterator[LLM]:
    """Serve on loopback from no truth yet: set `oracle`, `every`, `script`."""
    holder: list[LLM] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(lambda: holder[0]))
    server.daemon_threads = True
    holder.append(LLM(f"http://127.0.0.1:{server.server_address[1]}", Oracle()))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield holder[0]
    holder[0].released.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def llm() -> Iterator[LLM]:
    """A server that answers from no truth yet."""
    with serving() as server:
        yield server


@pytest.fixture
def truths() -> tuple[Truth, ...]:
    return TRUTHS
