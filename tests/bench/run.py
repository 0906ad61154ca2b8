"""``make bench``: how fast it is and how good its trees are, as a table on standard output; progress on standard error.

    python tests/bench/run.py [--size MB] [--only ingest,policy,screen,search,start,compare,trees,model,replay]

Nothing here passes or fails: figures depend on the machine, which stands above the table.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sessions.store.reader import Reader
from tests.bench.comparing import measure_comparison
from tests.bench.figures import Figure, machine, measure, median_and_p95, program, say, wall_times
from tests.bench.first_screen import NeverPaintedError, seconds_to
from tests.bench.large_store import NEWEST, large_store, queries
from tests.bench.logs import measure_ingest
from tests.bench.model import measure_model
from tests.bench.policy import measure_policy
from tests.bench.replaying import measure_replaying
from tests.bench.trees import measure_trees

SIZE = 1000
RUNS = 10


def measure_screen(size: int) -> list[Figure]:
    """Return the time to the first screen of the app, cold once and then warm."""
    store = large_store(size)
    say("opening the app")
    words = [*program(), "--store", str(store)]
    try:
        with tempfile.TemporaryDirectory() as home:
            first, *others = (seconds_to(NEWEST, words, Path(home)) for _ in range(5))
    except NeverPaintedError as error:
        return [Figure("first screen", "never", str(error).splitlines()[0])]
    on = f"store of {store.stat().st_size / 1e6:.0f} MB, {_count(store)} sessions; {first:.2f} s the first time"
    return [Figure("first screen", f"{statistics.median(others):.2f} s", on)]


def measure_search(size: int) -> list[Figure]:
    """Return how long a search takes in a store that is open."""
    store = large_store(size)
    asked = queries()
    say(f"searching {len(asked)} times")
    with Reader.open(store) as reader:
        seconds = [measure(partial(reader.search, words)) for words in asked]
    slowest = asked[seconds.index(max(seconds))]
    return [Figure("search", median_and_p95(seconds), f"{len(asked)} queries, 50 hits each; slowest: {slowest}")]


def measure_start(size: int) -> list[Figure]:
    """Return how long the command line takes to help and to list."""
    store = large_store(size)
    say("starting the command line")
    helping = wall_times([*program(), "--help"], RUNS)
    listing = wall_times([*program(), "--store", str(store), "list"], RUNS)
    return [
        Figure("necropsy --help", f"{statistics.median(helping):.2f} s", f"median of {RUNS}"),
        Figure("necropsy list", f"{statistics.median(listing):.2f} s", f"median of {RUNS}, {_count(store)} sessions"),
    ]


def main() -> None:
    """Measure what was asked for and print the table."""
    parts: dict[str, Callable[[int], list[Figure]]] = {
        "ingest": lambda _: measure_ingest(),
        "policy": lambda _: measure_policy(),
        "screen": measure_screen,
        "search": measure_search,
        "start": measure_start,
        "compare": lambda _: measure_comparison(),
        "trees": lambda _: measure_trees(),
        "model": lambda _: measure_model(),
        "replay": lambda _: measure_replaying(),
    }
    parser = argparse.ArgumentParser(description="Measure how fast necropsy is on this machine.")
    parser.add_argument("--size", type=int, default=SIZE, metavar="MB", help="size of the large store (%(default)s)")
    parser.add_argument("--only", default=",".join(parts), metavar="PARTS", help="some of %(default)s")
    arguments = parser.parse_args()
    chosen = [part for part in parts if part in arguments.only.split(",")]
    figures = [figure for part in chosen for figure in parts[part](arguments.size)]
    sys.stdout.write("\n".join([machine(), "", *_table(figures)]) + "\n")


def _table(figures: list[Figure]) -> list[str]:
    what = max((len(figure.what) for figure in figures), default=0)
    value = max((len(figure.value) for figure in figures), default=0)
    return [f"{figure.what:<{what}}  {figure.value:>{value}}  {figure.on}" for figure in figures]


def _count(store: Path) -> int:
    with Reader.open(store) as reader:
        return len(reader.sessions())


if __name__ == "__main__":
    main()
