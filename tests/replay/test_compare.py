"""Comparing outputs: what says the same, and every small thing that must not be taken for the same."""

import re

import pytest

from replay.output.compare import Circumstances, compare
from replay.rewrite import PathRules

LOG = """\
INFO 11-29 18:02:11 [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: model='/models/glm-5'
(EngineCore_0 pid=4242) INFO 11-29 18:02:15 [gpu_model_runner.py:2602] Model loading took 51.2 GiB and 93.2 seconds
(EngineCore_0 pid=4242) WARNING 11-29 18:02:16 [fused_moe.py:77] Using default MoE config at 0x7f3a5c001000
2026-11-29 18:02:31,123 ERROR worker failed with exit code 9
"""


def test_a_text_compared_with_itself_is_identical() -> None:
    for text in (LOG, "", "\n", "a\u240db"):
        assert compare(text, text).comparison == "identical"


def test_final_newlines_do_not_count() -> None:
    assert compare("a\nb", "a\nb\n").comparison == "identical"


EQUIVALENT = [
    ("INFO 11-29 18:02:11 ready", "INFO 11-30 09:12:45 ready", "times may differ"),
    ("2026-11-29T18:02:11.123Z up", "2026-12-01T00:00:00.001Z up", "times may differ"),
    ("[ 1234.567890] NVRM: Xid 79", "[99999.000001] NVRM: Xid 79", "times may differ"),
    ("Sat Nov 29 18:02:11 2026", "Sun Nov 30 08:00:00 2026", "times may differ"),
    ("worker pid=4242 died", "worker pid=51 died", "process ids stand for one another"),
    ("sshd[812]: ok", "sshd[90133]: ok", "process ids stand for one another"),
    ("<Foo object at 0x7f3a5c001000>", "<Foo object at 0x7f00aa001230>", "addresses stand for one another"),
    ("INFO loading took 93.2 seconds", "INFO loading took 88.9 seconds", "durations in a log may differ"),
    ("a   \nb", "a\nb", "trailing blanks"),
    (" 10%␍ 50%␍100% done", "100% done", "progress lines: last frame"),
    ("name    1", "name  1", "column padding"),
    ("Warning: Permanently added 'x' (ED25519) to the list of known hosts.\nok", "ok", "notices of ssh"),
    ("GPU-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", "GPU-ffff2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", "GPU identities"),
]


@pytest.mark.parametrize(("recorded", "new", "rule"), EQUIVALENT)
def test_what_says_the_same_is_equivalent_and_names_the_rule(recorded: str, new: str, rule: str) -> None:
    compared = compare(recorded, new)
    assert (compared.comparison, compared.tokens) == ("equivalent", ())
    assert any(rule in used for used in compared.rules)


CHANGED = [
    ("timeout=30s", "timeout=600s", "duration"),
    ("INFO request timeout=30s", "INFO request timeout=600s", "duration"),
    ("INFO timed out after 30 seconds", "INFO timed out after 60 seconds", "duration"),
    ("commit 1111111111111111111111111111111111111111", "commit 1111111111111111111111111111111111111112", "hash"),
    ("Tried to allocate 2.00 GiB", "Tried to allocate 2.50 GiB", "size"),
    ("max diff 0.00012", "max diff 0.00013", "number"),
    ("vllm 0.11.0", "vllm 0.11.1", "version"),
    ("torch 2.9.0+cu128", "torch 2.9.0+cu129", "version"),
    ("Xid 79", "Xid 48", "number"),
    ("rank 3", "rank 4", "number"),
    ("port 8000", "port 8001", "number"),
    ("memory 45%", "memory 46%", "percent"),
    ("logprob -20.1", "logprob 20.1", "number"),
    ("logprob -20.1", "logprob -2.01", "number"),
    ("1,809 tensors", "1,808 tensors", "number"),
    ("loss nan", "loss 0.5", "word"),
    ("flags 0x0001ffff", "flags 0x0001fffe", "address"),
    ("dtype bfloat16", "dtype float16", "word"),
    ("built 2026-11-29", "built 2026-11-28", "number"),
    ("/models/a/f", "/models/b/f", "path"),
    ("    indented", "  indented", "space"),
    ("wait=00:10:00", "wait=00:20:00", "time"),
    ("shape (576, 512)", "shape (512, 576)", "number"),
]


@pytest.mark.parametrize(("recorded", "new", "kind"), CHANGED)
def test_what_says_something_else_is_changed_and_names_the_token(recorded: str, new: str, kind: str) -> None:
    compared = compare(recorded, new)
    assert compared.comparison == "changed"
    assert kind in {token.kind for token in compared.tokens}


@pytest.mark.parametrize(
    "place", [found.start() for found in re.finditer(r"\d(?![\d:.,-]* \[)", LOG.splitlines()[0][20:])]
)
def test_any_other_digit_of_a_log_line_counts(place: int) -> None:
    line = LOG.splitlines()[0]
    at = place + 20
    changed = line[:at] + str((int(line[at]) + 1) % 10) + line[at + 1 :]
    assert compare(line, changed).comparison == ("drift" if line[at - 1 : at + 2] in {":58", "58]"} else "changed")


def test_a_pid_must_stay_the_same_process() -> None:
    assert compare("pid=1 a\npid=1 b", "pid=7 a\npid=7 b").comparison == "equivalent"
    assert compare("pid=1 a\npid=1 b", "pid=7 a\npid=8 b").comparison == "changed"
    assert compare("pid=1 a\npid=2 b", "pid=7 a\npid=7 b").comparison == "changed"


