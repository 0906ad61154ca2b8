"""Programs within programs: what surely ends is read; what counts, recurses or grows without bound is not."""

import pytest

from probes.host.script import quote
from replay.policy.judge import assess
from replay.policy.patterns import LARGEST, explodes

ENDS = r"""
.
.a[] | select(.x == "y") | .b
.data[].items[] | {name, id, n: (.items|length)}
[.[] | {name: .name, size: (.size / 1073741824 | floor)}] | sort_by(.size) | reverse | .[0:10]
.models[] | "\(.name)\t\(.size)"
to_entries | map("\(.key)=\(.value)") | join(", ")
.config.quantization_config // empty
with_entries(select(.key | test("layer")))
.weight_map | keys | map(select(startswith("model.layers.0"))) | .[]
.weight_map | to_entries | group_by(.value) | map({file: .[0].value, n: length})
.. | .name? // empty
[paths(scalars) | join(".")] | unique
.[] | [.a, .b, .c] | @tsv
.x * 100
if .a > 5 then "big" else "small" end
.results[] | select(.score >= 0.5 and .n < 1e9)
.a["x y"].b, ."c d"
.log | gsub("\n"; " ")
first(.[] | select(.x)), limit(3; .[])
. as $r | .items[] | [$r.name, .id]
[range(5)], [range(2; 9)]
"range \"(1e9)\" def f: while"
{until, while: 1, repeat}
{a: {b: .c}, d}
""".strip().splitlines()

MAY_NOT_END = r"""
last(range(1;pow(10;15)))
[limit(10;repeat(1))]
last(range(0;1;0))
range(1;1e15)
range
[combinations]
[[range(99)]|combinations(9)]
"a"*1000000000
tojson*now
"a" * .n
.a*.b
[.[1000000000]=1]
.a |= .b
reduce range(9) as $i (.; [.,.])
foreach range(1;10) as $i (0;.+$i)
first(range(10;infinite))
recurse(.[]?)
until(.>9;.+1)
while(true;.)
def f: f; f
walk([.,.])
label $x|1
import "x" as $d; .
include "x"; .
"\(range(1;pow(10;15)))"
"x\("y\(repeat(1))")"
{a:repeat(1)}
[1, infinite, 2]
.a, infinite, .b
{a, b: [c, infinite, d]}
gsub("";"x")
gsub("^";"x")
gsub("\\b";"x")
gsub("a*";"x")
[.]|join(tojson)
a::b
# x
)(
(
"unterminated
""".strip().splitlines()

GROWS = [
    "|".join(["[.,.]"] * 20),
    "|".join(["tojson"] * 7),
    "|".join(["[..]"] * 7),
    ".[]+.[]+.[]",
    ". as $d|[$d[]|$d[]|$d[]]",
    ".[] as $x|.[] as $y|.[] as $z|1",
    "[range(9999)|range(9999)]",
    "|".join(["1,1"] * 40),
    '"' + r"\(1,2)" * 40 + '"',
    "{" + ",".join(f"a{number}:(1,2)" for number in range(40)) + "}",
    "paths as $x|paths as $y|[$x,$y]",
    ".. as $x|.. as $y|[$x,$y]",
    "inputs as $x|.[]|$x[]",
    ".*1000|.*1000",
]


@pytest.mark.parametrize("program", ENDS)
def test_what_looks_into_a_value_is_read(program: str) -> None:
    judged = assess(f"jq {quote(program)} f")
    assert (judged.decision, judged.reasons) == ("run", ())


@pytest.mark.parametrize("program", [*MAY_NOT_END, *GROWS, "." * 5000])
def test_what_may_not_end_or_fill_the_memory_is_refused(program: str) -> None:
    judged = assess(f"jq -n {quote(program)}")
    assert (judged.decision, judged.effect) == ("refuse", "unknown")
    assert judged.reasons[0].startswith("jq: ")


@pytest.mark.parametrize("program", ["env", "$ENV.HOME", '"\\(env.TOKEN)"', ".a, env"])
def test_the_environment_is_a_secret(program: str) -> None:
    assert assess(f"jq {quote(program)} f").effect == "read-secret"


UNROLLED = [".*{10,}{10,}{10,}{10,}{10,}", "(((x{255}){255}){25})", r"\(\(x\{255\}\)\{255\}\)", "(x{100}){100}"]
PLAIN = ["[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", "x{9000}", r"a\{3,\}", "{a,b}", "{", "f(x){", "(x{90}){90}"]


@pytest.mark.parametrize("pattern", UNROLLED)
def test_a_repetition_of_repetitions_is_refused_wherever_a_pattern_stands(pattern: str) -> None:
    assert explodes(pattern)
    word = quote(pattern)
    calls = (
        f"grep -E {word} f", f"grep -E -e {word} f", f"rg --regexp={word} src", f"find . -iregex {word}",
        f"pgrep -f {word}", f"sed -n {quote(f'/{pattern}/p')} f", f"git grep {word}", f"git log --grep={word}",
        f"git log -G {word}", f"git log -L {quote(f'/{pattern}/,+1:f')}",
    )  # fmt: skip
    assert [call for call in calls if assess(call).decision != "refuse"] == []


@pytest.mark.parametrize("pattern", PLAIN)
def test_an_ordinary_repetition_is_none(pattern: str) -> None:
    assert not explodes(pattern)
    assert assess(f"grep -E {quote(pattern)} f").decision == "run"


def test_the_largest_pattern_is_exact() -> None:
    assert not explodes(f"x{{{LARGEST - 1}}}")
    assert explodes(f"x{{{LARGEST}}}")


@pytest.mark.parametrize(
    ("script", "decision"),
    [("s/./&&/g;" * 13, "run"), ("s/./&&/g;" * 14, "refuse"), (r"s/\(.\)/\1\1/;" * 12, "refuse"),
     ("s/a//g;" * 99, "run"), ("s/a/bbbbbbbbbb/;" * 50, "run"), ("s/a/bbbbbbbbbb/g;" * 5, "refuse"),
     ("/x/p;2d;$!d", "run")],
)  # fmt: skip
def test_lines_grow_only_so_much(script: str, decision: str) -> None:
    assert assess(f"sed {quote(script)} f").decision == decision


def test_scripts_of_one_call_count_together() -> None:
    assert assess("sed " + "-e 's/./&&/g' " * 13 + "f").decision == "run"
    assert assess("sed " + "-e 's/./&&/g' " * 14 + "f").decision == "refuse"
