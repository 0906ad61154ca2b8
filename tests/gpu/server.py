#!/usr/bin/env python3
"""The probes of a running server, on a GPU host over ssh: a whole small MLA model, a damaged one, another KV dtype.

``python3 tests/gpu/server.py OUT --models MODELS [--site SITE]`` on the GPU host, with necropsy's own dependencies on
PYTHONPATH, vLLM unpacked in SITE, and in MODELS what tests/vllm/make_models.py writes (on Hopper with padded heads:
tests/gpu/pad_heads.py). The servers run side by side.
Writes OUT/server.json (run -> probe -> document) and OUT/server.txt (each command and the ends of the servers' logs).
"""

import argparse
import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.gpu import product

PATIENCE = 150
"""Seconds until a server must have started."""
SMALL = "--dtype bfloat16 --max-model-len 4096 --enforce-eager --enable-prompt-tokens-details"
GPU = "--attention-backend TRITON_MLA --kv-cache-memory-bytes 1073741824 --gpu-memory-utilization 0.2"
PORT = 18230


class Case(NamedTuple):
    """A server to start, and what to ask it: each probe with its arguments."""

    model: str
    options: str
    asked: tuple[tuple[str, ...], ...]


KV = "kv.dtype_honoured"
CASES = {
    "healthy": Case(
        "deepseek", "", (("logprob.sequence",), ("nan.logits",), ("cache.repeat",), ("prompt.tokens",), (KV,))
    ),
    "values_first": Case("deepseek-values_first", "", (("logprob.sequence",), ("nan.logits",), (KV, "asked=fp8"))),
    "fp8": Case("deepseek", "--kv-cache-dtype fp8", (("logprob.sequence",), (KV, "asked=fp8"))),
}


@contextlib.contextmanager
def serving(case: Case, port: int, log: Path, given: argparse.Namespace) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server; end it when the block is left."""
    words = [given.python, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", str(port)]
    model = ["--model", str(given.models / case.model), "--served-model-name", "tiny"]
    options = shlex.split(f"{SMALL} {given.options} {case.options}")
    quiet = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_USE_FLASHINFER_SAMPLER": "0"}
    environment = os.environ | quiet | {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_LOGGING_LEVEL": "INFO"}
    environment.pop("PYTHONPATH", None)
    if given.site:
        environment["PYTHONPATH"] = str(given.site)
    with log.open("wb") as sink:
        started = subprocess.Popen(
            [*words, *model, *options], stdout=sink, stderr=subprocess.STDOUT, cwd=log.parent, env=environment
        )
    try:
        yield started
    finally:
        started.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(20)
        started.kill()


def ready(server: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until it answers; say whether it does."""
    for _ in range(PATIENCE * 2):
        if server.poll() is not None:
            return False
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
            return True
        time.sleep(0.5)
    return False


def ask(
    case: Case, port: int, necropsy: product.Product, where: list[str], models: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each probe's document."""
    for name, *sets in case.asked:
        told = [*sets, f"model={models / case.model}"] if name == KV else sets
        words = ["probe", "run", name, *where, "--server", f"http://127.0.0.1:{port}"]
        done = necropsy(*words, *(word for each in told for word in ("--set", each)), "--json")
        if done.stdout.startswith("{"):
            yield name, json.loads(done.stdout)["document"]


def main() -> None:
    """Start all, ask each in turn, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--models", type=Path, required=True, help="the folder that make_models.py wrote")
    parser.add_argument("--site", type=Path, help="the folder with vLLM, if the interpreter has none")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the servers")
    parser.add_argument("--options", default=GPU, help="of each server")
    parser.add_argument("--cases", default=",".join(CASES), help="which: %(default)s")
    given = parser.parse_args()
    given.out, given.models = given.out.absolute(), given.models.absolute()
    given.out.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp())
    necropsy = product.Product(given.out, work / "necropsy.db", "server.txt")
    file = product.targets(work / "targets.toml", product.Server(work), Path(sys.executable), work)
    where = ["--on", "h200", "--targets", str(file), "--python", sys.executable]
    chosen = {name: (CASES[name], PORT + at, work / f"{name}.log") for at, name in enumerate(given.cases.split(","))}
    found: dict[str, Any] = {}
    with contextlib.ExitStack() as servers:
        started = {name: servers.enter_context(serving(*each, given)) for name, each in chosen.items()}
        for name, (case, port, log) in chosen.items():
            begun, found[name] = ready(started[name], port), {}
            for probe, document in ask(case, port, necropsy, where, given.models) if begun else ():
                found[name][probe] = document
                (given.out / "server.json").write_text(json.dumps(found, indent=1))
            end = log.read_text("utf-8", "replace")[-6000:]
            necropsy.note(f"{name}: {'started' if begun else 'did not start'}\n{end}")
    for name, documents in found.items():
        for probe, document in documents.items():
            answers = [f"{each['hypothesis']} {each['answer']}" for each in document.get("findings", ())]
            print(name, probe, document["status"], document["detail"][-200:], *answers, sep="  ")  # noqa: T201


if __name__ == "__main__":
    main()
