"""A hundred small changes of what real programs print: every one is seen, whatever the program."""

import re
from collections.abc import Callable, Iterator

import pytest

from replay.output.compare import SAME, compare

SMI = """\
Sat Nov 29 18:02:11 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H200                    On  |   00000000:3B:00.0 Off |                    0 |
| N/A   34C    P0             76W /  700W |   62000MiB / 143771MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA H200                    On  |   00000000:5E:00.0 Off |                    0 |
| N/A   35C    P0             77W /  700W |      12MiB / 143771MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|=========================================================================================|
|    0   N/A  N/A            4242      C   VLLM::EngineCore                      61980MiB |
+-----------------------------------------------------------------------------------------+"""
PIP = "Package Version\n------- -------\nnumpy 2.3.1\ntorch 2.9.0+cu128\ntransformers 4.57.1\nvllm 0.11.0"
LOG = """\
INFO 11-29 18:02:11 [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: model='/models/glm-5'
(EngineCore_0 pid=4242) INFO 11-29 18:02:15 [runner.py:2602] Model loading took 51.2 GiB and 93.2 seconds
(EngineCore_0 pid=4242) WARNING 11-29 18:02:16 [moe.py:77] Using default MoE config for E=64,N=1408
2026-11-29 18:02:31,123 ERROR worker failed with exit code 9"""
LS = "total 8\n-rw-r--r-- 1 root root 512 Nov 29 18:02 a.gguf\n-rw-r--r-- 1 root root 9912 Nov 29 18:03 b.gguf"
SOURCE = "def forward(self, q):\n    scale = 0.125\n    return attend(q, scale, causal=True)"
GREP = "12:def forward(self, q):\n40:    scale = 0.125\n77:    return attend(q)"
PS = "USER PID %CPU COMMAND\nroot 42 0.1 vllm serve /m --tp 8\nroot 43 0.0 python3 watch.py"
DF = "Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 100G 40G 60G 40% /models\ntmpfs 64G 1G 63G 2% /dev/shm"
FREE = "       total  used  free\nMem:   2015   300  1715\nSwap:  8      0     8"
JSON = '{"model": "glm-5", "max_len": 8192, "layers": [0, 1, 2], "flags": {"tp": 8, "eager": false}}'
TENSOR = "tensor([[0.1250, 0.5000], [1.5000, 2.0000]], device='cuda:0', dtype=torch.float16)\nmax diff 0.0001"
BACK = 'Traceback (most recent call last):\n  File "/x/a.py", line 5, in run\n    go()\nRuntimeError: CUDA error 700'
SHOW = "Name: vllm\nVersion: 0.11.0\nLocation: /opt/venv/lib\nRequires: torch, numpy"

Edit = Callable[[str], str]


def swap(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new, 1)


def drop(line: int) -> Edit:
    return lambda text: "\n".join(each for n, each in enumerate(text.split("\n")) if n != line)


