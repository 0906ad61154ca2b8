"""A small syntax tree of a shell command line: what stands there, nothing evaluated.

Every `start` and `end` counts characters of the text that was parsed: ``text[start:end]`` is the source of the part.
"""

from typing import Literal, NamedTuple

PartKind = Literal["literal", "variable", "substitution", "process", "expansion"]
"""Of a part of a word: exact text; ``$name``; ``$( )`` or backquotes; ``<( )``; any other ``${ }`` or ``$(( ))``."""

CompoundKind = Literal[
    "for", "loop", "select", "while", "until", "if", "case", "subshell", "group", "function", "test", "arithmetic",
    "other",
]  # fmt: skip
"""``loop`` is ``for (( ))``; ``test`` is ``[[ ]]``, while ``[ ]`` is a Simple like the program it is."""

Joint = Literal["", "&&", "||", ";", "&"]


class Part(NamedTuple):
    """A piece of a word: decoded if `kind` is literal, else as written."""

    text: str
    kind: PartKind = "literal"
    quoted: bool = False
    name: str = ""
    """Of a variable."""


class Word(NamedTuple):
    """One word as written (`text`) and as the program gets it (`value`), if no shell is needed to know that."""

    text: str
    value: str | None
    start: int = 0
    end: int = 0
    parts: tuple[Part, ...] = ()
    """The pieces of a word that is more than plain characters."""
    why: tuple[str, ...] = ()
    """Why `value` is None: variable, substitution, process, expansion, glob, brace, tilde, operator, quote, bytes."""
    escaped: bool = False
    """A backslash outside single quotes took part, or ``$'…'``."""


class Redirect(NamedTuple):
    """``2>/dev/null``: `fd` 2, `operator` ``>``, `target` ``/dev/null``; the target of a heredoc is its delimiter."""

    operator: str
    fd: str | None
    target: Word | None
    text: str
    start: int = 0
    end: int = 0
    body: str | None = None
    """Lines of a heredoc as written, leading tabs taken off for ``<<-``."""
    quoted: bool = False
    """The delimiter is quoted, so the shell leaves `body` alone."""


class Assignment(NamedTuple):
    """``NAME=value``; `value` is None for an array and for an element of one."""

    name: str
    value: Word | None
    text: str
    appends: bool = False


class Simple(NamedTuple):
    """One program call, or assignments or redirections alone."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]
    text: str
    start: int
    end: int

    @property
    def heredoc(self) -> Redirect | None:
        """The heredoc or here-string that becomes standard input: the last one, as in the shell."""
        return last_heredoc(self.redirects)


class Compound(NamedTuple):
    """Anything that holds commands; `body` has all of them in order, those of conditions and all branches included."""

    kind: CompoundKind
    body: "Script | None"
    redirects: tuple[Redirect, ...]
    text: str
    start: int
    end: int
    subject: str = ""
    """The variable of a ``for`` or the name of a function."""
    words: tuple[Word, ...] = ()
    """The list of a ``for``, the word of a ``case``."""

    @property
    def heredoc(self) -> Redirect | None:
        """The heredoc or here-string that becomes standard input of the whole."""
        return last_heredoc(self.redirects)


Stage = Simple | Compound


class Pipeline(NamedTuple):
    """Stages joined by ``|``; `after` is the operator between this pipeline and the one before."""

    stages: tuple[Stage, ...]
    after: Joint = ""
    negated: bool = False
    background: bool = False


class Script(NamedTuple):
    """Pipelines in order. With `error` set they are what could be recognised, and nothing may rest on them."""

    pipelines: tuple[Pipeline, ...] = ()
    error: str | None = None


def last_heredoc(redirects: tuple[Redirect, ...]) -> Redirect | None:
    """The last heredoc or here-string on standard input, None if a later ``<`` replaces it or there is none."""
    for redirect in reversed(redirects):
        if redirect.operator.startswith("<") and redirect.fd in {None, "0"}:
            return redirect if redirect.operator.startswith("<<") else None
    return None
