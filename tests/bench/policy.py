"""How fast the policy judges, by the first parser alone and with the second opinion, and how much it lets run."""

import itertools
import json
import os
from pathlib import Path

from replay.policy.coverage import cover
from replay.policy.judge import assess, judge
from replay.policy.lines import second
from replay.policy.programs import catalogue
from tests.bench.figures import Figure, measure, say

_OURS = tuple(example for program in catalogue().values() for example in (*program.examples, *program.asked))
_MOST = 1500
"""Commands that get a second opinion: some seconds of them."""


def measure_policy() -> list[Figure]:
    """Return commands per second, each judged once and nothing cached, and the shares that run and are asked about."""
    commands, named = _commands()
    say(f"judging {len(commands)} commands")
    for example in _OURS:  # what a program compiles once is no part of judging a command
        assess(example)
    first = measure(lambda: [assess(command) for command in commands])
    asked = commands[:_MOST]
    judge.cache_clear()
    second.read.cache_clear()
    both = measure(lambda: [judge(command) for command in asked])
    total = cover(map(judge, commands)).total()
    run, ask = (100 * part / total.total() for part in (total["run"], total["run"] + total["ask"]))
    on = f"{len(commands)} different commands, {named}, {sum(map(len, commands)) // len(commands)} characters each"
    return [
        Figure("policy, first parser alone", f"{len(commands) / first:,.0f} commands/s", on),
        Figure("policy, both parsers", f"{len(asked) / both:,.0f} commands/s", f"{len(asked)} of them, uncached"),
        Figure("policy, share run", f"{run:.1f} %", f"with what is asked about {ask:.1f} %"),
    ]


def _commands() -> tuple[list[str], str]:
    """Return recorded commands if the corpus is there, else the examples in a few combinations."""
    folder = Path(os.environ.get("NECROPSY_SHARED", Path(__file__).parents[3] / "shared"))
    recorded = folder / "corpus" / "commands" / "remote_commands.jsonl"
    if recorded.exists():
        lines = recorded.read_text(encoding="utf-8").splitlines()
        return list(dict.fromkeys(json.loads(line)["command"] for line in lines)), "recorded"
    pairs = itertools.islice(itertools.permutations(_OURS, 2), 0, 200_000, 40)
    return [f"{one}; {other}" for one, other in pairs], "made of the programs' examples"
