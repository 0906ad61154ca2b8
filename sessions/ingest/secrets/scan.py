"""All rules in one pass, in time linear to the text."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from sessions.ingest.secrets.rules import COMMAND, PROVIDERS, SKIP, TEXT_RULES, Rule

_MEMORY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a text of bytes: where it is, of what kind, and what it is where its text has something within."""

    start: int
    end: int
    kind: str
    joined: bytes = b""


class Scanner:
    """All rules of a table as one automaton: time grows with the length of the text, whatever stands in it."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        """Compile `rules` together."""
        self._pattern = compile_pattern("|".join(f"(?:{rule.pattern})" for rule in rules))
        self._rules = [rule for rule in rules for _ in range(compile_pattern(rule.pattern).groups)]

    def find(self, data: bytes) -> Iterator[Found]:
        """Yield the secrets in `data`, in order, without overlap."""
        place = 0
        while (match := self._pattern.search(data, place)) is not None:
            rule = self._rules[match.lastindex - 1]
            start, end = match.span(match.lastindex)
            if rule is not SKIP and not _accepted(rule, data[match.start() : start], data[start:end]):
                place = max(start, match.start() + 1)
                continue
            if rule is not SKIP:
                yield Found(start, end, rule.kind)
            place = end


def _accepted(rule: Rule, before: bytes, secret: bytes) -> bool:
    return rule.accept is None or rule.accept(before.decode(errors="replace"), secret.decode(errors="replace"))


def compile_pattern(pattern: str) -> Any:
    """Return the RE2 pattern, over bytes; RE2 takes time linear to the text, whatever it holds."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    return re2.compile(pattern.encode(), options)


@cache
def text_rules() -> Scanner:
    """Return the scanner for any text."""
    return Scanner(TEXT_RULES)


@cache
def command_rules() -> Scanner:
    """Return the scanner of what more a command may hold."""
    return Scanner((SKIP, *COMMAND))


@cache
def provider_rules() -> Scanner:
    """Return the scanner for secrets in their provider's own form."""
    return Scanner(PROVIDERS)


@cache
def base64_words() -> Any:
    """Return the pattern of words long enough to be a secret in base64."""
    return compile_pattern(r"[A-Za-z0-9+/_-]{24,}={0,2}")


@cache
def escaped_words() -> Any:
    """Return the pattern of words with URL escapes in them."""
    return compile_pattern(r"""[^\s"'`<>]*%[0-9A-Fa-f]{2}[^\s"'`<>]*""")
