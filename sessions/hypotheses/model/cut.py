"""A log cut into parts that fit a model's context, along its episodes.

A part is a run of beats: a message with the steps that follow it. It ends, where it can, before a user's turn or before
a message in which something new is suspected, and begins with the beat before it once more, since an output and what is
made of it must be read together.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sessions.hypotheses.model.excerpt import excerpt, words
from sessions.models.session import Message, Step

_AHEAD = 2
"""Messages behind a step whose words say which lines of its output matter."""

_INJECTED = 400
_MESSAGE = 16_000
_COMMAND = 2_500
_OUTPUT = 6_000
_SMALLEST = 600
_SHARE = 10
"""No output takes more than this part of a context."""

_EARLIEST_CUT = 0.6
_MOST_OVERLAP = 0.2
_ASCII = 3.0
_TURN = 3.0
_SUSPICION = 2.0


@dataclass(frozen=True, slots=True)
class Beat:
    """A message, or the beginning of a log without one, and the steps behind it, as they are shown to a model."""

    message: int | None
    steps: tuple[int, ...]
    text: str
    tokens: int
    turn: bool
    """A user speaks."""


@dataclass(frozen=True, slots=True)
class Window:
    """One part of a log: `number` counts from 1 to `count`; messages and steps are the ordinals that it shows."""

    number: int
    count: int
    text: str
    messages: frozenset[int]
    steps: frozenset[int]

    @property
    def last(self) -> bool:
        """Whether the log ends with it."""
        return self.number == self.count


def estimate(text: str) -> int:
    """Return about how many tokens a text takes, rather too many than too few: code and hashes split finely."""
    plain = len(text.encode("ascii", "ignore"))
    return int(plain / _ASCII) + (len(text) - plain)


def cut(
    messages: Sequence[Message], steps: Sequence[Step], room: int, shifts: Collection[int] = ()
) -> tuple[Window, ...]:
    """Return the parts of a log, each of about `room` tokens at most; `shifts` are messages that suspect something new.

    What was rewound is left out.
    """
    beats = _beats(messages, steps, room)
    runs = _runs(beats, room, frozenset(shifts))
    return tuple(_window(beats, run, number, len(runs)) for number, run in enumerate(runs, 1))


def _window(beats: Sequence[Beat], run: range, number: int, count: int) -> Window:
    shown = [beats[n] for n in run]
    return Window(
        number,
        count,
        "\n".join(beat.text for beat in shown),
        frozenset(beat.message for beat in shown if beat.message is not None),
        frozenset(step for beat in shown for step in beat.steps),
    )


def _runs(beats: Sequence[Beat], room: int, shifts: frozenset[int]) -> list[range]:
    runs: list[range] = []
    start = 0
    while start < len(beats):
        first = start
        if start and beats[start - 1].tokens <= room * _MOST_OVERLAP:
            first = start - 1
        end = _end(beats, first, start, room, shifts)
        runs.append(range(first, end))
        start = end
    return runs or [range(0)]


def _end(beats: Sequence[Beat], first: int, start: int, room: int, shifts: frozenset[int]) -> int:
    """Return where the part that begins at `start` (shown from `first` on) ends: as late as it can, at a good place."""
    spent = 0
    good: list[tuple[float, int]] = []
    for end in range(first, len(beats)):
        if end > start and spent + beats[end].tokens > room:
            return max(good, default=(0.0, end))[1]
        if end > start and spent >= room * _EARLIEST_CUT:
            good.append((_grade(beats[end], shifts) + spent / room, end))
        spent += beats[end].tokens
    return len(beats)


def _grade(beat: Beat, shifts: frozenset[int]) -> float:
    return _TURN * beat.turn + _SUSPICION * (beat.message in shifts)


def _beats(messages: Sequence[Message], steps: Sequence[Step], room: int) -> list[Beat]:
    by_message: dict[int | None, list[Step]] = {}
    for step in steps:
        if not step.abandoned:
            by_message.setdefault(step.message, []).append(step)
    limit = max(_SMALLEST, min(_OUTPUT, int(room * _ASCII) // _SHARE))
    beats = [_beat(None, by_message[None], limit, frozenset())] if None in by_message else []
    for place, message in enumerate(messages):
        if not message.abandoned:
            wanted = words(m.text for m in messages[place : place + 1 + _AHEAD] if not m.injected)
            beats.extend(_divided(message, by_message.get(message.ordinal, []), limit, wanted, room))
    return beats


def _divided(message: Message, steps: list[Step], limit: int, wanted: frozenset[str], room: int) -> list[Beat]:
    """Return the beat of a message; where its steps do not fit one part, several."""
    whole = _beat(message, steps, limit, wanted)
    if whole.tokens <= room or len(steps) <= 1:
        return [whole]
    half = len(steps) // 2
    first = _divided(message, steps[:half], limit, wanted, room)
    return first + _divided_rest(steps[half:], limit, wanted, room)


def _divided_rest(steps: list[Step], limit: int, wanted: frozenset[str], room: int) -> list[Beat]:
    beat = _beat(None, steps, limit, wanted)
    if beat.tokens <= room or len(steps) <= 1:
        return [beat]
    half = len(steps) // 2
    return _divided_rest(steps[:half], limit, wanted, room) + _divided_rest(steps[half:], limit, wanted, room)


def _beat(message: Message | None, steps: Sequence[Step], limit: int, wanted: frozenset[str]) -> Beat:
    parts = [show_message(message)] if message is not None else []
    parts += [show_step(step, limit, wanted) for step in steps]
    text = "\n".join(parts)
    return Beat(
        None if message is None else message.ordinal,
        tuple(step.ordinal for step in steps),
        text,
        estimate(text),
        message is not None and message.role == "user" and not message.injected,
    )


def show_message(message: Message) -> str:
    """Return a message as a model sees it: a line of ours, and below it the text, every line behind a bar."""
    kind = ", put there by the program" if message.injected else ", thinking" if message.kind == "reasoning" else ""
    text = excerpt(message.text, _INJECTED if message.injected else _MESSAGE)
    return f"[message {message.ordinal}] {message.role}{kind}\n{_barred(text)}"


def show_step(step: Step, limit: int = _OUTPUT, wanted: frozenset[str] = frozenset()) -> str:
    """Return a step as a model sees it: a line of ours, the command and the lines of the output that matter, barred."""
    ended = (
        f", exit {step.exit_code}" if step.exit_code is not None else "" if step.status == "ok" else f", {step.status}"
    )
    command = _barred(excerpt(step.command, _COMMAND, wanted), "$")
    output = excerpt(step.output, limit, wanted).strip("\n")
    shown = f"\n{_barred(output)}" if output.strip() else ""
    return f"[step {step.ordinal}] {step.kind}{ended}\n{command}{shown}"


def _barred(text: str, bar: str = "|") -> str:
    """No line of a log can be taken for one of ours."""
    return "\n".join(f"{bar} {line}" for line in text.split("\n"))
