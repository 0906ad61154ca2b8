r"""The exact value of a shell word, by bash's rules for quotes and backslashes.

`shlex` will not do: within double quotes it keeps the backslash of ``\$``, which the shell takes away.
"""

import re

from sessions.shell import nesting
from sessions.shell.ansi import decode_ansi
from sessions.shell.syntax import Part, PartKind, Word

_PLAIN = re.compile(r"[\w./:@%+,^=\-]+\Z", re.ASCII)
_QUOTED = re.compile(r"""'([^']*)'\Z|"([^"\\$`]*)"\Z""")
"""A word that is one piece in quotes, with nothing in it that a shell would look at."""
_RUN = re.compile(r"""[^\\'"$`<>()|&;\s]+""")
_DOUBLE_RUN = re.compile(r"""[^\\"$`]+""")
_HEREDOC_RUN = re.compile(r"""[^\\$`]+""")
_NAME = re.compile(r"\$(?:([A-Za-z_]\w*|[0-9*@#?$!_-])|\{([A-Za-z_]\w*)\})", re.ASCII)
_SPLIT = re.compile(r"\$\w*\\\n", re.ASCII)
"""A line that goes on within the name of a variable."""
_TILDE = re.compile(r"~|[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?:.*:)?~", re.DOTALL | re.ASCII)
_GLOB = re.compile(r"[*?]|[+@!](?=\()")
_HIDDEN = "q"
"""Stands in the skeleton of a word for a character that quotes protect: no glob, brace or tilde."""


