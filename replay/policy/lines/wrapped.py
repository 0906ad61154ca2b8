"""What is found inside a wrapper."""

from typing import NamedTuple

from replay.policy.judgement import Place, Problem


class Wrapped(NamedTuple):
    """What a wrapper runs: other `words`, or a `script` to be parsed again, perhaps in another place."""

    words: tuple[str, ...] = ()
    script: str | None = None
    place: Place | None = None
    timeout: float | None = None
    note: str = ""
    problem: Problem | None = None
    """What the wrapper itself does."""
    outside: tuple[str, ...] = ()
    """Words in front of what runs in a container; it is sent as a call of them."""
