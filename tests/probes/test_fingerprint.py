"""The fingerprint of this machine, of a changed package, of a host with a GPU (nvidia-smi's own words), and a diff."""

import base64
import hashlib
import os
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from probes import fingerprint
from probes.host import local

SMI = """#!/bin/sh
case "$1" in
  --help-query-gpu) printf '"name"\\n"compute_cap" or "x"\\n"memory.total"\\n"driver_version"\\n' ;;
  --query-gpu=*) echo 'NVIDIA H200, 9.0, 143771, 580.95.05'; echo 'NVIDIA H200, 9.0, 143771, 580.95.05' ;;
  topo) printf '\\033[4mGPU0 GPU1\\033[0m\\nGPU0 X NV18\\n\\nLegend: none\\n' ;;
  *) echo '| NVIDIA-SMI 580.95.05   Driver Version: 580.95.05   CUDA Version: 13.0     |' ;;
esac
"""


async def test_this_machine() -> None:
    async with local.connect() as host:
        taken = await fingerprint.take(host, python=sys.executable)
    assert (taken.target, taken.deep) == ("local", False)
    assert taken.record["python.executable"] == sys.executable
    assert taken.record["os.kernel"] == os.uname().release
    assert taken.record["cpu.count"] == str(os.cpu_count())
    assert taken.record["package.gguf"].startswith("0.")
    assert taken.record["patched.gguf"] == "none"
    assert "torch.version" not in taken.record


async def test_a_machine_without_the_interpreter_says_so() -> None:
    async with local.connect() as host:
        taken = await fingerprint.take(host, python="/no/such/python")
    assert list(taken.record) == ["host"]
    assert taken.record["host"].startswith("unavailable: needs /no/such/python")


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A site-packages folder with an installed package whose RECORD is an hour old."""
    wheel = tmp_path / "gguf-0.19.0.dist-info"
    wheel.mkdir()
    (tmp_path / "gguf.py").write_text("x = 1\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"x = 1\n").digest()).decode().rstrip("=")
    (wheel / "METADATA").write_text("Metadata-Version: 2.1\nName: gguf\nVersion: 0.19.0\n")
    (wheel / "RECORD").write_text(f"gguf.py,sha256={digest},6\ngguf-0.19.0.dist-info/RECORD,,\n")
    for path in (wheel / "RECORD", tmp_path / "gguf.py"):
        os.utime(path, (time.time() - 3600, time.time() - 3600))
    return tmp_path


async def taken_of(environment: Path, *, deep: bool = False) -> fingerprint.Fingerprint:
    async with local.connect() as host:
        return await fingerprint.take(host, python=sys.executable, site=str(environment), deep=deep)


async def test_an_unchanged_package_is_cleared(environment: Path) -> None:
    assert (await taken_of(environment)).record["patched.gguf"] == "none"


async def test_an_edited_package_file_is_named(environment: Path) -> None:
    (environment / "gguf.py").write_text("x = 2\n")
    assert (await taken_of(environment)).record["patched.gguf"] == f"1: {environment}/gguf.py"


async def test_a_touched_file_is_no_edited_one(environment: Path) -> None:
    (environment / "gguf.py").touch()
    assert (await taken_of(environment)).record["patched.gguf"] == "none"


async def test_an_edit_under_an_old_date_needs_a_deeper_look(environment: Path) -> None:
    (environment / "gguf.py").write_text("x = 3\n")
    os.utime(environment / "gguf.py", (time.time() - 3600, time.time() - 3600))
    assert (await taken_of(environment)).record["patched.gguf"] == "none"
    deep = await taken_of(environment, deep=True)
    assert (deep.deep, deep.record["patched.gguf"]) == (True, f"1: {environment}/gguf.py")


async def test_a_file_that_is_gone_is_named(environment: Path) -> None:
    (environment / "gguf.py").unlink()
    assert (await taken_of(environment)).record["patched.gguf"] == f"1: {environment}/gguf.py (missing)"


def test_gpus_and_variables(run_payload: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smi = tmp_path / "nvidia-smi"
    smi.write_text(SMI)
    smi.chmod(smi.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("VLLM_ATTENTION_BACKEND", "TRITON_MLA")
    monkeypatch.setenv("HF_TOKEN", "hf_made_up_by_hand")
    record = run_payload("host/fingerprint.py").details["record"]
    assert (record["gpu.count"], record["gpu.1.name"], record["gpu.0.compute_cap"]) == ("2", "NVIDIA H200", "9.0")
    assert (record["gpu.0.driver_version"], record["driver.cuda"]) == ("580.95.05", "13.0")
    assert record["gpu.topology"] == "GPU0 GPU1\nGPU0 X NV18"
    assert record["env.VLLM_ATTENTION_BACKEND"] == "TRITON_MLA"
    assert record["env.HF_TOKEN"].startswith("set, sha256 ")
    assert "hf_made_up" not in repr(record)


def test_a_difference_that_changes_answers_comes_first() -> None:
    before = {"host.name": "a", "env.NCCL_P2P_DISABLE": "1", "package.vllm": "0.22.1", "os.arch": "x86_64"}
    after = {"host.name": "b", "package.vllm": "0.16.0", "patched.vllm": "1: gguf_loader.py", "os.arch": "x86_64"}
    found = fingerprint.diff(before, after)
    assert [(each.field, each.severity) for each in found] == [
        ("package.vllm", "red"),
        ("patched.vllm", "red"),
        ("env.NCCL_P2P_DISABLE", "amber"),
        ("host.name", "grey"),
    ]
    assert (found[1].before, found[1].after) == (None, "1: gguf_loader.py")
    assert (found[2].before, found[2].after) == ("1", None)
    assert fingerprint.diff(before, before) == ()


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("gpu.0.compute_cap", "red"),
        ("gpu.3.temperature.gpu", "grey"),
        ("gpu.0.clocks.max.sm", "amber"),
        ("gpu.0.clocks.sm", "grey"),
        ("gpu.0.ecc.errors.uncorrected.volatile.total", "red"),
        ("gpu.0.driver_version", "amber"),
        ("server.0.library.libnccl", "red"),
        ("cache.vllm", "amber"),
    ],
)
def test_severities(field: str, expected: str) -> None:
    assert fingerprint.severity(field) == expected