class _Decoder:
    """Reads one word from left to right and collects its parts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[Part] = []
        self.skeleton: list[str] = []
        self.why: list[str] = []
        self.escaped = False

    def literal(self, text: str, *, quoted: bool) -> None:
        self.parts.append(Part(text, quoted=quoted))
        self.skeleton.append(_HIDDEN * len(text) if quoted else text)

    def unquoted(self) -> None:
        at, text = 0, self.text
        while at < len(text):
            if run := _RUN.match(text, at):
                self.literal(run.group(), quoted=False)
                at = run.end()
            elif text[at] in "<>()|&; \t\n\r\v\f":
                at = self.operator(at)
            else:
                at = self.quote(at)

    def quote(self, at: int) -> int:
        """Read what begins at `at` with a quote, a backslash, a dollar or a backquote."""
        text = self.text
        if text[at] == "'":
            return self.single(at)
        if text[at] == '"':
            return self.double(at + 1)
        if text[at] == "\\":
            return self.escape(at, None)
        if text.startswith("$'", at):
            return self.ansi(at)
        if text.startswith('$"', at):
            return self.double(at + 2)
        return self.expansion(at, quoted=False)

    def single(self, at: int) -> int:
        end = nesting.skip_single(self.text, at + 1)
        if end > len(self.text):
            self.why.append("quote")
        self.literal(self.text[at + 1 : end - 1], quoted=True)
        return end

    def ansi(self, at: int) -> int:
        end = nesting.skip_ansi(self.text, at + 2)
        value = decode_ansi(self.text[at + 2 : end - 1]) if end <= len(self.text) else None
        if value is None:
            self.why.append("bytes")
        self.escaped = True
        self.literal(self.text[at:end] if value is None else value, quoted=True)
        return end

    def double(self, at: int) -> int:
        text = self.text
        if text.startswith('"', at):
            self.literal("", quoted=True)
        while at < len(text) and text[at] != '"':
            at = self.protected(at, _DOUBLE_RUN, '$`"\\')
        if at >= len(text) and not self.why:
            self.why.append("quote")
        return at + 1

    def protected(self, at: int, run: re.Pattern[str], special: str) -> int:
        """Read a piece of double-quoted text: `run` is what has no meaning, `special` what a backslash protects."""
        if found := run.match(self.text, at):
            self.literal(found.group(), quoted=True)
            return found.end()
        if self.text[at] == "\\":
            return self.escape(at, special)
        return self.expansion(at, quoted=True)

    def escape(self, at: int, special: str | None) -> int:
        """A backslash: outside quotes (`special` None) it protects anything, inside only those characters."""
        after = self.text[at + 1 : at + 2]
        self.escaped = True
        if after == "\n":
            return at + 2
        keep = special is not None and after not in special
        self.literal("\\" + after if keep or not after else after, quoted=True)
        return at + 2

    def expansion(self, at: int, *, quoted: bool) -> int:
        text = self.text
        if text[at] == "`":
            return self.foreign(at, nesting.skip_backquote(text, at + 1), "substitution", quoted=quoted)
        if _SPLIT.match(text, at):
            return self.foreign(at, len(text), "expansion", quoted=quoted)
        if found := _NAME.match(text, at):
            self.parts.append(Part(found.group(), "variable", quoted, found.group(1) or found.group(2)))
            self.skeleton.append(_HIDDEN)
            self.why.append("variable")
            return found.end()
        if text.startswith("$[", at):
            return self.foreign(at, len(text), "expansion", quoted=quoted)
        end = nesting.skip_dollar(text, at)
        if end == at + 1:
            self.literal("$", quoted=True)
            return end
        is_command = text.startswith("$(", at) and not text.startswith("$((", at)
        return self.foreign(at, end, "substitution" if is_command else "expansion", quoted=quoted)

    def operator(self, at: int) -> int:
        if self.text.startswith(("<(", ">("), at):
            return self.foreign(at, nesting.skip_paren(self.text, at + 2), "process", quoted=False)
        self.why.append("operator")
        self.literal(self.text[at], quoted=False)
        return at + 1

    def foreign(self, at: int, end: int, kind: PartKind, *, quoted: bool) -> int:
        self.parts.append(Part(self.text[at:end], kind, quoted))
        self.skeleton.append(_HIDDEN)
        self.why.append(kind)
        return end

    def check_skeleton(self) -> None:
        skeleton = "".join(self.skeleton)
        if _GLOB.search(skeleton) or _between(skeleton, "[", "]") is not None:
            self.why.append("glob")
        braced = _between(skeleton, "{", "}")
        if braced is not None and ("," in braced or ".." in braced):
            self.why.append("brace")
        if _TILDE.match(skeleton):
            self.why.append("tilde")


def _between(text: str, opening: str, closing: str) -> str | None:
    """What stands between the first `opening` and the last `closing`."""
    first, last = text.find(opening), text.rfind(closing)
    return text[first + 1 : last] if 0 <= first < last else None


def decode(text: str, start: int = 0) -> Word:
    """The word that is written as `text` and begins at `start` of its source; takes time linear in its length."""
    end = start + len(text)
    if _PLAIN.match(text):
        return Word(text, text, start, end)
    if whole := _QUOTED.match(text):
        value = whole[whole.lastindex or 0]
        return Word(text, value, start, end, (Part(value, quoted=True),))
    decoder = _Decoder(text)
    decoder.unquoted()
    decoder.check_skeleton()
    parts = tuple(decoder.parts)
    why = tuple(dict.fromkeys(decoder.why))
    value = None if why else "".join(part.text for part in parts)
    return Word(text, value, start, end, parts, why, decoder.escaped)


def decode_heredoc(body: str, start: int = 0) -> Word:
    """The body of a heredoc with an unquoted delimiter, read as the shell does: like double quotes that end nowhere."""
    decoder = _Decoder(body)
    at = 0
    while at < len(body):
        at = decoder.protected(at, _HEREDOC_RUN, "$`\\")
    why = tuple(dict.fromkeys(decoder.why))
    parts = tuple(decoder.parts)
    value = None if why else "".join(part.text for part in parts)
    return Word(body, value, start, start + len(body), parts, why, decoder.escaped)


def decode_assigned(text: str, start: int = 0) -> Word:
    """The value of an assignment: no glob and no brace works there, and a tilde also behind a colon."""
    word = decode(text, start)
    why = tuple(each for each in word.why if each not in {"glob", "brace"})
    if word.value is not None or why or ":~" in text:
        return word
    return word._replace(value="".join(part.text for part in word.parts), why=())
