"""What a terminal would show of an output, and what never belonged to it."""

import re

from sessions.ingest import display

_NOTICES = re.compile(
    r"(Warning: Permanently added .* to the list of known hosts\.|Connection to \S+ closed\.|"
    r"Pseudo-terminal will not be allocated because stdin is not a terminal\.|"
    r"(bash|sh): warning: setlocale: .*|\*\* WARNING: connection is not using a post-quantum key exchange .*)"
)

FRAMES = "progress lines: last frame"
BLANKS = "trailing blanks"
NOTICES = "notices of ssh"


def settle(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text as it stands when all is printed, and the names of the rules that changed it."""
    rules = []
    if "␍" in text:
        text = display.frames(text)
        rules.append(FRAMES)
    lines = text.split("\n")
    kept = [line for line in lines if not _NOTICES.fullmatch(line.rstrip())]
    if len(kept) != len(lines):
        rules.append(NOTICES)
    bare = [line.rstrip() for line in kept]
    if bare != kept:
        rules.append(BLANKS)
    return "\n".join(bare).strip("\n"), tuple(rules)
