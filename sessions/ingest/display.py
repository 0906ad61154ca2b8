r"""Text that a terminal, a browser and a person read alike: no escape sequence, no control, nothing invisible.

`clean` is applied once, before text is stored; `safe` and `line` again at every render boundary, where they change
nothing that `clean` has seen, apart from tabs and line breaks.

What is taken out: terminal escape sequences, 7-bit and 8-bit, with their payload. A string sequence (OSC, DCS, SOS,
PM, APC) without its terminator ends at the end of its line, so that it cannot swallow the lines behind it; an 8-bit
one must be whole to count, since in text that was decoded wrongly its introducer is a stray byte.

What is made visible: C0 controls and DEL as their symbols (``␀``, ``␛``, ``␡``); C1 controls, bidirectional controls,
zero-width and other invisible characters, tags, private use and lone surrogates as ``\u{202e}``. The zero-width joiner
is one of them: an emoji that is built with it shows as its parts. Of the variation selectors a single text or emoji
style selector stays.
"""

import re
import unicodedata

MARKS_PER_BASE = 8
"""Combining marks that a character may carry; more are dropped, for they paint over the lines above and below."""

LONGEST_LINE = 10_000
"""Characters that `line` shows where it is given no width."""

TAB = "    "
"""What `safe` puts for a tab: always the same, so that a part of a text is still a part of it afterwards."""

CARRIAGE_RETURN = "␍"

_INVISIBLE = (
    "\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f"
_MARKS = (  # where combining marks live; which characters of these are marks is asked of unicodedata
    "[\u0300-\u1fff\u20d0-\u20ff\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ufb1e\ufe0e-\ufe2f"
    f"\U00010000-\U0001f0ff]{{{MARKS_PER_BASE + 1},}}"
)
_CONTROL = re.compile(f"[{_CONTROLS}]")
_HIDDEN = re.compile(f"[{_CONTROLS}{_INVISIBLE}]+")
_SELECTORS = re.compile("[\ufe0e\ufe0f]{2,}")
_MARK_RUN = re.compile(_MARKS)
_SEQUENCE = re.compile(  # the leading set lets the engine leap from candidate to candidate
    r"[\x1b\x90\x98\x9b\x9d-\x9f](?:(?<=\x1b)(?:"
    r"\[[0-?]*+[ -/]*+[@-~]?"  # CSI
    r"|[\]PX^_][^\x07\x18\x1a\x1b\x9c\n]*+(?:\x1b\\|[\x07\x18\x1a\x9c])?"  # OSC DCS SOS PM APC
    r"|[NO][ -~]?"  # SS2 SS3 with the character they shift
    r"|[ -/]++[0-~]?"  # character sets and the like
    r"|[0-~]"  # the other two-character ones
    r"|(?=\x1b)"  # one that the next takes back
    r")|(?<=\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?<=[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\n\x90\x98\x9c-\x9f]*+(?:\x1b\\|[\x07\x9c]))"
)
_CRLF = re.compile(r"(?<!\r)\r++\n")


def clean(text: str) -> str:
    """Return `text` as it may be stored: see the module. CRLF becomes LF, a lone CR ``␍``; tabs and LF stay."""
    if text.isascii():
        return _purge(text) if _CONTROL.search(text) else text
    return _purge(text) if any(test.search(text) for test in (_HIDDEN, _SELECTORS, _MARK_RUN)) else text


def safe(text: str) -> str:
    """Return `text` as it may be drawn, of several lines: `clean`, and tabs as spaces. Idempotent."""
    return clean(text).replace("\t", TAB)


def line(text: str, width: int | None = None) -> str:
    """Return `text` as one line to be drawn: line breaks as ``⏎``, cut with ``…`` to at most `width` terminal cells."""
    head = clean(text[: 2 * LONGEST_LINE]).strip().replace("\n", "⏎").replace("\t", " ")
    if width is None:
        return head if len(head) <= LONGEST_LINE else head[: LONGEST_LINE - 1] + "…"
    return _cut(head, width)


def frames(text: str) -> str:
    """Return cleaned `text` with each line's progress frames (parted by ``␍``) resolved to the last one shown."""
    if CARRIAGE_RETURN not in text:
        return text
    return "\n".join(_last_frame(row) for row in text.split("\n"))


def _purge(text: str) -> str:
    text = _SEQUENCE.sub("", text)
    text = _CRLF.sub("\n", text)
    text = _HIDDEN.sub(_show, text)
    return text if text.isascii() else _MARK_RUN.sub(_cap_marks, _SELECTORS.sub(_show, text))


def _show(match: re.Match[str]) -> str:
    return "".join(map(_visible, match[0]))


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:  # noqa: PLR2004 (the C0 block, whose symbols start at U+2400)
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"\\u{{{code:x}}}"  # noqa: PLR2004 (DEL)


def _cap_marks(match: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in match[0]:
        marks = marks + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if marks <= MARKS_PER_BASE:
            kept.append(character)
    return "".join(kept)


def _last_frame(row: str) -> str:
    shown = (frame for frame in reversed(row.split(CARRIAGE_RETURN)) if frame.strip())
    return next(shown, "")


def _cut(text: str, width: int) -> str:
    if text.isascii() and len(text) <= width:
        return text
    used, fits = 0, 0
    for place, character in enumerate(text):
        used += _cells(character)
        if used <= width - 1:
            fits = place + 1
        if used > width:
            return text[:fits] + "…" if width else ""
    return text


def _cells(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
