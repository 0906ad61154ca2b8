#!/usr/bin/env python3
"""The whole product on one GPU host: an SSH server on loopback, the bundled session, replay, probes, report.

``python3 tests/gpu/product.py OUT --site SITE`` on the GPU host, with necropsy's own dependencies on PYTHONPATH and
vLLM unpacked in SITE. Writes OUT/report.md, OUT/report.json, OUT/fingerprint.json and OUT/product.txt (each command,
its exit code and what it printed). The server is asyncssh's; it runs a command as sshd would, by /bin/sh.
"""

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import sysconfig
import threading
import time
import venv
from pathlib import Path
from typing import Any

import asyncssh

ROOT = Path(__file__).parents[2]
SESSION = ROOT / "sessions" / "examples" / "glm5-blackwell.json"
ENTRY = "from tui.cli.entry import run; run()"
RECORDED = "/root/ml-env"


async def pass_on(source: Any, sink: Any) -> None:
    """Copy bytes from one stream to the other until the first ends."""
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while data := await source.read(1 << 16):
            sink.write(data)
            await sink.drain()


async def answer(process: "asyncssh.SSHServerProcess[bytes]") -> None:
    """Run one command line for a client."""
    pipe = asyncio.subprocess.PIPE
    words = ("/bin/sh", "-c", process.command or "true")
    child = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    assert child.stdin is not None

    async def feed(inlet: asyncio.StreamWriter) -> None:
        await pass_on(process.stdin, inlet)
        inlet.close()

    feeding = asyncio.create_task(feed(child.stdin))
    await asyncio.gather(pass_on(child.stdout, process.stdout), pass_on(child.stderr, process.stderr))
    process.exit(await child.wait())
    feeding.cancel()


class Server:
    """An SSH server on a free loopback port, with keys of its own, in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.ready = folder, 0, threading.Event()
        for name in ("host", "client"):
            key = asyncssh.generate_private_key("ssh-ed25519")
            key.write_private_key(folder / name)
            key.write_public_key(folder / f"{name}.pub")
            (folder / name).chmod(0o600)
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        if not self.ready.wait(30):
            sys.exit("the SSH server did not start")

    async def _serve(self) -> None:
        listener = await asyncssh.listen(
            "127.0.0.1", 0, server_host_keys=[self.folder / "host"],
            authorized_client_keys=str(self.folder / "client.pub"), process_factory=answer, encoding=None,
        )  # fmt: skip
        self.port = listener.get_port()
        public = (self.folder / "host.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {public}")
        self.ready.set()
        await listener.wait_closed()


def environment(site: Path, place: Path) -> Path:
    """Return the interpreter of an environment that has the host's torch and SITE's vLLM."""
    venv.create(place, system_site_packages=True, with_pip=False)
    (packages,) = place.glob("lib/python3.*/site-packages")
    (packages / "site.pth").write_text(f"{site}\n{sysconfig.get_path('purelib')}\n")
    return place / "bin" / "python3"


def targets(path: Path, server: Server, python: Path, site: Path) -> Path:
    """Write the targets file: this server, as `h200`, stands for the recorded host."""
    fields = {
        "host": "127.0.0.1", "port": server.port, "user": "root", "ssh_config": False,
        "identity": str(server.folder / "client"), "known_hosts": str(server.folder / "known_hosts"),
        "recorded": ["192.0.2.174"],
        "paths": [[f"{RECORDED}/lib/python3.12/site-packages", str(site)], [RECORDED, str(python.parents[1])]],
    }  # fmt: skip
    path.write_text("[targets.h200]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in fields.items()))
    return path


class Product:
    """The command line, as a person types it, each call noted."""

    def __init__(self, out: Path, store: Path, log: str = "product.txt") -> None:
        self.log = (out / log).open("w")
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self.environment = os.environ | {"PYTHONPATH": path, "NECROPSY_STORE": str(store), "COLUMNS": "120"}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        started = time.monotonic()
        command = [sys.executable, "-c", ENTRY, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        told = f"$ necropsy {' '.join(words)}\n[exit {done.returncode}, {time.monotonic() - started:.1f} s]\n"
        print(told, end="", flush=True)  # noqa: T201
        shown = done.stdout if len(done.stdout) < 6000 else done.stdout[:6000] + "\n[…]\n"
        self.note(f"{told}{shown}{done.stderr}")
        return done

    def note(self, text: str) -> None:
        """Write into the log."""
        self.log.write(f"{text}\n")
        self.log.flush()


def arguments(probe: str, model: Path) -> list[str]:
    """Return what a suggested probe needs beside its name, as the log and the host tell it; GPU probes need nothing."""
    family = probe.partition(".")[0]
    if probe == "backend.choice":
        return ["--set", "backend=TRITON_MLA"]
    return ["--model", str(model)] if family in {"gguf", "mla", "weights", "tok"} else []


def settle(product: Product, where: list[str], python: Path, model: Path) -> None:
    """Run each suggested probe for the hypothesis that it would settle."""
    suggested: list[dict[str, Any]] = json.loads(product("probe", "suggest", "latest", "--json").stdout)
    for each in suggested:
        words = ["probe", "run", each["probe"], *where, "--python", str(python), *arguments(each["probe"], model)]
        product(*words, "--for", f"latest:{each['hypothesis']}")


def main() -> None:
    """Serve, ingest, look, replay, probe, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--site", type=Path, required=True, help="the folder with vLLM")
    parser.add_argument("--work", type=Path, default=Path("/tmp/necropsy-product"), help="a folder for the store")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    given.work.mkdir(parents=True)
    python = environment(given.site, given.work / "ml-env")
    model = given.work / "glm.gguf"
    subprocess.run([sys.executable, str(ROOT / "tests" / "gpu" / "model.py"), str(model)], check=True)
    product = Product(given.out, given.work / "necropsy.db")
    file = targets(given.work / "targets.toml", Server(given.work), python, given.site)
    where = ["--on", "h200", "--targets", str(file)]
    product("ingest", str(SESSION))
    look = ["fingerprint", "h200", "--targets", str(file), "--python", str(python), "--site", str(given.site)]
    product(*look)
    (given.out / "fingerprint.json").write_text(product(*look, "--deep", "--json").stdout)
    product("replay", "latest", *where, "--dry-run")
    product("replay", "latest", *where, "--yes")
    settle(product, where, python, model)
    for form, name in (("md", "report.md"), ("json", "report.json"), ("html", "report.html")):
        product("report", "latest", "--format", form, "--output", str(given.out / name))
    product("journal", "verify")


if __name__ == "__main__":
    main()
