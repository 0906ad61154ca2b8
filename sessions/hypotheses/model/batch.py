"""Questions and answers in OpenAI's batch format, which ``vllm run-batch`` reads on a host without a network."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sessions.hypotheses.model.client import completion
from sessions.hypotheses.model.requests import Failure, Question, Reply, Shape

MISSING = "there is no result for it"
_URL = "/v1/chat/completions"
_OK = 200
_DIGEST = 24


def request_line(question: Question, session: str, context: int, model: str, shape: Shape = "schema") -> str:
    """Return one line of a batch file. Its ``custom_id`` names the session, the context and the question's content."""
    document = {
        "custom_id": f"{session}|{context}|{question.name}|{question.digest[:_DIGEST]}",
        "method": "POST",
        "url": _URL,
        "body": question.body(model, shape),
    }
    return json.dumps(document, ensure_ascii=False)


class Results:
    """Results of a batch, found by the content of the question; `damaged` lines could not be read."""

    def __init__(self) -> None:
        """Start without results."""
        self.damaged = 0
        self.failed = 0
        self._replies: dict[str, Reply] = {}
        self._contexts: dict[str, Counter[int]] = {}
        self._models: Counter[str] = Counter()

    def add(self, lines: Iterable[str]) -> None:
        """Take the lines of a file of results, in any order; of two good answers to one question the last counts."""
        for line in lines:
            if line.strip():
                self._add(line)

    def context(self, session: str) -> int | None:
        """Return the context for which most of a session's questions were made; None where none was."""
        counted = self._contexts.get(session)
        return counted.most_common(1)[0][0] if counted else None

    def model(self) -> str | None:
        """Return the name of the model that gave most of the answers."""
        return self._models.most_common(1)[0][0] if self._models else None

    def _add(self, line: str) -> None:
        read = _read(line)
        if read is None:
            self.damaged += 1
            return
        custom_id, document = read
        session, context, _, digest = custom_id
        self._contexts.setdefault(session, Counter())[context] += 1
        response = document.get("response")
        body = response.get("body") if isinstance(response, Mapping) and not document.get("error") else None
        if not isinstance(response, Mapping) or not isinstance(body, Mapping) or response.get("status_code") != _OK:
            self.failed += 1
            return
        reply = completion(body)
        if reply is None:
            self.failed += 1
            return
        self._replies[digest] = reply
        self._models[str(body.get("model") or "unknown")] += 1

    def __call__(self, questions: Sequence[Question]) -> list[Reply | Failure]:
        """Return what came of each question."""
        return [self._replies.get(q.digest[:_DIGEST], Failure(MISSING)) for q in questions]


class Recorder:
    """Answers from results, and notes every question that has none."""

    def __init__(self, results: Results) -> None:
        """Answer from `results`."""
        self.missing: list[Question] = []
        self._results = results

    def __call__(self, questions: Sequence[Question]) -> list[Reply | Failure]:
        """Return what came of each question."""
        replies = self._results(questions)
        self.missing += [q for q, reply in zip(questions, replies, strict=True) if isinstance(reply, Failure)]
        return replies


def _read(line: str) -> tuple[tuple[str, int, str, str], Mapping[str, Any]] | None:
    try:
        document = json.loads(line)
        session, context, name, digest = str(document["custom_id"]).rsplit("|", 3)
        return (session, int(context), name, digest), document
    except (ValueError, KeyError, TypeError):
        return None


def lines_of(text: bytes) -> Iterator[str]:
    """Return the lines of a file of results; bytes that are no UTF-8 damage their own line only."""
    yield from text.decode("utf-8", "replace").split("\n")