SEEDS: dict[tuple[str, str], tuple[Edit, ...]] = {
    (SMI, "nvidia-smi"): (
        swap("580.65.06  ", "570.10.01  "), swap("Version: 580", "Version: 570"), swap("13.0", "12.8"), drop(8),
        swap("H200 ", "H100 "), swap("143771MiB", "81559MiB"), swap("62000MiB", "   12MiB"), swap("P0", "P8"),
        swap("700W", "350W"), swap("5E:00", "5F:00"), swap("Disabled", "Enabled "), swap("VLLM::", "SGLANG"), drop(19),
        swap("                    0 |", "                   17 |"), swap("Default", "E. Proc"),
    ),
    (PIP, "pip list"): (
        swap("0.11.0", "0.11.1"), swap("cu128", "cu129"), swap("2.3.1", "2.3.2"), drop(3), drop(5), swap("4.57",
        "4.58"),
        swap("vllm", "sglang"), lambda text: text + "\nextra 1.0",
    ),
    (LOG, ""): (
        swap("v0.11.0", "v0.11.1"), swap("51.2", "51.3"), swap("code 9", "code 1"), swap("ERROR", "WARN"), drop(2),
        swap("E=64", "E=32"), swap("glm-5", "glm-4"), swap("default MoE", "tuned MoE"), drop(3), swap("V1", "V0"),
        lambda text: text + "\nERROR 11-29 18:02:40 [core.py:70] CUDA out of memory", swap("GiB", "MiB"),
    ),
    (LS, "ls -l"): (
        swap("512", "513"), swap("a.gguf", "c.gguf"), drop(2), swap("rw-r--r--", "rw-------"), swap("root root",
        "u root"),
        lambda _: "ls: cannot access '/models': No such file or directory",
    ),
    (SOURCE, "cat a.py"): (
        swap("0.125", "0.25"), swap("True", "False"), drop(1), swap("    return", "  return"), swap("q, scale",
        "scale, q"),
        lambda _: "cat: a.py: No such file or directory",
    ),
    (GREP, "grep -n x a.py"): (swap("0.125", "0.25"), drop(1), swap("attend(q)", "attend(k)"), lambda _: ""),
    (PS, "ps aux"): (swap("--tp 8", "--tp 4"), drop(1), drop(2), swap("root 42", "ops 42"), swap("/m ", "/n ")),
    (DF, "df -h"): (swap("100G", "200G"), swap("40G 60G 40%", "99G 1G 99%"), drop(1), swap("/models", "/data")),
    (FREE, "free -g"): (swap("2015", "1007"), swap("300  1715", "2000  15"), drop(2), swap("8      0", "16     0")),
    (JSON, "curl h"): (
        swap("8192", "4096"), swap("glm-5", "glm-4"), swap("false", "true"), swap("[0, 1, 2]", "[0, 2, 1]"),
        swap(', "eager": false', ""), swap("tp", "dp"), lambda _: "curl: (7) Failed to connect", swap("8,", "4,"),
        swap("[0, 1, 2]", "[0, 1]"),
    ),
    (TENSOR, "python3 x.py"): (
        swap("0.5000", "0.5100"), swap("2.0000", "nan"), swap("float16", "float32"), swap("cuda:0", "cpu"),
        swap("0.0001", "0.0101"), swap("], [", ", "), swap("1.5000", "-1.5000"), drop(1),
    ),
    (BACK, "python3 x.py"): (
        swap("700", "701"), swap("RuntimeError", "ValueError"), swap("in run", "in stop"), drop(3), swap("a.py",
        "b.py"),
    ),
    (SHOW, "pip show vllm"): (swap("0.11.0", "0.12.0"), swap("/opt", "/srv"), swap(", numpy", ""), drop(2)),
    ("GPU 0: NVIDIA H200 (UUID: x)\nGPU 1: NVIDIA H200 (UUID: y)", "nvidia-smi -L"): (
        swap("H200", "B200"), drop(1), swap("GPU 1", "GPU 2"), lambda _: "No devices were found",
    ),
    ("commit 0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d4e5f0a1b\nAuthor: a", "git show"): (swap("0a1b", "0a1c"), drop(1)),
    ("max diff 0.00012\nall 1,809 tensors equal\nport 8000", ""): (
        swap("0.00012", "0.12"), swap("1,809", "1,808"), swap("8000", "8001"), swap("equal", "differ"), drop(0),
    ),
}  # fmt: skip


def seeds() -> Iterator[tuple[str, str, str]]:
    for (text, command), edits in SEEDS.items():
        yield from ((text, edit(text), command) for edit in edits)


@pytest.mark.parametrize(("recorded", "new", "command"), seeds())
def test_a_small_change_is_seen(recorded: str, new: str, command: str) -> None:
    assert recorded != new
    for before, after in ((recorded, new), (new, recorded)):
        compared = compare(before, after, argv=tuple(command.split()) or None)
        assert compared.comparison not in SAME
        assert compared.tokens


def test_there_are_a_hundred() -> None:
    assert len(list(seeds())) >= 100


@pytest.mark.parametrize(("text", "command"), [pair for pair in SEEDS if re.search(r"\d\d:\d\d|pid|PID", pair[0])])
def test_an_hour_later_the_same_host_says_the_same(text: str, command: str) -> None:
    later = re.sub(r"\b18:(\d\d)", r"19:\1", text).replace("4242", "909").replace(" 42 ", " 77 ").replace("34C", "41C")
    later = later.replace(" 76W", " 98W").replace("93.2 seconds", "88.1 seconds")
    assert later != text
    assert compare(text, later, argv=tuple(command.split()) or None).comparison == "equivalent"
