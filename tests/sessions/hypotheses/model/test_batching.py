"""Batch files: questions out, results in any order, partial or damaged."""

import json
import random
from collections.abc import Iterable
from typing import Any, Protocol

import pytest

from sessions.hypotheses.model.batch import MISSING, Recorder, Results, lines_of, request_line
from sessions.hypotheses.model.engine import Read, Reader
from sessions.hypotheses.model.ground import Log
from sessions.hypotheses.model.requests import Question
from sessions.hypotheses.rules.engine import analyze
from sessions.models.session import Message, Step

CONTEXT = 8_192


class Session(Protocol):
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]


class Server(Protocol):
    oracle: Any
    script: Any

    def text(self, body: dict[str, Any]) -> str: ...


def written(questions: Iterable[Question]) -> list[dict[str, Any]]:
    return [json.loads(request_line(q, "ses|1", CONTEXT, "m")) for q in questions]


def result(request: dict[str, Any], llm: Server) -> str:
    """One line as ``vllm run-batch`` writes it."""
    choice = {"message": {"role": "assistant", "content": llm.text(request["body"])}, "finish_reason": "stop"}
    body = {"model": "m", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 5}}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return json.dumps({"id": "x", "custom_id": request["custom_id"], "response": response, "error": None})


def reader(session: Session) -> Reader:
    return Reader(Log(session.messages, session.steps, analyze(session.messages, session.steps)), "m", CONTEXT)


def settled(read: Read) -> dict[str, tuple[str, str]]:
    return {h.statement: (h.verdict, h.support) for h in read.tree.hypotheses if not h.root}


@pytest.fixture
def perfect(llm: Server, truths: tuple[dict[str, Any], ...]) -> Server:
    llm.oracle.truths = truths
    return llm


def first_round(session: Session, llm: Server) -> list[str]:
    return [result(request, llm) for request in written(reader(session).questions())]


def test_requests_are_in_openais_batch_format(bundled: Session) -> None:
    requests = written(reader(bundled).questions())
    assert len(requests) >= 3
    assert len({r["custom_id"] for r in requests}) == len(requests)
    for request in requests:
        assert set(request) == {"custom_id", "method", "url", "body"}
        assert (request["method"], request["url"], request["body"]["model"]) == ("POST", "/v1/chat/completions", "m")


def test_two_rounds_settle_a_log(bundled: Session, perfect: Server) -> None:
    results = Results()
    results.add(first_round(bundled, perfect))
    recorder = Recorder(results)
    read = reader(bundled).read_apart(recorder)
    cause = next(s for s in settled(read) if "expert weights" in s)
    assert settled(read)[cause] == ("confirmed", "claimed")
    assert [q.name.partition(":")[0] for q in recorder.missing] == ["check"]
    results.add(result(request, perfect) for request in written(recorder.missing))
    again = Recorder(results)
    assert settled(reader(bundled).read_apart(again))[cause] == ("confirmed", "grounded")
    assert again.missing == []


def test_the_order_of_results_does_not_matter(bundled: Session, perfect: Server) -> None:
    lines = first_round(bundled, perfect)
    trees = []
    for seed in range(3):
        results = Results()
        results.add(random.Random(seed).sample(lines, len(lines)))  # noqa: S311 (an order, not a secret)
        trees.append(reader(bundled).read_apart(results).tree)
    assert trees[0] == trees[1] == trees[2]


def test_missing_failed_and_damaged_results_cost_only_themselves(bundled: Session, perfect: Server) -> None:
    lines = first_round(bundled, perfect)
    requests = written(reader(bundled).questions())
    failed = {
        "custom_id": requests[1]["custom_id"],
        "response": {"status_code": 500, "body": None},
        "error": {"code": 1},
    }
    damaged = [lines[2][:80], "\x00\x01", '{"custom_id": 7}', "[]", json.dumps({"custom_id": "a|b|c|d"})]
    results = Results()
    results.add(["", lines[0], json.dumps(failed), *damaged, *lines[3:]])
    read = reader(bundled).read_apart(results)
    assert (results.failed, results.damaged) == (1, 5)
    assert read.missing == {2: MISSING, 3: MISSING}
    assert "has not read part 2, 3 of" in read.tree.note
    assert settled(read)


def test_a_part_that_was_told_of_none_cannot_speak_of_a_known_one(bundled: Session, perfect: Server) -> None:
    lines = first_round(bundled, perfect)
    item = {"name": "K1", "statement": "x", "verdict": "confirmed", "evidence": []}
    request = written(reader(bundled).questions())[-1]
    perfect.script = lambda _: json.dumps({"symptom": None, "hypotheses": [item]})
    results = Results()
    results.add([*lines[:-1], result(request, perfect)])
    read = reader(bundled).read_apart(results)
    assert "x" not in settled(read)
    assert "confirmed" not in {verdict for verdict, _ in settled(read).values()}
    assert read.account.dropped["hypothesis: its words do not stand in the message"] == 1


def test_results_know_their_model_and_context(bundled: Session, perfect: Server) -> None:
    results = Results()
    assert (results.model(), results.context("ses|1")) == (None, None)
    results.add(first_round(bundled, perfect))
    assert (results.model(), results.context("ses|1")) == ("m", CONTEXT)


def test_bytes_that_are_no_text_damage_one_line(bundled: Session, perfect: Server) -> None:
    lines = first_round(bundled, perfect)
    results = Results()
    results.add(lines_of(b"\xff\xfe{\n" + "\r\n".join(lines).encode()))
    assert results.damaged == 1
    assert not reader(bundled).read_apart(results).missing


def test_results_for_another_log_answer_nothing(bundled: Any, perfect: Server) -> None:
    results = Results()
    results.add(first_round(bundled, perfect))
    changed = bundled.change({"glm": "qwen", "GLM": "Qwen"})
    assert len(reader(changed).read_apart(results).missing) == len(reader(changed).windows)
