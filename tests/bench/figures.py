"""A measured figure as a line of the table, and how seconds are measured."""

import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """One line: what was measured, the figure with its unit, and on what."""

    what: str
    value: str
    on: str


@dataclass(slots=True)
class Watch:
    """Seconds of the block that was timed."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Watch]:
    """Time a block."""
    watch, start = Watch(), time.perf_counter()
    yield watch
    watch.seconds = time.perf_counter() - start


def say(text: str) -> None:
    """Tell on standard error what is being done; standard output has the table only."""
    sys.stderr.write(f"bench: {text}\n")
    sys.stderr.flush()


def machine() -> str:
    """Return the line that any figure needs beside it: processor, cores, Python, SQLite, system."""
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processor = names[0] if names else platform.processor() or platform.machine()
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return f"{processor}, {cores} cores, {python}, {platform.system()} {platform.release()}"


def program() -> list[str]:
    """Return the words that start the installed ``necropsy`` beside this Python."""
    return [str(Path(sys.executable).with_name("necropsy"))]


def wall_times(words: Sequence[str], times: int) -> list[float]:
    """Return the seconds that each of `times` runs of a command took. Raises CalledProcessError if one fails."""

    def run() -> None:
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    return [measure(run) for _ in range(times)]


def measure(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    with timed() as watch:
        work()
    return watch.seconds


def median_and_p95(seconds: Sequence[float]) -> str:
    """Return both in milliseconds."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return f"{statistics.median(ordered) * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
