"""Reads JavaScript literals, and nothing else of the language: no code is run."""

import re
from collections.abc import Mapping
from typing import Any, Final


class Computed:
    """Stands for a value that only running the program could tell."""


COMPUTED: Final = Computed()

_SPACE = re.compile(r"(?:\s+|//[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PATH = re.compile(r"[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*")
_STRING = re.compile(r"(['\"`])(?:\\.|(?!\1)[^\\])*\1", re.DOTALL)
_JOIN = re.compile(r"\.\s*join\s*\(")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)")
_HEX = {"x": 2, "u": 4}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "undefined": None}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 60


class Literals:
    """A reader at a place in a program; `names` holds the values of the constants met so far."""

    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        """Read from `text`."""
        self.text = text
        self.names = names

    def space(self, at: int) -> int:
        """Return the place behind white space and comments."""
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def expression(self, at: int, depth: int = 0) -> tuple[Any, int]:
        """Return the value of the expression at `at`, COMPUTED where no text tells it, and the place behind."""
        value, at = self._value(self.space(at), depth)
        while True:
            at = self.space(at)
            if isinstance(value, list) and (match := _JOIN.match(self.text, at)):
                value, at = self._joined(value, match.end(), depth)
                continue
            if self.text.startswith("+", at) and not self.text.startswith("++", at):
                other, at = self._value(self.space(at + 1), depth)
                joined = isinstance(value, str | int | float) and isinstance(other, str | int | float)
                value = f"{value}{other}" if joined else COMPUTED
                continue
            if at >= len(self.text) or self.text[at] in ",;)]}\n":
                return value, at
            return COMPUTED, self.skip(at)

    def skip(self, at: int) -> int:
        """Return the place of the comma, semicolon or closing bracket that ends the expression around `at`."""
        open_brackets: list[str] = []
        while at < len(self.text):
            char = self.text[at]
            if char in "'\"`":
                match = _STRING.match(self.text, at)
                at = match.end() if match else len(self.text)
                continue
            if char == "/" and self.space(at) > at:
                at = self.space(at)
                continue
            if char in _CLOSING:
                open_brackets.append(_CLOSING[char])
            elif char in ")]}":
                if not open_brackets:
                    return at
                open_brackets.pop()
            elif char in ",;" and not open_brackets:
                return at
            at += 1
        return at

    def string(self, at: int, *, raw: bool = False) -> tuple[Any, int]:
        """Return the string literal at `at`; a template keeps what it cannot fill in as ``${…}``."""
        quote = self.text[at]
        parts: list[str] = []
        at += 1
        while at < len(self.text) and self.text[at] != quote:
            char = self.text[at]
            if char == "\\" and not raw:
                part, at = self._escape(at + 1)
            elif quote == "`" and self.text.startswith("${", at):
                part, at = self._filling(at)
            else:
                part, at = char, at + 1
            parts.append(part)
        return "".join(parts), at + 1

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        char = self.text[at : at + 1]
        if char and char in "'\"`":
            return self.string(at)
        if char and char in "{[" and depth < _DEEPEST:
            return self._object(at, depth + 1) if char == "{" else self.array(at, depth + 1)
        return self._word(at)

    def _word(self, at: int) -> tuple[Any, int]:
        if self.text.startswith("String.raw`", at):
            return self.string(at + len("String.raw"), raw=True)
        if match := _NUMBER.match(self.text, at):
            return _number(match.group()), match.end()
        if match := _PATH.match(self.text, at):
            return self._named(match.group()), match.end()
        return COMPUTED, self.skip(at)

    def array(self, at: int, depth: int = 0) -> tuple[list[Any], int]:
        """Return the items of the list whose bracket is at `at`, and the place behind it."""
        items: list[Any] = []
        at = self.space(at + 1)
        while at < len(self.text) and self.text[at] != "]":
            value, at = self.expression(at, depth)
            items.append(value)
            at = self._next(at, "]")
        return items, at + 1

    def _object(self, at: int, depth: int) -> tuple[Any, int]:
        members: dict[str, Any] = {}
        at = self.space(at + 1)
        while at < len(self.text) and self.text[at] != "}":
            if self.text.startswith("...", at):
                spread, at = self.expression(at + 3, depth)
                members.update(spread if isinstance(spread, Mapping) else {})
                at = self._next(at, "}")
                continue
            key, at = self._key(at)
            at = self.space(at)
            if self.text.startswith(":", at):
                members[key], at = self.expression(at + 1, depth)
            elif at < len(self.text) and self.text[at] in ",}":
                members[key] = self._named(key)
            else:
                at = self.skip(at)
            at = self._next(at, "}")
        return members, at + 1

    def _joined(self, items: list[Any], at: int, depth: int) -> tuple[Any, int]:
        glue, at = self.expression(at, depth)
        at = self.space(at) + 1
        if isinstance(glue, str) and all(isinstance(item, str) for item in items):
            return glue.join(items), at
        return COMPUTED, at

    def _key(self, at: int) -> tuple[str, int]:
        if self.text[at] in "'\"":
            value, at = self.string(at)
            return str(value), at
        match = _NAME.match(self.text, at)
        return (match.group(), match.end()) if match else ("", at)

    def _next(self, at: int, closing: str) -> int:
        """Return the place behind a comma; on anything that ends no item go one on, so that reading always ends."""
        at = self.space(at)
        return at if self.text.startswith(closing, at) else self.space(at + 1)

    def _named(self, path: str) -> Any:
        if path in _WORDS:
            return _WORDS[path]
        first, *rest = re.split(r"\s*\.\s*", path)
        value = self.names.get(first, COMPUTED)
        for name in rest:
            value = value.get(name, COMPUTED) if isinstance(value, Mapping) else COMPUTED
        return value

    def _filling(self, at: int) -> tuple[str, int]:
        """Return what a template's ``${NAME}`` stands for, else its text."""
        match = _PATH.match(self.text, self.space(at + 2))
        value = self._named(match.group()) if match else COMPUTED
        if match and isinstance(value, str | int | float) and self.text.startswith("}", self.space(match.end())):
            return str(value), self.space(match.end()) + 1
        end = self.skip(at + 2)
        return self.text[at : end + 1], end + 1

    def _escape(self, at: int) -> tuple[str, int]:
        char = self.text[at : at + 1]
        if char == "u" and self.text.startswith("{", at + 1):
            end = self.text.find("}", at)
            return _character(self.text[at + 2 : end]), end + 1 if end > 0 else len(self.text)
        if char in _HEX:
            end = at + 1 + _HEX[char]
            return _character(self.text[at + 1 : end]), end
        return _ESCAPES.get(char, char), at + 1


def _character(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except (ValueError, OverflowError):
        return "\ufffd"


def _number(text: str) -> int | float:
    plain = text.replace("_", "")
    try:
        return int(plain, 0)
    except ValueError:
        return float(plain)
