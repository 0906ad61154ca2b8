"""Every kind of token: what may differ, and the small thing beside it that must not be taken for the same."""

import pytest

from replay.output.compare import compare

SMI = "nvidia-smi --query-gpu=index,name,memory.total,memory.used,temperature.gpu,pstate,power.limit,uuid --format=csv"
ROW = "index, name, memory.total [MiB], memory.used [MiB], temperature.gpu, pstate, power.limit [W], uuid\n"


def smi(**changed: str) -> str:
    fields = {
        "index": "0", "name": "NVIDIA H200", "total": "143771 MiB", "used": "62000 MiB", "temperature": "41",
        "pstate": "P0", "limit": "700.00 W", "uuid": "GPU-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
    }  # fmt: skip
    return ROW + ", ".join((fields | changed).values())


LS = "-rw-r--r-- 1 root root 512 Nov 29 18:02 model.gguf"
PS = "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\nroot 42 0.0 0.1 9000 800 ? Ss 10:00 0:01 vllm serve /m"
DF = "Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 100G 40G 60G 40% /models"
BACK = 'Traceback (most recent call last):\n  File "/x/core.py", line 58, in run\n    step()\nValueError: no kernel 9'
TENSOR = "tensor([0.1250, 0.5000, nan], device='cuda:0', dtype=torch.bfloat16)"
STACK = "frame #3: at::native::mm(at::Tensor) + 0x1f2 (0x7f3a5c001000 in libtorch.so)"
SHARD = "Loading shards: 100%|####| 163/163 [00:12<00:00, 5.90it/s]"

KINDS = [  # number, the same, the trap, the command
    (1, ("\x1b[31mred\x1b[0m 5", "red 5"), ("\x1b[31mred\x1b[0m 5", "red 6"), ""),
    (2, (SHARD, SHARD.replace("00:12", "00:19").replace("5.90", "3.11")), (SHARD, SHARD.replace("163/163",
     "162/162")), ""),
    (3, ("│ a │", "| a |"), ("│ a │", "| b |"), ""),
    (4, ("created: 1764439331", "created: 1764500000"), ("size: 1764439331", "size: 1764500000"), ""),
    (5, ("INFO done in 1.2s", "INFO done in 9.8s"), ("keepalive=1.2s", "keepalive=9.8s"), ""),
    (6, ("INFO 100.0 tokens/s", "INFO 110.0 tokens/s"), ("INFO 100.0 tokens/s", "INFO 10.0 tokens/s"), ""),
    (7, ("limit 2.00 GiB", "limit 2048 MiB"), ("limit 2.00 GiB", "limit 2.00 GB"), ""),
    (8, ("INFO cache usage: 4.5%", "INFO cache usage: 9.0%"), ("INFO utilization=90%", "INFO utilization=95%"), ""),
    (9, (smi(), smi(temperature="60")), (smi(), smi(limit="300.00 W")), SMI),
    (10, ("(Core pid=42) a\n(Core pid=42) b", "(Core pid=7) a\n(Core pid=7) b"), ("[rank3]: a", "[rank4]: a"), ""),
    (11, ("<A at 0x7f3a5c001000>", "<A at 0x7f00aa001230>"), ("mask 0x0000ffff", "mask 0x0000fffe"), ""),
    (12, ("req cmpl-0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d", "req cmpl-ffff2c3d0a1b2c3d0a1b2c3d0a1b2c3d"),
     ("a cmpl-0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d\nb cmpl-0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d",
      "a cmpl-1a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d\nb cmpl-2a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d"), ""),
    (13, ("bus 00000000:3B:00.0", "bus 0000:3b:00.0"), ("bus 00000000:3B:00.0", "bus 0000:5e:00.0"), ""),
    (14, ("container 0a1b2c3d4e5f up", "container ffff2c3d4e5f up"), ("commit 0a1b2c3d4e5f", "commit ffff2c3d4e5f"),
     ""),
    (15, ("  sha256:0a1b2c3d4e5f ", "  sha256:0a1b2c3d4e5f"), ("sha256:0a1b2c3d4e5f", "sha256:0a1b2c3d4e50"), ""),
    (16, ("tcp://127.0.0.1:41235", "tcp://127.0.0.1:55001"), ("tcp://127.0.0.1:41235", "tcp://127.0.0.1:8000"), ""),
    (17, ("host 192.0.2.1  up", "host 192.0.2.1 up"), ("host 192.0.2.1 up", "host 192.0.2.2 up"), ""),
    (18, ("in /m/a  b", "in /m/a b"), ("in /m/lib64/a", "in /m/lib/a"), ""),
    (19, ("wrote /tmp/tmpab12cd9x", "wrote /tmp/tmpzz98yx7q"), ("wrote /srv/tmpa/x", "wrote /srv/tmpb/x"), ""),
    (20, (BACK, BACK.replace("    step()", "    step()\n    ~~~~^^")), (BACK, BACK.replace("kernel 9", "kernel 8")),
     ""),
    (21, (STACK, STACK.replace("0x1f2", "0x2aa").replace("0x7f3a5c001000", "0x7f00aa001230")),
     (STACK, STACK.replace("::mm(", "::bmm(")), ""),
    (22, ("INFO [core.py:58] up", "INFO [core.py:61] up"), ("INFO [core.py:58] up", "ERROR [core.py:58] up"), ""),
    (23, ("vllm  0.11.0+cu128", "vllm 0.11.0+cu128"), ("vllm 0.11.0+cu128", "vllm 0.11.0+cu129"), ""),
    (24, ("vllm 0.11.0\n[notice] A new release of pip is available", "vllm 0.11.0"), ("a 1",
     "a 1\nERROR: pip failed"), ""),
    (25, ("torch==2.9.0\nvllm==0.11.0", "vllm==0.11.0\ntorch==2.9.0"), ("torch==2.9.0", "torch==2.9.1"), "pip freeze"),
    (26, (LS, LS.replace("18:02", "09:10")), (LS, LS.replace("512", "513")), "ls -l"),
    (27, (PS, PS.replace(" 42 ", " 77 ").replace("9000", "9999")), (PS, PS.replace("/m", "/n")), "ps aux"),
    (28, (DF, DF.replace("40G 60G 40%", "42G 58G 42%")), (DF, DF.replace("100G", "200G")), "df -h"),
    (29, (TENSOR, TENSOR.replace("0.5000", "0.5020")), (TENSOR, TENSOR.replace("nan", "0.0")), "python3 -c x"),
    (30, ("loss=2.3450", "loss=2.3451"), ("loss=2.345", "loss=2.445"), ""),
    (31, ("seed  1234", "seed 1234"), ("seed 1234", "seed 1235"), ""),
    (32, ("WARNING 11-29 18:02:11 slow", "WARNING 11-30 18:02:11 slow"), ("INFO a", "INFO a\nWARNING deprecated"), ""),
    (33, ("last message repeated 12 times", "last message repeated 9 times"), ("saw 12 errors", "saw 9 errors"), ""),
    (34, ("./a\n./b", "./b\n./a"), ("./a\n./b", "./b\n./c"), "find ."),
    (35, ("1,809 \u2018tensors\u2019", "1809 'tensors'"), ("1,809 tensors", "1.809 tensors"), ""),
    (36, ("https://h.example.org/a?Signature=x1", "https://h.example.org/a?Signature=y2"),
     ("https://h.example.org/a/v1", "https://h.example.org/a/v2"), ""),
    (37, ("Last login: Sat Nov 29\nok", "ok"), ("login: a\nok", "ok"), ""),
    (38, ("[ 1.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid=42", "[ 9.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid=43"),
     ("NVRM: Xid (PCI:0000:3b:00): 79, pid=42", "NVRM: Xid (PCI:0000:3b:00): 48, pid=42"), ""),
    (39, ("key  <redacted:hf:ab12>", "key <redacted:hf:ab12>"), ("key <redacted:hf:ab12>",
     "key <redacted:hf:ab13>"), ""),
]  # fmt: skip
SAME = {"equivalent", "drift", "reordered"}


