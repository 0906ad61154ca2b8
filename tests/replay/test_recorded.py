"""What the outputs of a log tell of its host, beside what the target is now."""

import platform
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from probes.host.targets import Target
from probes.recorded import Told, differing, recorded
from replay.conduct import conduct
from replay.plan import Hosts, build_plan
from replay.progress import Ended
from sessions.ingest.source import Source
from sessions.models.session import Session, Step, Tally
from sessions.reports.replays import differences
from sessions.shell.unwrap import unwrap
from sessions.store.reader import Reader
from sessions.store.writer import Writer

TABLE = """\
| NVIDIA-SMI 570.86.10              Driver Version: 570.86.10      CUDA Version: 12.8     |
|-----------------------------------------+------------------------+----------------------+
|   0  NVIDIA RTX PRO 6000 Blac...    On  |   00000000:01:00.0 Off |                  Off |
|   1  NVIDIA RTX PRO 6000 Blac...    On  |   00000000:02:00.0 Off |                  Off |
"""


def values(command: str, output: str, host: str | None = "h") -> Mapping[str, str]:
    text = f"ssh root@{host} {command!r}" if host else command
    step = Step(ordinal=7, kind="shell", tool="bash", command=text, commands=unwrap(text), output=output)
    return {field: told.value for field, told in recorded([step], {host}).items()}


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("nvidia-smi", TABLE, {
            "gpu.0.driver_version": "570.86.10", "driver.cuda": "12.8", "gpu.count": "2",
            "gpu.0.name": "NVIDIA RTX PRO 6000 Blac...", "gpu.1.name": "NVIDIA RTX PRO 6000 Blac...",
        }),
        ("nvidia-smi -L", "GPU 0: NVIDIA H200 (UUID: GPU-1)\n", {"gpu.0.name": "NVIDIA H200", "gpu.count": "1"}),
        ("nvidia-smi --query-gpu=name,memory.used,driver_version --format=csv",
         "name, memory.used [MiB], driver_version\nNVIDIA H200, 5 MiB, 570.1\n",
         {"gpu.0.name": "NVIDIA H200", "gpu.0.driver_version": "570.1"}),
        ("uname -a", "Linux gpu7 6.8.0-51-generic #52 SMP x86_64 GNU/Linux\n", {"os.kernel": "6.8.0-51-generic"}),
        ("uname -r", "6.8.0-51-generic\n", {"os.kernel": "6.8.0-51-generic"}),
        ("python3 -V", "Python 3.12.3\n", {"python.version": "3.12.3"}),
        ('python3 -c "import torch; print(torch.__version__, torch.version.cuda)"', "2.9.0+cu128 12.8\n",
         {"package.torch": "2.9.0+cu128"}),
        ("pip show vllm", "Name: vllm\nVersion: 0.11.0\nSummary: fast\n", {"package.vllm": "0.11.0"}),
        ("pip list | grep -i torch", "torch                    2.9.0\ntorchvision 0.24.0\n",
         {"package.torch": "2.9.0", "package.torchvision": "0.24.0"}),
        ("pip freeze", "flash_attn==2.8.3\nvllm @ file:///x\n", {"package.flash-attn": "2.8.3"}),
        ("tail -n 5 vllm.log", "INFO 11-29 vLLM API server version 0.11.0\n", {"package.vllm": "0.11.0"}),
        ("cat notes", "Driver Version: 1.2.3\nPython 3.1.1\n", {}),
    ],
)  # fmt: skip
def test_what_an_output_tells(command: str, output: str, expected: dict[str, str]) -> None:
    assert values(command, output) == expected


def test_another_host_tells_nothing_of_this_one() -> None:
    text = "ssh root@other 'uname -r'"
    step = Step(ordinal=0, kind="shell", tool="bash", command=text, commands=unwrap(text), output="6.8.0-1\n")
    assert recorded([step], {"h", None}) == {}


def test_what_differs_the_important_first() -> None:
    told = {
        "os.kernel": Told("6.8.0-1", 1), "package.torch": Told("2.9.0", 2), "package.vllm": Told("0.11.0", 3),
        "gpu.0.name": Told("NVIDIA RTX PRO 6000 Blac...", 4), "package.rich": Told("1.0", 5),
    }  # fmt: skip
    live = {
        "os.kernel": "6.9.0-1", "package.torch": "2.9.0+cu128", "package.vllm": "0.12.0",
        "gpu.0.name": "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    }  # fmt: skip
    found = differing(told, live)
    assert [(each.field, each.recorded, each.live, each.step) for each in found] == [
        ("package.vllm", "0.11.0", "0.12.0", 3),
        ("os.kernel", "6.8.0-1", "6.9.0-1", 1),
    ]
    assert [each.field for each in differing(told, {})][:2] == ["gpu.0.name", "package.torch"]


async def test_a_run_keeps_both_looks_and_a_changed_step_names_what_differs(tmp_path: Path) -> None:
    commands = {
        "uname -r": "4.19.0-old\n",
        "uname -s": "Linux\n",
        "python3 -V": f"Python {platform.python_version()}\n",
    }
    steps = tuple(
        Step(ordinal=n, kind="shell", tool="bash", command=text, commands=unwrap(text), output=output)
        for n, (text, output) in enumerate(commands.items())
    )
    session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=steps)
    store, here = tmp_path / "store.db", Target(name="local")
    with Writer.open(store) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
    with Reader.open(store) as reader:
        plan = build_plan(reader, "s", here, None, Hosts({"local": "local"}))
    events = [event async for event in conduct(store, here, plan)]
    assert isinstance(events[-1], Ended)
    with Reader.open(store) as reader:
        (run,) = reader.runs("s")
    live = run.fingerprint["live"]
    assert isinstance(live, dict)
    assert live["os.kernel"] == platform.release()
    assert [step.comparison for step in run.steps][:2] == ["changed", "identical"]
    told = differences(run, run.steps[0])
    assert re.search(rf"os\.kernel was 4\.19\.0-old, is {re.escape(platform.release())}", told)
    assert differences(run, run.steps[1]) == ""
