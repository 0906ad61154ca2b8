#!/usr/bin/env python3
"""backend.choice: which attention backend an installed vLLM would take on each GPU generation, and why not the others.

Reads vLLM's sources without importing it: the classes' own checks are taken out of their files and asked, with anything
that would need CUDA answered as unknown. So it needs no GPU. By hand: ``python3 choice.py --config FOLDER``.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import importlib.util
import inspect
import json
import platform
import re
import subprocess
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "backend.choice",
    "summary": "Say which attention backend the installed vLLM takes per compute capability, and why not the others",
    "needs": ["vllm"],
    "arguments": [
        {"name": "site", "kind": "path", "help": "the site-packages that vllm is in, if not this interpreter's"},
        {"name": "config", "kind": "path", "help": "the model's config.json, or its folder; else MLA, head 576"},
        {"name": "capability", "kind": "text", "help": "of the GPU in question, e.g. 12.0; else nvidia-smi is asked"},
        {"name": "backend", "kind": "text", "help": "the backend in use, e.g. TRITON_MLA; else the one that is chosen"},
        {"name": "kv", "kind": "text", "default": "auto", "help": "the server's --kv-cache-dtype"},
    ],
    "hypotheses": {
        "backend-unsupported": {
            "statement": "The attention backend in use does not support this GPU",
            "terms": ["attention backend", "triton mla", "triton_mla", "flashmla", "flashinfer mla", "mla backend",
                      "sm120", "compute capability", "backend selection"],
        },
        "kv-dtype-unsupported": {
            "statement": "The attention backend in use cannot read the KV cache dtype",
            "terms": ["kv cache dtype", "kv dtype", "kv cache", "kv-cache-dtype", "fp8 kv", "dtype of the cache",
                      "supported_kv_cache_dtypes"],
        },
    },
    "architectures": [],
    "never_run": ["sm100 and sm120: what the sources say, no such GPU was asked"],
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


CAPABILITIES = ("8.0", "8.9", "9.0", "10.0", "12.0")
KEEP = re.compile(r"supports_|supported_|get_supported_|is_mla$|is_sparse$|is_ssm$|validate_configuration$")
NARROW = 9
QUANTIZED = ("fp8", "int8", "int4", "nvfp4", "turboquant")


class Unknown(Exception):
    """A check needs something that only a running vLLM has."""


class Capability(NamedTuple):
    """What vLLM calls DeviceCapability."""

    major: int
    minor: int

    def to_int(self) -> int:
        """Return 90 for 9.0."""
        return self.major * 10 + self.minor

    def as_version_str(self) -> str:
        """Return 9.0."""
        return f"{self.major}.{self.minor}"


class MultipleOf:
    """A block size: any multiple of `base`."""

    def __init__(self, base: int) -> None:
        """Keep the base."""
        self.base = base


class Foreign:
    """Stands for whatever vLLM imports; asking it anything is unknown."""

    def __init__(self, name: str) -> None:
        """Keep the name for the answer."""
        self.name = name

    def __getattr__(self, name: str) -> Foreign:
        """Return a part of it."""
        return Foreign(f"{self.name}.{name}")

    def __call__(self, *_: object, **__: object) -> Any:
        """Give up."""
        raise Unknown(self.name)

    __bool__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __iter__ = __call__


class Sources:
    """The classes of an installed vLLM, rebuilt from their files with nothing but what says what they support."""

    def __init__(self, root: Path, model: dict[str, Any] | None) -> None:
        """Look under `root` (the folder that holds vllm); `model` is the configuration that checks may ask for."""
        self.root = root
        self.built: dict[str, type] = {}
        self.trees: dict[str, ast.Module] = {}
        asked = SimpleNamespace(**(model or {}))
        held = SimpleNamespace(hf_text_config=asked, hf_config=asked) if model else None
        kinds = ("float16", "bfloat16", "float32", "half", "uint8", "dtype")
        types = ("DECODER", "ENCODER", "ENCODER_ONLY", "ENCODER_DECODER")
        self.known: dict[str, Any] = {
            "torch": SimpleNamespace(**{kind: "torch." + kind for kind in kinds}),
            "MultipleOf": MultipleOf,
            "DeviceCapability": Capability,
            "AttentionType": SimpleNamespace(**{kind: kind.lower() for kind in types}),
            "is_quantized_kv_cache": lambda kind: str(kind).startswith(QUANTIZED),
            "get_current_vllm_config": lambda: SimpleNamespace(model_config=held),
            "get_current_vllm_config_or_none": lambda: SimpleNamespace(model_config=held),
        }

    def tree(self, module: str) -> ast.Module:
        """Return a module's syntax tree."""
        if module not in self.trees:
            path = self.root / (module.replace(".", "/") + ".py")
            path = path if path.exists() else path.with_suffix("") / "__init__.py"
            self.trees[module] = ast.parse(path.read_text("utf-8"))
        return self.trees[module]

    def names(self, module: str) -> dict[str, Any]:
        """Return what stands for a module's imported names; those that checks are known to need are real."""
        found: dict[str, Any] = {"__builtins__": dict(vars(builtins), __import__=self.fetch), "__name__": module}
        for node in ast.walk(self.tree(module)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    found[name] = self.known.get(name, Foreign(name))
        return dict(found, **self.known)

    def fetch(self, name: str, *_: object) -> Any:
        """Stand for import inside a check: vLLM and what is installed are not loaded, what is missing is missing."""
        if name.partition(".")[0] != "vllm" and importlib.util.find_spec(name.partition(".")[0]) is None:
            raise ImportError(name)
        held = Foreign(name)
        held.__dict__.update(self.known)
        return held

    def load(self, module: str, name: str) -> type:
        """Return the rebuilt class."""
        if name in self.built:
            return self.built[name]
        tree, scope = self.tree(module), self.names(module)
        node = next((each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name), None)
        if node is None:
            return object
        bases = [self.base(tree, module, each) for each in node.bases]
        body: dict[str, Any] = {}
        for statement in node.body:
            kept = bare(statement)
            with contextlib.suppress(Unknown, NameError, TypeError, AttributeError):
                if kept is not None:
                    code = compile(ast.fix_missing_locations(ast.Module([kept], [])), module, "exec")
                    exec(code, scope, body)  # noqa: S102 - what importing the installed vLLM would run as well
        self.built[name] = type(name, tuple(base for base in bases if base is not object), body)
        return self.built[name]

    def base(self, tree: ast.Module, module: str, node: ast.expr) -> type:
        """Return a base class: of the same file, or of the vLLM file that it is imported from."""
        node = node.value if isinstance(node, ast.Subscript) else node
        name = node.id if isinstance(node, ast.Name) else ""
        for each in tree.body:
            if isinstance(each, ast.ImportFrom) and name in {alias.name for alias in each.names}:
                return self.load(str(each.module), name) if str(each.module).startswith("vllm") else object
        return self.load(module, name) if name else object


def bare(node: ast.stmt) -> ast.stmt | None:
    """Return a class's statement without annotations, if it is one of those that say what is supported."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        node = ast.copy_location(ast.Assign([node.target], node.value), node)
    if isinstance(node, ast.Assign):
        return node if isinstance(node.targets[0], ast.Name) and KEEP.match(node.targets[0].id) else None
    if not isinstance(node, ast.FunctionDef) or not KEEP.match(node.name):
        return None
    return plain(node)


def plain(node: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function without annotations, and without decorators other than classmethod and staticmethod."""
    node.returns = None
    for argument in node.args.args + node.args.kwonlyargs:
        argument.annotation = None
    wanted = {"classmethod", "staticmethod"}
    node.decorator_list = [each for each in node.decorator_list if isinstance(each, ast.Name) and each.id in wanted]
    return node


def ask(backend: type, given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the reasons against a backend, and the checks that could not be made."""
    unknown: list[str] = []

    def guard(name: str, check: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*words: Any, **named: Any) -> Any:
            try:
                return check(*words, **named)
            except Exception as error:  # noqa: BLE001 - a check that fails here is one that is not known
                unknown.append(f"{name} needs {error}")
                return None if name == "supports_combination" else True

        return answer

    names = [name for name in dir(backend) if name.startswith("supports_") and callable(getattr(backend, name))]
    guarded: Any = type(backend.__name__, (backend,), {n: staticmethod(guard(n, getattr(backend, n))) for n in names})
    if not hasattr(guarded, "validate_configuration"):
        return [], ["it has no validate_configuration"]
    wanted = set(inspect.signature(guarded.validate_configuration).parameters)
    whole = guard("validate_configuration", guarded.validate_configuration)
    reasons = whole(**{key: value for key, value in given.items() if key in wanted})
    return reasons if isinstance(reasons, list) else [], unknown


def priorities(sources: Sources, given: dict[str, Any]) -> list[str]:
    """Return the backends in the order in which vLLM tries them."""
    module = "vllm.platforms.cuda"
    body = sources.tree(module).body
    node = next(each for each in body if isinstance(each, ast.FunctionDef) and each.name == "_get_backend_priorities")
    scope = sources.names(module)
    scope["AttentionBackendEnum"] = type("Names", (), {"__getattr__": lambda _, name: name})()
    exec(compile(ast.Module([plain(node)], []), module, "exec"), scope)  # noqa: S102 - as above
    function = scope["_get_backend_priorities"]
    wanted = set(inspect.signature(function).parameters)
    return list(function(**{key: value for key, value in given.items() if key in wanted}))


def paths(sources: Sources) -> dict[str, str]:
    """Return backend -> path of its class, from the registry."""
    tree = sources.tree("vllm.v1.attention.backends.registry")
    enum = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "AttentionBackendEnum")
    pairs = [(each.targets[0], each.value) for each in enum.body if isinstance(each, ast.Assign)]
    return {name.id: str(ast.literal_eval(value) or "") for name, value in pairs if isinstance(name, ast.Name)}


def model_of(given: str | None) -> dict[str, Any]:
    """Return the model's configuration; without one an MLA model with a latent of 512 and a rope part of 64."""
    if not given:
        return {}
    path = Path(given) / "config.json" if Path(given).is_dir() else Path(given)
    raw: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return dict(raw, **raw.get("text_config", {}))


def request(model: dict[str, Any], kv: str) -> dict[str, Any]:
    """Return what vLLM would ask its backends for this model."""
    mla = "kv_lora_rank" in model or not model
    heads = int(model.get("num_attention_heads", 64))
    size = int(model.get("kv_lora_rank", 512)) + int(model.get("qk_rope_head_dim", 64))
    plain_size = int(model.get("head_dim") or int(model.get("hidden_size", 4096)) // heads)
    kind = model.get("torch_dtype") or model.get("dtype") or "bfloat16"
    return {
        "head_size": size if mla else plain_size, "dtype": f"torch.{kind}", "kv_cache_dtype": kv, "block_size": None,
        "use_mla": mla, "has_sink": False, "use_sparse": "index_topk" in model, "use_mm_prefix": False,
        "use_per_head_quant_scales": False, "attn_type": "decoder", "num_heads": heads,
    }  # fmt: skip


def table(sources: Sources, wanted: dict[str, Any], capability: str) -> dict[str, dict[str, Any]]:
    """Return backend -> usable (yes, no, unknown) and why, in order, for one compute capability."""
    given = dict(wanted, device_capability=Capability(*map(int, capability.split("."))))
    places, found = paths(sources), {}
    for name in priorities(sources, given):
        module, _, cls = places.get(name, "").rpartition(".")
        try:
            reasons, unknown = ask(sources.load(module, cls), given)
        except (OSError, SyntaxError, TypeError) as error:
            reasons, unknown = [], [f"its source: {error}"]
        usable = "no" if reasons else "unknown" if unknown else "yes"
        found[name] = {"usable": usable, "why": reasons or sorted(set(unknown))}
    return found


def chosen(found: dict[str, dict[str, Any]]) -> str:
    """Return the first backend that is usable, after those of a higher rank that may be."""
    names: list[str] = []
    for name, said in found.items():
        if said["usable"] == "yes":
            return ", else ".join([*names, name])
        if said["usable"] == "unknown":
            names.append(f"perhaps {name}")
    return ", else ".join([*names, "none"])


def place(site: str | None) -> Path:
    """Return the folder that vllm is in, without importing it."""
    if site:
        root = Path(site)
    else:
        spec = importlib.util.find_spec("vllm")
        root = Path(str(spec.origin)).parents[1] if spec and spec.origin else Path("/nowhere")
    if not (root / "vllm/v1/attention/backends/registry.py").exists():
        raise Missing("vllm, 0.16 or newer, installed here or in --site")
    return root


def this_gpu() -> str | None:
    """Return the compute capability that nvidia-smi tells."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        words = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
        done = subprocess.run(words, capture_output=True, timeout=5, check=True)  # noqa: S603 - fixed words
        return done.stdout.decode().split("\n")[0].strip() or None
    return None


def judge(name: str | None, capability: str | None, found: dict[str, Any], kv: str) -> list[dict[str, Any]]:
    """Return the two findings on the backend in use; where none can be in use, that is the finding."""
    said = found.get(name or "", {"usable": "unknown", "why": ["it is not among those that are tried"]})
    others = [other for other, each in found.items() if each["usable"] != "no" and other != name]
    if name is None:
        said = {"usable": "unknown", "why": ["which one cannot be told without the GPU's driver, and none was named"]}
    why = f"{name or 'the one in use'} on {capability}: {'; '.join(said['why']) or 'accepted'}"
    why += f"; others that may do: {', '.join(others) or 'none'}"
    if found and not others and name is None:
        reasons = "; ".join(f"{other}: {', '.join(each['why'])}" for other, each in found.items())
        said, why = {"usable": "no", "why": [reasons]}, f"none is left on {capability}: {reasons}"
    findings = []
    for key, word in (("backend-unsupported", "capability"), ("kv-dtype-unsupported", "kv_cache_dtype")):
        against = said["usable"] == "no" and any(word in reason for reason in said["why"])
        unsure = not capability or said["usable"] == "unknown"
        answer = "inconclusive" if unsure else "confirmed" if against else "refuted"
        more = f"; KV cache {kv}" if "kv" in key else "; that a class accepts a GPU does not prove its numbers"
        findings.append({"hypothesis": key, "answer": answer, "why": why + more})
    return findings


def controls(sources: Sources, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers of a made-up class that takes capability 9 only, and of one that asks a running vLLM."""
    base = sources.load("vllm.v1.attention.backend", "AttentionBackend")
    checks: dict[str, Callable[..., Any]] = {
        "supports_compute_capability": lambda given: given.to_int() // 10 == NARROW,
        "is_mla": lambda: wanted["use_mla"],
        "is_sparse": lambda: wanted["use_sparse"],
    }
    narrow = type("Narrow", (base,), {name: staticmethod(check) for name, check in checks.items()})
    curious = type("Curious", (narrow,), {"supports_combination": Foreign("a driver")})
    easy = dict(wanted, kv_cache_dtype="auto", dtype="torch.bfloat16")
    on = {major: dict(easy, device_capability=Capability(major, 0)) for major in (NARROW, NARROW + 3)}
    refused, _ = ask(narrow, on[NARROW + 3])
    cases = [
        ("accepted on 9.0", "positive", ask(narrow, on[NARROW]) == ([], [])),
        ("refused on 12.0", "negative", any("capability" in reason for reason in refused)),
        ("unknown where a driver is needed", "negative", bool(ask(curious, on[NARROW])[1])),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Ask every backend for every compute capability."""
    root, model = place(given.site), model_of(given.config)
    sources, wanted = Sources(root, model), request(model, given.kv)
    capability = given.capability or this_gpu()
    asked = sorted({*CAPABILITIES, *([capability] if capability else [])}, key=float)
    found = {each: table(sources, wanted, each) for each in asked}
    choice = chosen(found[capability]) if capability else None
    name = given.backend or (choice if choice in paths(sources) else None)
    versions = [each.name.split("-")[1].rpartition(".")[0] for each in root.glob("vllm-*.dist-info")]
    return {
        "findings": judge(name, capability, found.get(capability or "", {}), given.kv),
        "measurements": [
            {"name": "vllm", "value": versions[0] if versions else "unknown"},
            *({"name": f"chosen on {each}", "value": chosen(said)} for each, said in found.items()),
        ],
        "controls": controls(sources, wanted),
        "sample": "asked for: " + ", ".join(f"{key} {value}" for key, value in wanted.items()),
        "details": {"backends": found, "root": str(root)},
    }


if __name__ == "__main__":
    main(measure)