def test_rates_drift_within_a_tolerance() -> None:
    assert compare("speed 100.0 tokens/s", "speed 110.0 tokens/s").comparison == "drift"
    assert compare("speed 100.0 tokens/s", "speed 50.0 tokens/s").comparison == "changed"


def test_a_missing_line_is_a_change() -> None:
    compared = compare("a\nb\nc", "a\nc")
    assert compared.comparison == "changed"
    assert [(t.line, t.kind, t.recorded, t.new) for t in compared.tokens] == [(2, "line", "b", "")]


SOURCE = ("sed", "-n", "2,3p", "/env/mod.py")


def test_source_text_is_exact_even_where_it_looks_like_times() -> None:
    assert compare("AT = '18:02:11'", "AT = '18:02:12'", argv=("cat", "/x.py")).comparison == "changed"
    assert compare("18:02:11 up", "18:02:12 up", argv=("cat", "/var/log/x.log")).comparison == "equivalent"


def test_a_block_that_moved_is_found_in_the_whole_file() -> None:
    whole = "# new\n# lines\nimport os\ndef forward():\n    return 1\n"
    compared = compare(
        "def forward():\n    return 1", "# lines\nimport os", argv=SOURCE, circumstances=Circumstances(whole=whole)
    )
    assert (compared.comparison, compared.detail) == ("moved", "2 lines further down")


def test_an_edited_block_did_not_move() -> None:
    whole = "# new\n# lines\nimport os\ndef forward():\n    return 2\n"
    compared = compare(
        "def forward():\n    return 1", "# lines\nimport os", argv=SOURCE, circumstances=Circumstances(whole=whole)
    )
    assert compared.comparison == "changed"


def test_numbered_hits_move() -> None:
    argv = ("grep", "-n", "--", "def", "f.py")
    assert compare("3:def a\n9:def b", "13:def a\n20:def b", argv=argv).comparison == "moved"
    assert compare("3:def a\n9:def b", "13:def a\n20:def c", argv=argv).comparison == "changed"


def test_order_is_nothing_only_for_listed_programs() -> None:
    assert compare("a\nb", "b\na", argv=("find", ".")).comparison == "reordered"
    assert compare("a\nb", "b\na", argv=("ls",)).comparison == "changed"
    assert compare("a\nb\nb", "b\na\na", argv=("find", ".")).comparison == "changed"


def test_exit_status_counts_where_both_are_known() -> None:
    assert compare("x", "x", circumstances=Circumstances((0, 1))).comparison == "exit-status-changed"
    assert compare("x", "x", circumstances=Circumstances((1, 1))).comparison == "identical"
    assert compare("x", "x", circumstances=Circumstances((None, 1))).comparison == "identical"


def test_a_cut_recording_proves_nothing() -> None:
    assert compare("a\n[… 40 lines omitted]", "a\nb\nc", truncated=True).comparison == "recording-truncated"
    assert compare("a", "b", truncated=True).comparison == "recording-truncated"


def test_a_reconstruction_is_not_comparable() -> None:
    assert compare("a", "a", circumstances=Circumstances(reconstructed=True)).comparison == "not-comparable"


def test_paths_are_compared_as_mapped() -> None:
    rules = Circumstances(paths=PathRules((("/root/ml-env", "/opt/venv"),)))
    assert compare("in /root/ml-env/lib/x.py", "in /opt/venv/lib/x.py", circumstances=rules).comparison == "equivalent"
    assert compare("in /root/ml-environ/x.py", "in /opt/venviron/x.py", circumstances=rules).comparison == "changed"


def test_dates_of_a_listing_may_differ() -> None:
    recorded = "-rw-r--r-- 1 root root 512 Nov 29 18:02 model.gguf"
    argv = ("ls", "-l")
    assert compare(recorded, recorded.replace("18:02", "09:10"), argv=argv).comparison == "equivalent"
    assert compare(recorded, recorded.replace("512", "513"), argv=argv).comparison == "changed"
    assert compare(recorded, recorded.replace("18:02", "09:10")).comparison == "changed"


@pytest.mark.parametrize(("recorded", "new"), [pair[:2] for pair in (*EQUIVALENT, *CHANGED)])
def test_which_is_the_recording_does_not_matter(recorded: str, new: str) -> None:
    assert compare(recorded, new).comparison == compare(new, recorded).comparison


def test_a_change_among_many_lines_is_told_by_its_line() -> None:
    lines = [f"step {n} loss=0.{n}" for n in range(6000)]
    longer = [*lines[:3000], "inserted", *lines[3000:]]
    compared = compare("\n".join(lines), "\n".join(longer))
    assert [(t.line, t.kind, t.recorded, t.new) for t in compared.tokens] == [(3001, "line", "", "inserted")]
    edited = [*lines[:3000], "step 3000 loss=9.3000", *lines[3001:], "more"]
    compared = compare("\n".join(lines), "\n".join(edited))
    assert next((t.line, t.recorded, t.new) for t in compared.tokens) == (3001, "0.3000", "9.3000")


def test_what_is_kept_of_a_huge_difference_is_bounded() -> None:
    compared = compare("x" * 100_000, "y" * 100_000)
    assert [len(t.recorded) for t in compared.tokens] == [500]
    many = compare("\n".join(f"a{n}" for n in range(1000)), "\n".join(f"b{n}" for n in range(1000)))
    assert len(many.tokens) == 200
    long = compare("a " * 5000 + "1", "a " * 5001 + "2")
    assert (long.comparison, len(long.tokens)) == ("changed", 1)
