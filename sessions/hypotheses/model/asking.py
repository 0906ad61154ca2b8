"""Questions sent to a server, a few at once, answers kept, and what it all took counted."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from sessions.hypotheses.model.answers import Opinion, read_opinion, read_reading
from sessions.hypotheses.model.cache import Cache
from sessions.hypotheses.model.client import Client
from sessions.hypotheses.model.requests import Failure, Question, Reply


@dataclass(slots=True)
class Usage:
    """Requests sent and answered from the cache, failed ones, tokens as the server counts them, seconds of waiting."""

    asked: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def add(self, reply: Reply | Failure) -> None:
        """Count one answer."""
        if isinstance(reply, Failure):
            self.failed += 1
        elif reply.cached:
            self.cached += 1
        else:
            self.asked += 1
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out
            self.seconds += reply.seconds


class Asker:
    """Sends questions to one model of one server.

    `told` hears of every answer, and every `patience` seconds in which none comes.
    """

    def __init__(
        self,
        client: Client,
        model: str,
        cache: Cache | None,
        told: Callable[[Usage], None] = lambda _: None,
        patience: float = 15.0,
    ) -> None:
        """Keep what is needed; without a `cache` everything is asked anew."""
        self.usage = Usage()
        self._client = client
        self._model = model
        self._cache = cache
        self._told = told
        self._patience = patience
        self._lock = threading.Lock()

    def __call__(self, questions: Sequence[Question]) -> list[Reply | Failure]:
        """Return what came of each question, in their order. An interrupt ends what is under way."""
        at_once = max(1, min(self._client.settings.at_once, len(questions)))
        pool = ThreadPoolExecutor(max_workers=at_once)
        futures = [pool.submit(self._one, question) for question in questions]
        try:
            self._await(futures)
            return [future.result() for future in futures]
        except BaseException:
            self._client.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _await(self, futures: Sequence[Future[Reply | Failure]]) -> None:
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, self._patience)
            if not done:
                with self._lock:
                    self._told(self.usage)

    def _one(self, question: Question) -> Reply | Failure:
        key = question.body(self._model)
        kept = self._cache.get(key) if self._cache is not None else None
        reply = kept or self._client.chat(lambda shape: question.body(self._model, shape))
        if self._cache is not None and kept is None and isinstance(reply, Reply) and _is_whole(question, reply):
            self._cache.put(key, reply)
        with self._lock:
            self.usage.add(reply)
            self._told(self.usage)
        return reply


def _is_whole(question: Question, reply: Reply) -> bool:
    """Only an answer that can be read is worth keeping: another may be given next time."""
    if question.answer is Opinion:
        return read_opinion(reply.text) is not None
    reading = read_reading(reply.text)
    return reading is not None and reading.malformed == 0
