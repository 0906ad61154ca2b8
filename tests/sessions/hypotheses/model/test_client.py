"""What is sent to a server, and what comes of a server that is busy, refuses, hangs, or is none."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from sessions.errors import EnvironmentProblem, UsageProblem
from sessions.hypotheses.model.answers import Opinion
from sessions.hypotheses.model.asking import Asker, Usage
from sessions.hypotheses.model.cache import Cache
from sessions.hypotheses.model.client import Client, Served, Settings
from sessions.hypotheses.model.requests import Failure, Question, Reply

QUESTION = Question("check:1", "You compare a claim", "The claim: …", Opinion, 100)
ANSWER = '{"answer": "does-not-carry", "step": null, "quote": ""}'


class Server(Protocol):
    url: str
    every: int
    next_fault: Any
    script: Any
    takes: tuple[str, ...]
    stall: float
    bodies: list[dict[str, Any]]
    headers: list[dict[str, str]]


def client(llm: Server, *, key: str | None = None, tries: int = 3) -> Client:
    return Client(llm.url, key, Settings(timeout=0.5, tries=tries, pause=0.01))


def ask(llm: Server, *questions: Question, tries: int = 3) -> list[Reply | Failure]:
    llm.script = lambda _: ANSWER
    return Asker(client(llm, tries=tries), "m", None)(questions or [QUESTION])


def test_the_server_says_what_it_serves_and_how_much_it_holds(llm: Server) -> None:
    assert client(llm).models() == (Served("oracle", 32_768),)


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_the_address_may_end_in_v1(llm: Server, suffix: str) -> None:
    assert Client(llm.url + suffix).models()


def test_a_request_is_strict_cold_and_bounded(llm: Server) -> None:
    ask(llm)
    (body,) = llm.bodies
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0, 100)
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["strict"] is True


def test_the_key_is_sent_as_a_bearer_token_and_only_if_there_is_one(llm: Server) -> None:
    llm.script = lambda _: ANSWER
    Asker(client(llm, key="k-1"), "m", None)([QUESTION])
    Asker(client(llm), "m", None)([QUESTION])
    assert [h.get("Authorization") for h in llm.headers] == ["Bearer k-1", None]


@pytest.mark.parametrize("fault", ["429", "500", "slow"])
def test_a_busy_server_is_asked_again(llm: Server, fault: str) -> None:
    llm.every, llm.next_fault = 1, iter([fault, fault, "none"])
    (reply,) = ask(llm)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.tokens_out) == (ANSWER, 9)
    assert len(llm.bodies) == 3


def test_a_server_that_stays_busy_is_left_in_the_end(llm: Server) -> None:
    llm.every, llm.next_fault = 1, iter(["429"] * 9)
    (failure,) = ask(llm)
    assert isinstance(failure, Failure)
    assert "429" in failure.reason
    assert len(llm.bodies) == 3


def test_one_failure_does_not_touch_the_other_answers(llm: Server) -> None:
    questions = [Question(f"check:{n}", "s", f"u{n}", Opinion, 10) for n in range(12)]
    llm.every, llm.next_fault = 5, iter(["500"] * 9)
    replies = ask(llm, *questions, tries=1)
    assert sum(isinstance(r, Failure) for r in replies) == 2
    assert sum(isinstance(r, Reply) for r in replies) == 10


def test_a_server_without_schemas_gets_the_next_best_and_is_not_asked_twice(llm: Server) -> None:
    llm.takes = ("json_object",)
    llm.script = lambda _: ANSWER
    asker = Asker(client(llm), "m", None)
    assert all(isinstance(r, Reply) for r in [*asker([QUESTION]), *asker([QUESTION])])
    assert [b["response_format"]["type"] for b in llm.bodies] == ["json_schema", "json_object", "json_object"]
    assert "JSON schema:" in llm.bodies[-1]["messages"][0]["content"]


def test_a_server_without_any_format_is_asked_in_words(llm: Server) -> None:
    llm.takes = ()
    (reply,) = ask(llm)
    assert isinstance(reply, Reply)
    assert "response_format" not in llm.bodies[-1]


def test_no_server_is_said_with_what_to_do() -> None:
    with pytest.raises(EnvironmentProblem, match="does not answer") as problem:
        Client("http://127.0.0.1:9", settings=Settings(timeout=1)).models()
    assert "vllm serve" in problem.value.hint


@pytest.mark.parametrize("url", ["gpu7:8000", "ftp://gpu7", "http://", "file:///etc/passwd", ""])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageProblem):
        Client(url)


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of something that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_stopping_ends_what_is_under_way(silent: str) -> None:
    stuck = Client(silent, settings=Settings(timeout=60))
    came: list[list[Reply | Failure]] = []
    thread = threading.Thread(target=lambda: came.append(Asker(stuck, "m", None)([QUESTION] * 3)))
    thread.start()
    while thread.is_alive():
        stuck.stop()
        thread.join(0.05)
    assert all(isinstance(reply, Failure) for reply in came[0])


def test_a_long_wait_is_no_silence(silent: str) -> None:
    stuck = Client(silent, settings=Settings(timeout=60))
    heard: list[int] = []

    def told(usage: Usage) -> None:
        heard.append(usage.asked)
        if len(heard) == 3:
            stuck.stop()

    (reply,) = Asker(stuck, "m", None, told, patience=0.01)([QUESTION])
    assert isinstance(reply, Failure)
    assert heard[:3] == [0, 0, 0]


def test_usage_counts_what_was_paid_for(llm: Server, tmp_path: Path) -> None:
    llm.script = lambda _: ANSWER
    cache = Cache(tmp_path)
    first, second = (Asker(client(llm), "m", cache) for _ in range(2))
    first([QUESTION])
    second([QUESTION])
    assert (first.usage.asked, first.usage.cached, first.usage.tokens_out) == (1, 0, 9)
    assert (second.usage.asked, second.usage.cached, second.usage.tokens_out) == (0, 1, 0)


def test_the_cache_tells_models_apart_and_survives_damage(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(QUESTION.body("one"), Reply(ANSWER))
    assert cache.get(QUESTION.body("other")) is None
    kept = cache.get(QUESTION.body("one"))
    assert kept is not None
    assert (kept.text, kept.cached) == (ANSWER, True)
    (file,) = tmp_path.rglob("*.json")
    assert file.stat().st_mode & 0o077 == 0
    file.write_bytes(b'{"text": "half')
    assert cache.get(QUESTION.body("one")) is None


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file")
    cache.put(QUESTION.body("one"), Reply(ANSWER))
    assert cache.get(QUESTION.body("one")) is None