def words(command: str) -> tuple[str, ...] | None:
    return tuple(command.split()) or None


@pytest.mark.parametrize(("number", "same", "trap", "command"), KINDS, ids=[str(kind[0]) for kind in KINDS])
def test_what_may_differ_does_and_the_trap_beside_it_is_seen(
    number: int, same: tuple[str, str], trap: tuple[str, str], command: str
) -> None:
    assert same[0] != same[1]
    for pair in (same, same[::-1]):
        compared = compare(*pair, argv=words(command))
        assert compared.comparison in SAME, compared.tokens
        assert compared.tokens == ()
        assert compared.rules
    for pair in (trap, trap[::-1]):
        assert compare(*pair, argv=words(command)).comparison == "changed"


def test_there_are_all_thirty_nine() -> None:
    assert [kind[0] for kind in KINDS] == list(range(1, 40))


def test_a_line_number_of_a_traceback_is_drift_and_no_more() -> None:
    assert compare(BACK, BACK.replace("line 58", "line 61")).comparison == "drift"
    assert compare("config.txt: line 58 is bad", "config.txt: line 61 is bad").comparison == "changed"


def test_a_size_like_a_moment_of_our_time_is_no_moment() -> None:
    listing = LS.replace("512", "1764439331")
    assert compare(listing, listing.replace("1764439331", "1764439332"), argv=("ls", "-l")).comparison == "changed"


def test_a_value_that_was_replaced_must_be_replaced_everywhere() -> None:
    recorded = "pid=4242 began\nsame line pid=4242\npid=4242 ended"
    new = "pid=7 began\nsame line pid=4242\npid=7 ended"
    assert compare(recorded, new).comparison == "changed"
    assert compare(recorded, recorded.replace("4242", "7")).comparison == "equivalent"


def test_used_gpu_memory_drifts_a_little_and_no_further() -> None:
    assert compare(smi(), smi(used="62500 MiB"), argv=words(SMI)).comparison == "drift"
    assert compare(smi(), smi(used="3 MiB"), argv=words(SMI)).comparison == "changed"
    changed = compare(smi(), smi(total="81559 MiB"), argv=words(SMI)).tokens[0]
    assert (changed.where, changed.recorded, changed.new) == ("0 memory.total", "143771 MiB", "81559 MiB")


def test_a_bfloat16_value_may_differ_more_than_a_float32_one() -> None:
    near = TENSOR.replace("0.5000", "0.5020")
    single = ("bfloat16", "float32")
    assert compare(TENSOR.replace(*single), near.replace(*single), argv=("python", "x.py")).comparison == "changed"
    assert compare(TENSOR, TENSOR.replace("cuda:0", "cuda:1"), argv=("python", "x.py")).comparison == "changed"
