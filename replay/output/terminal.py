"""What a terminal would show of an output, and what never belonged to it."""

import re

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from sessions.ingest import display

_NOTICES = re.compile(
    r"(Warning: Permanently added .* to the list of known hosts\.|(?:Shared c|C)onnection to \S+ closed\.|"
    r"Pseudo-terminal will not be allocated because stdin is not a terminal\.|Last login: .*|"
    r"(bash|sh): warning: setlocale: .*|\*\* WARNING: connection is not using a post-quantum key exchange .*)"
)
_OFFERS = re.compile(
    r"(\[notice\] .*|WARNING: You are using pip version .*|WARNING: Running pip as the 'root' user .*|"
    r"You should consider upgrading via .*)"
)
_SIGNS = ("Permanently added", "onnection to ", "Pseudo-terminal", "setlocale", "post-quantum", "Last login", "pip")
"""A text without any of these has no line to leave out."""
_CARETS = re.compile(r"\s+[~^]*\^[~^]*\s*")
_CORNERS = map(ord, "┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╒╕╘╛╞╡╔╗╚╝╠╣╦╩╬╭╮╯╰")
_DRAWN = str.maketrans("│┃║─━═╌┄\u2018\u2019\u201c\u201d", "|||-----''\"\"") | dict.fromkeys(_CORNERS, ord("+"))

_UNSETTLED = re2.compile(
    "|".join(re2.escape(sign) for sign in (*_SIGNS, "Traceback (most", "\x1b", "\x9b", "␍", " \n", "\t\n"))
)
"""Finds any of what `settle` has work with, in one pass over a text that mostly has nothing of it."""

FRAMES = "progress lines: last frame"
BLANKS = "trailing blanks"
NOTICES = "notices of ssh and pip"
ESCAPES = "colours and other terminal escapes"
CARETS = "marks under lines of a traceback"
DRAWING = "drawn lines and quotes in ASCII"


def settle(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text as it stands when all is printed, and the names of the rules that changed it."""
    if not _UNSETTLED.search(text) and not text.endswith((" ", "\t")):
        return text.strip("\n"), ()
    rules = []
    if "\x1b" in text or "\x9b" in text:
        text = display.clean(text)
        rules.append(ESCAPES)
    if "␍" in text:
        text = display.frames(text)
        rules.append(FRAMES)
    text, more = _without_strangers(text)
    if " \n" in text or "\t\n" in text or text.endswith((" ", "\t")):
        text = "\n".join([line.rstrip() for line in text.split("\n")])
        more.append(BLANKS)
    return text.strip("\n"), (*rules, *more)


def _without_strangers(text: str) -> tuple[str, list[str]]:
    """Return a text without what other programs said and what only underlines."""
    rules = []
    if any(sign in text for sign in _SIGNS):
        lines = text.split("\n")
        kept = [line for line in lines if not (_NOTICES.fullmatch(line.rstrip()) or _OFFERS.fullmatch(line.rstrip()))]
        if len(kept) != len(lines):
            text = "\n".join(kept)
            rules.append(NOTICES)
    if "Traceback (most recent" in text and "^" in text:
        text = "\n".join([line for line in text.split("\n") if not _CARETS.fullmatch(line)])
        rules.append(CARETS)
    return text, rules


def plain(text: str) -> str:
    """Return a text with drawn lines and typographic quotes in ASCII, each sign for one."""
    return text if text.isascii() else text.translate(_DRAWN)
