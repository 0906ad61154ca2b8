"""The JavaScript programs of Codex's ``exec`` tool: which tools they call, and with what."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.formats.rollout.argv import argv_text
from sessions.formats.rollout.literals import COMPUTED, Literals

_SHELLS = {"exec_command": "cmd", "shell_command": "command", "shell": "command", "local_shell": "command"}
_NAME = r"[A-Za-z_$][\w$]*"
_TOKEN = re.compile(r"['\"`]|//|/\*|\btools\s*[.\[]|\b(?:const|let|var|function)\b|\[|\.\s*(?:map|forEach|flatMap)\b")
_CALL = re.compile(rf"tools\s*(?:\.\s*({_NAME})|\[\s*['\"]([^'\"]+)['\"]\s*\])\s*\(")
_CONSTANT = re.compile(rf"(?:const|let|var)\s+({_NAME})\s*=(?![=>])")
_LOOP = re.compile(rf"(?:const|let|var)\s+({_NAME})\s+of\s+")
_EACH = re.compile(rf"\.\s*(?:map|forEach|flatMap)\s*\(\s*(?:async\s*)?\(?\s*({_NAME})\s*(?:,[^)=]*)?\)?\s*=>")
_FUNCTION = re.compile(rf"(?:async\s+)?function\s+({_NAME})\s*\(\s*({_NAME})")
_ARROW = re.compile(rf"(?:const|let|var)\s+({_NAME})\s*=\s*(?:async\s*)?(?:\(\s*({_NAME})[^)]*\)|({_NAME}))\s*=>")
_PRINTED_CODE = re.compile(
    rf"(?:[`}}>;\n]|\\n)((?:\w{{1,20}} ){{0,3}}\w{{1,20}} ?[=:] ?)\$\{{\s*{_NAME}\.exit_code\s*\}}"
)
_MOST = 150
"""Lists and calls that are read of one program, so that a hostile one cannot cost more."""
_BEFORE = re.compile(rf"({_NAME})\s*$")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool in a program; `given` is its argument, or COMPUTED."""

    tool: str
    given: Any

    @property
    def runs(self) -> bool:
        """Whether it runs a command."""
        return self.tool in _SHELLS

    @property
    def command(self) -> str | None:
        """The command it runs; None for other tools and where the program computes it."""
        given = self.given.get(_SHELLS.get(self.tool, "")) if isinstance(self.given, Mapping) else None
        if isinstance(given, list) and all(isinstance(word, str) for word in given):
            return argv_text(given)
        return given if isinstance(given, str) else None

    @property
    def folder(self) -> str | None:
        """The folder in which it runs, where the program says so."""
        given = self.given.get("workdir") if isinstance(self.given, Mapping) else None
        return given if isinstance(given, str) else None


def tool_calls(program: str) -> list[ToolCall]:
    """Return the calls of tools in a program in the order in which they stand.

    Constants are followed; a call in a loop over a list of constants, or in a function that is called with constants,
    comes once for each. What only running the program could tell is COMPUTED.
    """
    return list(_Program(program).calls())


def exit_mark(program: str) -> str | None:
    """Return the words after which a program prints an exit code: ``exit=`` of ``text(`exit=${r.exit_code}`)``.

    None where it prints none, or nothing that would tell the number from others.
    """
    found = _PRINTED_CODE.search(program)
    return found.group(1).lstrip() if found else None


class _Program:
    """Goes over a program from front to back, and keeps the constants and the lists that it goes through."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._names: dict[str, Any] = {}
        self._items: dict[str, list[Any]] = {}

    def calls(self) -> Iterator[ToolCall]:
        at = read = 0
        while read < _MOST and (match := _TOKEN.search(self._text, at)):
            token, at = match.group(), match.end()
            read += token == "[" or token.startswith("tools")  # noqa: S105 - a token of the program's text
            reader = Literals(self._text, self._names)
            if token in {"'", '"', "`"}:
                _, at = reader.string(match.start())
            elif token in {"//", "/*"}:
                at = max(at, reader.space(match.start()))
            elif token.startswith("tools"):
                if call := _CALL.match(self._text, match.start()):
                    at = call.end()
                    yield from self._each_call(call.group(1) or call.group(2), at)
            else:
                self._meet(reader, match)

    def _each_call(self, tool: str, at: int) -> Iterator[ToolCall]:
        words = set(re.findall(_NAME, self._text[at : Literals(self._text, {}).skip(at)]))
        looped = next((name for name in reversed(self._items) if name in words), None)
        rounds: list[dict[str, Any]] = [{}] if looped is None else [{looped: item} for item in self._items[looped]]
        for values in rounds:
            given, _ = Literals(self._text, self._names | values).expression(at)
            yield ToolCall(tool, given)

    def _meet(self, reader: Literals, match: re.Match[str]) -> None:
        at = match.start()
        if match.group() == "[":
            items, end = reader.array(at)
            if each := _EACH.match(self._text, end):
                self._items[each.group(1)] = items
        elif each := _EACH.match(self._text, at):
            before = _BEFORE.search(self._text[max(0, at - 80) : at])
            self._loop(each.group(1), self._names.get(before.group(1)) if before else None)
        elif loop := _LOOP.match(self._text, at):
            self._loop(loop.group(1), reader.expression(loop.end())[0])
        elif function := _ARROW.match(self._text, at) or _FUNCTION.match(self._text, at):
            self._called_with(reader, function)
        elif constant := _CONSTANT.match(self._text, at):
            self._names[constant.group(1)] = reader.expression(constant.end())[0]

    def _loop(self, name: str, items: object) -> None:
        if isinstance(items, list):
            self._items[name] = items

    def _called_with(self, reader: Literals, function: re.Match[str]) -> None:
        name, parameter = function.group(1), next(group for group in function.groups()[1:] if group)
        pattern = re.compile(rf"(?<![\w$.]){re.escape(name)}\s*\(")
        places = [
            call.end() for call in pattern.finditer(self._text) if not function.start() <= call.start() < function.end()
        ]
        if places:
            self._items[parameter] = [reader.expression(place)[0] for place in places]


__all__ = ["COMPUTED", "ToolCall", "exit_mark", "tool_calls"]
