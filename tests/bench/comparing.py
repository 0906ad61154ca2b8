"""How fast two outputs are compared, where every line differs and where hardly one does."""

import random

from replay.output.compare import compare
from tests.bench.figures import Figure, measure, say

_LINES = 60_000


def measure_comparison() -> list[Figure]:
    """Return megabytes of recorded output per second, for several ways in which two outputs may differ."""
    say("comparing outputs")
    log, later = _log(1), _log(2)
    longer = later.split("\n")
    longer.insert(_LINES // 2, "INFO 11-29 18:02:11 [new.py:1] one line more")
    cases = {
        "every line at another time": (log, later, None),
        "another time, and one line more": (log, "\n".join(longer), None),
        "every line another rate or address": (_live(1), _live(2), None),
        "every number another": (_numbers(1), _numbers(2), None),
        "every word another": (_words(1), _words(2), None),
        "a source file, every line another": (_words(1), _words(2), ("cat", "/a.py")),
    }
    figures = []
    for name, (recorded, new, argv) in cases.items():
        found: list[str] = []
        seconds = measure(lambda a=recorded, b=new, c=argv, d=found: d.append(compare(a, b, argv=c).comparison))  # type: ignore[misc]  # bound now
        size = len(recorded) / 1e6
        figures.append(Figure("comparison", f"{size / seconds:.0f} MB/s", f"{name}; {size:.0f} MB each, {found[0]}"))
    return figures


def _clock(source: random.Random) -> str:
    return f"11-29 {source.randrange(24):02}:{source.randrange(60):02}:{source.randrange(60):02}"


def _log(seed: int) -> str:
    source, said = random.Random(seed), random.Random(7)  # noqa: S311 - made-up logs
    words = [
        "loading",
        "shard",
        "cache",
        "graph",
        "capture",
        "backend",
        "selected",
        "runner",
        "profile",
        "block",
        "table",
        "sampler",
    ]
    return "\n".join(
        f"(EngineCore_0 pid={4000 + seed}) INFO {_clock(source)} [runner.py:{said.randrange(9)}] step {n} "
        + " ".join(said.choices(words, k=6))
        for n in range(_LINES)
    )


def _live(seed: int) -> str:
    source = random.Random(seed)  # noqa: S311 - as above
    return "\n".join(
        f"INFO {_clock(source)} [loggers.py:127] throughput: {100 + 9 * source.random():.1f} tokens/s"
        if n % 2
        else f"INFO {_clock(source)} [moe.py:77] Using config at 0x7f{source.getrandbits(40):010x}"
        for n in range(_LINES)
    )


def _numbers(seed: int) -> str:
    source = random.Random(seed)  # noqa: S311 - as above
    return "\n".join(f"step {n} value {source.random():.6f} max diff {source.random():.4f}" for n in range(_LINES))


def _words(seed: int) -> str:
    source = random.Random(seed)  # noqa: S311 - as above
    return "\n".join(" ".join(f"w{source.getrandbits(28):x}" for _ in range(9)) for _ in range(_LINES))
