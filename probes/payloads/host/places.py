#!/usr/bin/env python3
"""host.places: where this machine keeps interpreters, their packages, and models.

Stdlib only; looks into a fixed set of folders, a few levels deep, and starts nothing. By hand: ``python3 places.py``,
any Python from 3.8.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from typing import Any, Callable

PROBE: dict[str, Any] = {
    "name": "host.places",
    "summary": "Say where this machine keeps interpreters, their packages, and models",
    "needs": [],
    "arguments": [
        {"name": "under", "kind": "path", "default": "/", "help": "look into the usual folders below this one"},
    ],
    "hypotheses": {},
    "architectures": [],
    "never_run": ["a host with a parallel file system: folders there may take long to list"],
}


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


HOMES = ("root", "home/*")
"""Folders that people keep things in, below the folder that is looked into."""
ENVIRONMENTS = (
    "usr", "usr/local", "opt/*", "opt/*/*", "opt/*/envs/*", "srv/*", "workspace/*", "data/*", "venv", ".venv",
    *(f"{home}/{rest}" for home in HOMES for rest in ("*", ".*", "*/*", "*/.*", "*/envs/*", ".pyenv/versions/*")),
)  # fmt: skip
MODELS = (
    "models", "data", "opt", "mnt/*", "srv", "workspace", "scratch",
    *(f"{home}/{rest}" for home in HOMES for rest in ("", "models", ".cache/huggingface/hub")),
)  # fmt: skip
WEIGHTS = (".gguf", ".safetensors")
DEEPEST, MOST_FILES, MOST_FOLDERS = 4, 64, 20000
"""Levels below a folder for models, weights named of one folder, and folders looked into in all."""


def environments(under: Path) -> list[dict[str, Any]]:
    """Return every folder that has an interpreter, with its version, its site-packages and the names in there."""
    found: dict[str, dict[str, Any]] = {}
    for pattern in ENVIRONMENTS:
        for prefix in sorted(under.glob(pattern)):
            if not os.access(prefix / "bin" / "python3", os.X_OK):
                continue
            for site in sorted(
                [*prefix.glob("lib/python3.*/site-packages"), *prefix.glob("lib/python3*/dist-packages")]
            ):
                if not os.access(site, os.R_OK | os.X_OK):
                    continue
                names = sorted({entry.name.partition("-")[0].lower() for entry in site.iterdir()})
                version = next((part[6:] for part in site.parts if part.startswith("python3.")), "")
                found[str(site)] = {"prefix": str(prefix), "version": version, "site": str(site), "packages": names}
    return list(found.values())


def models(under: Path) -> list[dict[str, Any]]:
    """Return every folder with weights or a model's config, with the names of the weights."""
    found: dict[str, dict[str, Any]] = {}
    left = MOST_FOLDERS
    for pattern in MODELS:
        for top in sorted(under.glob(pattern)):
            for folder, below, files in os.walk(str(top)):
                left -= 1
                deep = len(Path(folder).parts) - len(top.parts) >= DEEPEST
                below[:] = (
                    [] if deep or left <= 0 else sorted(n for n in below if n not in {"proc", "sys", "site-packages"})
                )
                weights = sorted(name for name in files if name.endswith(WEIGHTS))
                if weights or {"config.json", "tokenizer.json"} <= set(files):
                    found[folder] = {"folder": folder, "files": weights[:MOST_FILES]}
    return list(found.values())


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Return what is kept where."""
    kept = {"environments": environments(Path(given.under)), "models": models(Path(given.under))}
    return {
        "measurements": [{"name": name, "value": len(found), "unit": "folders"} for name, found in kept.items()],
        "sample": f"the usual folders below {given.under}",
        "details": kept,
    }


if __name__ == "__main__":
    main(measure)
