"""What redirections say of the place of a call."""

from collections.abc import Iterable

from sessions.shell.fields import Scope, fill, join, known
from sessions.shell.place import Place
from sessions.shell.syntax import Part, Redirect
from sessions.shell.words import decode_heredoc


def apply_redirects(place: Place, redirects: Iterable[Redirect], scope: Scope) -> Place:
    """The place of a call on which `redirects` stand: text on standard input, merged streams, the rest."""
    for redirect in redirects:
        place = _apply(place, redirect, scope)
    return place


def _apply(place: Place, redirect: Redirect, scope: Scope) -> Place:
    if redirect.fd in {None, "0"} and redirect.operator.startswith("<<"):
        return _feed(place, _given(redirect, scope))
    if redirect.fd == "2" and redirect.operator == ">&" and redirect.target and redirect.target.value == "1":
        return place._replace(merge_stderr=True)
    stdin = None if redirect.operator == "<" and redirect.fd in {None, "0"} else place.stdin
    return place._replace(redirects=(*place.redirects, redirect.text), stdin=stdin)


def _given(redirect: Redirect, scope: Scope) -> tuple[Part, ...]:
    """The text that a heredoc or a here-string gives."""
    if redirect.operator == "<<<":
        return (*fill(redirect.target, scope), Part("\n")) if redirect.target else ()
    if redirect.quoted:
        return (Part(redirect.body or ""),)
    return fill(decode_heredoc(redirect.body or ""), scope)


def _feed(place: Place, parts: tuple[Part, ...]) -> Place:
    place = place._replace(stdin=join(parts))
    return place if known(parts) else place.doubt("standard input needs a shell", exact=False)
