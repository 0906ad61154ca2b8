"""The wording of a hypothesis: one sentence of the log, shortened, with what its pronoun stands for."""

import re
from collections.abc import Mapping

from sessions.hypotheses.rules.find.identify import Suspicion, topic
from sessions.hypotheses.rules.text.annotate import Note
from sessions.models.hypothesis import LONGEST_STATEMENT

_OPENING = re.compile(
    r"^(?:(?:ah|aha|oh|hm+|wait|hold on|ok(?:ay)?|so|now|well|then|but|and|also|yes|no|actually|interesting|hm+"
    r"|yeah)\b[,!.:]?\s+"
    r"|(?:there it is|found (?:it|the \w+)|that's (?:it|the \w+))[!.:]\s*)+",
    re.IGNORECASE,
)
_BELIEF = re.compile(
    r"^(?:I(?:'m| am)? (?:now |still |also |strongly )?(?:suspect|think|believe|guess|bet|fear|afraid)(?: that)?"
    r"|my (?:guess|suspicion|bet|theory|hypothesis|hunch) (?:here )?is(?: that)?"
    r"|perhaps|maybe|possibly|presumably|apparently|it (?:looks like|seems(?: that| like)?|appears that)"
    r"|(?:it )?(?:could|might|may) be that),?\s+(?=\w)",
    re.IGNORECASE,
)
"""Who believes it and how much is no part of a cause; the verdict and its support say that."""
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_PARENTHESIS = re.compile(r"\s*\([^()`]{12,}\)")
_CUTS = re.compile(
    r"(?<=[,;:.\u2013—-])\s+(?:so|but|and|which|since|because|although|while|let me|i'll|i'm|where|even)?\b|\s+(?:—"
    r"|\u2013|-)\s+|(?<=[.!?])\s+",
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"[a-z]+(?:\s|,)")
_TOPIC = re.compile(r"^(?:next|first|second|third|then|another one)(?: up)?[:,] ", re.IGNORECASE)


def state(suspicion: Suspicion, notes: Mapping[int, Note]) -> str:
    """Return the statement of a suspicion, at most 200 characters of the log's own words."""
    whole = suspicion.mentions[0].note.sentence
    best = suspicion.best
    text = suspicion.part if suspicion.part != whole.text or best is suspicion.mentions[0].note else best.sentence.text
    text = _tidy(text)
    before = topic(best, text, notes.get(best.sentence.number - 1))
    if before is not None:
        return _join(_tidy(before.sentence.text), text)
    return shorten(text)


def _join(before: str, text: str) -> str:
    topic = _tidy(_TOPIC.sub("", before))
    lead = topic + " " if topic.endswith("?") else f"{topic.rstrip('.:;!')}: "
    if len(lead) > LONGEST_STATEMENT // 2:
        return shorten(text)
    return lead + shorten(text, LONGEST_STATEMENT - len(lead))


def _tidy(text: str) -> str:
    text = _LINK.sub(r"\1", " ".join(text.split()))
    bare = _BELIEF.sub("", _OPENING.sub("", text)) or text
    return bare[0].upper() + bare[1:] if _PLAIN_WORD.match(bare) else bare


def shorten(text: str, limit: int = LONGEST_STATEMENT) -> str:
    """Return `text` in at most `limit` characters: parentheses go first, then whole clauses from the end."""
    text = _tidy(text)
    if len(text) > limit:
        text = _PARENTHESIS.sub("", text)
    while len(text) > limit:
        cuts = [m.start() for m in _CUTS.finditer(text) if limit // 3 <= m.start() < limit]
        if not cuts:
            return text[: limit - 1].rsplit(" ", 1)[0] + "…"
        text = text[: cuts[-1]].rstrip(" ,;:\u2013—-")
    return text
