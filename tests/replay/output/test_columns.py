"""Many lines looked at together come out as they do one by one, whatever differs in them and wherever."""

import random

import pytest

from replay.output import compare as comparing
from replay.output.compare import compare
from sessions.models.replay import Compared

WORDS = ("loading", "shard", "cache", "bad", "face", "done", "graph", "é")
HEX = "0123456789abcdef"


class Writer:
    """Writes two logs of one program: what may differ between them differs, and now and then what may not."""

    def __init__(self, seed: int, mistakes: float) -> None:
        self.source = random.Random(seed)  # noqa: S311 - made-up logs
        self.mistakes = mistakes
        self.addresses: dict[str, str] = {}

    def texts(self, lines: int) -> tuple[str, str]:
        pairs = [self.line(number) for number in range(lines)]
        left, right = [a for a, _ in pairs], [b for _, b in pairs]
        for _ in range(int(lines * self.mistakes)):
            side = self.source.choice((left, right))
            where = self.source.randrange(len(side))
            side[where : where + 1] = self.source.choice(([], [side[where], "one line more"], [side[where] + " ended"]))
        return "\n".join(left), "\n".join(right)

    def line(self, number: int) -> tuple[str, str]:
        kind = self.source.choice((self.timed, self.rate, self.address, self.kernel, self.plain, self.identified))
        recorded, new = kind(number)
        if self.source.random() < self.mistakes:
            new = new.replace(self.source.choice("0123456789ae"), self.source.choice("123x "), 1)
        return (recorded, recorded) if self.mistakes and self.source.random() < 0.1 else (recorded, new)

    def clock(self) -> str:
        return f"{self.source.randrange(24):02}:{self.source.randrange(60):02}:{self.source.randrange(60):02}"

    def tail(self) -> str:
        return " ".join(self.source.choices(WORDS, k=self.source.randrange(7)))

    def timed(self, number: int) -> tuple[str, str]:
        rank, tail = number % 3, self.tail()
        form = "(Core_{0} pid={1}) INFO 11-29 {2} [run.py:{3}] step {4} {5}"
        return (
            form.format(rank, 4000 + rank, self.clock(), number % 9, number, tail),
            form.format(rank, 95 + rank * 7000, self.clock(), self.source.choice((number % 9, 3)), number, tail),
        )

    def rate(self, number: int) -> tuple[str, str]:
        first, second = ((f"{90 + 20 * self.source.random():.1f}") for _ in range(2))
        return f"[{number}] {first} tokens/s", f"[{number}] {second} tokens/s"

    def address(self, _: int) -> tuple[str, str]:
        recorded = "0x7f" + "".join(self.source.choices(HEX, k=10))
        if self.addresses and self.source.random() < 0.2:
            recorded = self.source.choice(list(self.addresses))
        new = self.addresses.setdefault(recorded, "0x7f" + "".join(self.source.choices(HEX, k=10)))
        return f"using config at {recorded} {(tail := self.tail())}", f"using config at {new} {tail}"

    def kernel(self, number: int) -> tuple[str, str]:
        first, second = (self.source.random() * self.source.choice((9, 900, 90000)) for _ in range(2))
        return f"[{first:12.6f}] NVRM: Xid 79, event {number}", f"[{second:12.6f}] NVRM: Xid 79, event {number}"

    def plain(self, number: int) -> tuple[str, str]:
        text = f"  layer {number:>{self.source.choice((1, 8))}} 1,809 tensors {self.tail()}"
        return text, text.replace("1,809", self.source.choice(("1,809", "1809")))

    def identified(self, number: int) -> tuple[str, str]:
        one, two = ("".join(self.source.choices(HEX, k=32)) for _ in range(2))
        shaped = [f"{x[:8]}-{x[8:12]}-{x[12:16]}-{x[16:20]}-{x[20:]}" for x in (one, two)]
        return f"request {shaped[0]} took {number} ms {one}", f"request {shaped[1]} took {number} ms {one}"


def told(recorded: str, new: str) -> tuple[str, frozenset[str], object]:
    found = compare(recorded, new)
    return found.comparison, frozenset(found.rules), found.tokens


@pytest.mark.parametrize("mistakes", [0.0, 0.0004, 0.005])
@pytest.mark.parametrize("seed", range(5))
def test_together_as_one_by_one(seed: int, mistakes: float, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded, new = Writer(seed, mistakes).texts(1500)
    together = told(recorded, new)
    monkeypatch.setattr(comparing, "_FEW", 10**9)
    assert together == told(recorded, new)


def test_logs_that_say_the_same_do_so_together() -> None:
    assert compare(*Writer(1, 0.0).texts(1500)).comparison == "drift"


def many(recorded: str, new: str, *last: str) -> Compared:
    """Compare a hundred lines of one form, and then two more."""
    left = [recorded.format(n, 4000) for n in range(100)]
    right = [new.format(n, 5000) for n in range(100)]
    return compare("\n".join([*left, last[0]]), "\n".join([*right, last[1]]))


@pytest.mark.parametrize(
    ("recorded", "new"),
    [
        ("pid=4000 gone", "pid=5001 gone"),
        ("pid=4001 gone", "pid=5000 gone"),
        ("step 7 pid=4000", "step 8 pid=5000"),
        ("pid=4000 at 10.0 tokens/s", "pid=5000 at 20.0 tokens/s"),
        ("pid=4000 is alive", "pid=4000 is alive"),
    ],
)
def test_the_one_line_that_does_not_is_found_among_many(recorded: str, new: str) -> None:
    found = many("step {0} pid={1}", "step {0} pid={1}", recorded, new)
    assert (found.comparison, {token.line for token in found.tokens}) == ("changed", {101})


def test_a_long_run_of_new_lines_is_told_line_by_line() -> None:
    lines = [f"step {n} done" for n in range(60)]
    more = [f"extra {n}" for n in range(40)]
    found = compare("\n".join(lines), "\n".join([*lines[:30], *more, *lines[30:]]))
    assert [(token.line, token.kind, token.new) for token in found.tokens] == [
        (31 + n, "line", line) for n, line in enumerate(more)
    ]


def test_a_name_with_0x_in_it_is_no_address() -> None:
    left = "\n".join(f"0xyz took step {n}" for n in range(40))
    assert compare(left, left.replace("step 3", "step 4")).comparison == "changed"
    assert compare(left, left.replace("step ", "step  ")).comparison == "equivalent"


def test_a_duration_counts_where_only_the_recorded_line_is_of_a_log() -> None:
    recorded = "\n".join(f"INFO wait {n % 7}s" for n in range(60))
    new = "\n".join(f"NOTE wait {n % 5 + 1}s" for n in range(60))
    found = compare(recorded, new)
    assert found.comparison == "changed"
    assert ("duration", "0s", "1s") in {(token.kind, token.recorded, token.new) for token in found.tokens}


@pytest.mark.parametrize("word", ["grün", "日本", "".join(map(chr, range(0x4E00, 0x4E00 + 300)))])
def test_other_letters_than_latin_ones_are_looked_at_together_too(word: str) -> None:
    recorded = [f"INFO 11-29 18:02:{n % 60:02} [run.py:7] step {n} {word} {n % 9}" for n in range(80)]
    new = [line.replace("18:02", "19:31") for line in recorded]
    assert compare("\n".join(recorded), "\n".join(new)).comparison == "equivalent"
    new[50] = new[50].replace(word, word[:-1] + "x")
    found = compare("\n".join(recorded), "\n".join(new))
    assert (found.comparison, {token.line for token in found.tokens}) == ("changed", {51})
