#!/usr/bin/env python3
"""tok.diff: whether a GGUF file's tokenizer and the one that the server uses give the same ids.

Compares vocabularies, merges and special tokens with nothing but Python; with the tokenizers package it also runs 200
strings through both. By hand: ``python3 diff.py --model FILE --tokenizer FOLDER``.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import mmap
import platform
import re
import struct
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "tok.diff",
    "summary": "Compare the tokenizer in a GGUF file with the server's tokenizer.json on vocabulary and 200 strings",
    "needs": ["model", "tokenizer"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "tokenizer", "kind": "path", "help": "the folder with tokenizer.json, or that file"},
    ],
    "hypotheses": {
        "tokenizer-differs": {
            "statement": "The GGUF file's tokenizer and the server's give different token ids for the same text",
            "terms": ["tokenizer", "tokenizer mismatch", "pre-tokenizer", "pretokenizer", "vocabulary", "token id",
                      "merges", "tokenization"],
        },
        "special-tokens-differ": {
            "statement": "Begin, end or chat template of the GGUF file and of the server's tokenizer differ",
            "terms": ["bos", "eos", "special token", "chat template", "double bos", "missing bos", "stop token"],
        },
    },
    "architectures": ["gguf"],
    "never_run": [],
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


# >>> gguf reader: the same lines in every payload that reads GGUF
TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17), 40: ("NVFP4", 64, 36), 41: ("Q1_0", 128, 18),
}  # fmt: skip
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
ARRAY = 9


class Tensor(NamedTuple):
    """Where a tensor lies; `shape` in the order of ggml: the fastest dimension first."""

    name: str
    shape: tuple[int, ...]
    type: str
    block: int
    size: int
    start: int
    shard: int


class Shard:
    """The header of one file. Strings of the vocabulary are hopped over, length by length; nothing is decoded."""

    def __init__(self, path: Path, number: int = 0) -> None:
        """Map the file and read its header."""
        with path.open("rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.path, self.order, self.at = path, "<", 4
        if self.data[:4] != b"GGUF":
            raise Missing(f"a GGUF file: {path} is none")
        self.order = "<" if self.data[4:6] != b"\0\0" else ">"
        _, tensors, fields = self.take("I"), self.take("Q"), self.take("Q")
        self.fields = {self.text(): self.value(self.take("I")) for _ in range(fields)}
        raw = [self.tensor() for _ in range(tensors)]
        align = int(self.fields.get("general.alignment", 32))
        base = -(-self.at // align) * align
        self.tensors = [Tensor(*head, base + offset, number) for head, offset in raw]

    def take(self, code: str) -> Any:
        """Return the next scalar."""
        (found,) = struct.unpack_from(self.order + code, self.data, self.at)
        self.at += struct.calcsize("=" + code)
        return found

    def text(self) -> str:
        """Return the next string."""
        length = self.take("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """Return the next value; of an array of strings, and of a long one, only (count, place)."""
        if kind in SCALARS:
            return self.take(SCALARS[kind])
        if kind != ARRAY:
            return self.text()
        inner, count, hop, data = self.take("I"), self.take("Q"), struct.Struct(self.order + "Q"), self.data
        at = self.at
        if inner in SCALARS:
            self.at += count * struct.calcsize("=" + SCALARS[inner])
            short = count <= 4096  # noqa: PLR2004 - one number a layer, not one a token
            return list(struct.unpack_from(f"{self.order}{count}{SCALARS[inner]}", data, at)) if short else (count, at)
        for _ in range(count):
            self.at += 8 + hop.unpack_from(data, self.at)[0]
        return (count, at)

    def tensor(self) -> tuple[tuple[str, tuple[int, ...], str, int, int], int]:
        """Return the next tensor's name, shape, type, block and size, and its offset."""
        name = self.text()
        shape = tuple(self.take("Q") for _ in range(self.take("I")))
        kind, offset = self.take("I"), self.take("Q")
        label, block, width = TYPES.get(kind, (f"type {kind}", 1, 0))
        return (name, shape, label, block, math.prod(shape) // block * width), offset


def shards(model: str | None) -> list[Shard]:
    """Return every shard of a model, given a file of it or their folder."""
    if not model:
        raise Missing("--model: a GGUF file")
    path = Path(model)
    path = min(path.glob("*.gguf"), default=path) if path.is_dir() else path
    if not path.is_file():
        raise Missing(f"--model: a GGUF file, {model} is none")
    split = re.match(r"(.*)-\d{5}-of-(\d{5})\.gguf$", path.name)
    names = [f"{split[1]}-{n + 1:05}-of-{split[2]}.gguf" for n in range(int(split[2]))] if split else [path.name]
    return [Shard(path.with_name(name), n) for n, name in enumerate(names) if path.with_name(name).is_file()]


def state(files: list[Shard]) -> dict[str, str]:
    """Return the status of a look at these files: degraded where shards are not here."""
    count = max(int(files[0].fields.get("split.count", 1)), 1)
    lacking = f"only {len(files)} of {count} shards are here" if len(files) < count else ""
    return {"status": "degraded" if lacking else "ok", "detail": lacking}


def role(name: str) -> str:
    """Return a tensor's name without the number of its layer."""
    return re.sub(r"\d+", "N", name)


# <<< gguf reader


CONTRACTION = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
THREE = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|" + REST
ONE = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|" + REST
CLASSIC = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DEEPSEEK = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"),
)  # fmt: skip
PRE = {
    "llama-bpe": (THREE,), "llama3": (THREE,), "llama-v3": (THREE,), "glm4": (THREE,), "chatglm-bpe": (THREE,),
    "qwen2": (ONE,), "gpt-2": (CLASSIC,), "deepseek-v3": DEEPSEEK,
}  # fmt: skip
"""How text is cut before the merges, by the name that a GGUF file gives it."""
WHOLE_WORDS = {"llama-bpe", "llama3", "llama-v3"}
CONTROL, USER = 3, 4
PIECES = (
    "1", "42", "2024", "1234567", "3.14159", "it's", "WE'LL", "don't've", "na\u00efve", "\u4f60\u597d\u4e16\u754c",
    "\u3053\u3093\u306b\u3061\u306f", "\U0001f44d\U0001f3fd", "\u0645\u0631\u062d\u0628\u0627", "for i in range(10):",
    "a_b->c[0] != nullptr;", "  two  spaces", "tab\tand\n\nlines", "\u00bd\u2082\u2163", "e\u0301",
    "https://example.org/?q=1&r=%20",
)  # fmt: skip
FRAMES = ("{}", " {}", "{}\n", "a{}b", "({})", "{} {}", "{}{}", "\n{}", "x = {};", "\u201c{}\u201d")
STRINGS = [frame.format(*[piece] * frame.count("{}")) for piece in PIECES for frame in FRAMES]


def strings(shard: Shard, field: str) -> list[str]:
    """Return an array of strings of the header."""
    if field not in shard.fields:
        return []
    count, shard.at = shard.fields[field]
    return [shard.text() for _ in range(count)]


def numbers(shard: Shard, field: str) -> list[int]:
    """Return an array of 32-bit numbers of the header."""
    found = shard.fields.get(field, [])
    return (
        list(struct.unpack_from(f"{shard.order}{found[0]}i", shard.data, found[1]))
        if isinstance(found, tuple)
        else found
    )


def vocabulary(raw: dict[str, Any]) -> dict[int, str]:
    """Return id -> token of a tokenizer.json."""
    listed = raw["model"]["vocab"]
    pairs = listed.items() if isinstance(listed, dict) else [(entry[0], n) for n, entry in enumerate(listed)]
    found = {int(number): token for token, number in pairs}
    found.update({int(added["id"]): added["content"] for added in raw.get("added_tokens", [])})
    return found


def differences(tokens: list[str], theirs: dict[int, str]) -> list[tuple[int, str | None, str | None]]:
    """Return (id, ours, theirs) where two vocabularies differ; padding that only the file has is none."""
    ours = dict(enumerate(tokens))
    padding = re.compile(r"\[PAD|<unused|<\|?(reserved|extra|dummy|placeholder)", re.IGNORECASE)
    return [
        (number, ours.get(number), theirs.get(number))
        for number in sorted(set(ours) | set(theirs))
        if ours.get(number) != theirs.get(number) and not (number not in theirs and padding.match(ours[number]))
    ]


def build(tokens: list[str], merges: list[str], kinds: list[int], pre: str) -> Any:
    """Return the file's tokenizer, as llama.cpp would run it."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers  # noqa: PLC0415 - optional on the host

    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    made = Tokenizer(models.BPE({t: n for n, t in enumerate(tokens)}, pairs, ignore_merges=pre in WHOLE_WORDS))
    cuts = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in PRE[pre]]
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([*cuts, level])
    named = dict(zip(tokens, kinds))
    made.add_special_tokens([AddedToken(t, normalized=False) for t, kind in named.items() if kind == CONTROL])
    made.add_tokens([AddedToken(t, normalized=False) for t, kind in named.items() if kind == USER])
    return made


def first_difference(ours: Any, theirs: Any) -> tuple[int, dict[str, Any] | None]:
    """Return how many of the strings differ, and the first that does."""
    pairs = [
        (text, ours.encode(text, add_special_tokens=False).ids, theirs.encode(text, add_special_tokens=False).ids)
        for text in STRINGS
    ]
    odd = [{"text": text, "file": left, "server": right} for text, left, right in pairs if left != right]
    return len(odd), odd[0] if odd else None


def controls(*, with_library: bool) -> list[dict[str, Any]]:
    """Return the comparison of a vocabulary with itself and with two ids swapped, and of two ways to cut digits."""
    tokens = ["a", "b", "c"]
    swapped = {0: "b", 1: "a", 2: "c"}
    cases = [
        ("a vocabulary against itself", "positive", differences(tokens, dict(enumerate(tokens))) == []),
        ("two ids swapped", "negative", [n for n, _, _ in differences(tokens, swapped)] == [0, 1]),
    ]
    if with_library:
        from tokenizers import pre_tokenizers  # noqa: PLC0415 - optional on the host

        small = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "42"]
        three, one = (build(small, ["4 2"], [1] * len(small), pre) for pre in ("glm4", "qwen2"))
        cases += [
            ("200 strings against themselves", "positive", first_difference(three, three)[0] == 0),
            ("digits cut otherwise", "negative", first_difference(three, one)[0] > 0),
        ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def specials(shard: Shard, folder: Path, theirs: dict[int, str]) -> list[str] | None:
    """Return how begin, end and template differ; None where the server's folder says nothing of them."""
    place = folder / "tokenizer_config.json"
    if not place.exists():
        return None
    config, found = json.loads(place.read_text("utf-8")), []
    for name in ("bos", "eos"):
        named, number = config.get(f"{name}_token"), shard.fields.get(f"tokenizer.ggml.{name}_token_id")
        wanted = named.get("content") if isinstance(named, dict) else named
        if wanted is not None and number is not None and theirs.get(number) != wanted:
            found.append(f"{name}: the file has id {number} ({theirs.get(number)}), the server {wanted}")
    added = shard.fields.get("tokenizer.ggml.add_bos_token")
    if None not in (added, config.get("add_bos_token")) and bool(added) != bool(config["add_bos_token"]):
        found.append(f"begin is added: the file says {bool(added)}, the server {config['add_bos_token']}")
    jinja = folder / "chat_template.jinja"
    template = jinja.read_text("utf-8") if jinja.exists() else config.get("chat_template")
    ours = shard.fields.get("tokenizer.chat_template")
    if isinstance(template, str) and ours is not None and template.strip() != str(ours).strip():
        found.append("the chat templates differ")
    return found


def ours_and_theirs(shard: Shard, place: Path) -> tuple[Any, Any, str]:
    """Return both tokenizers to run, or why they cannot be."""
    model, pre = shard.fields.get("tokenizer.ggml.model"), str(shard.fields.get("tokenizer.ggml.pre", "default"))
    if model != "gpt2" or pre not in PRE:
        return None, None, f"strings were not run: a {model} tokenizer with pre-tokenizer {pre!r} is not rebuilt here"
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional on the host
    except ImportError:
        return None, None, "strings were not run: the tokenizers package is not installed"
    parts = strings(shard, "tokenizer.ggml.tokens"), strings(shard, "tokenizer.ggml.merges")
    return build(*parts, numbers(shard, "tokenizer.ggml.token_type"), pre), Tokenizer.from_file(str(place)), ""


def conclude(key: str, faults: list[str] | None, unknown: str, sound: str) -> dict[str, Any]:
    """Return the answer: confirmed by any fault, inconclusive where something was not looked at."""
    answer = "confirmed" if faults else "inconclusive" if unknown else "refuted"
    return {"hypothesis": key, "answer": answer, "why": "; ".join(faults or []) or unknown or sound}


def faults_of(raw: dict[str, Any], shard: Shard, vocab: list[Any], strings_differ: tuple[Any, Any]) -> list[str]:
    """Return the differences as phrases: ids, merges, strings."""
    faults = []
    if vocab:
        faults.append(f"{len(vocab):,} ids differ, the first {vocab[0][0]}: {vocab[0][1]!r} and {vocab[0][2]!r}")
    theirs = [merge if isinstance(merge, str) else " ".join(merge) for merge in raw["model"].get("merges", [])]
    ours = strings(shard, "tokenizer.ggml.merges")
    for number, (left, right) in enumerate(itertools.zip_longest(ours, theirs) if ours else ()):
        if left != right:
            faults.append(f"merge {number}: {left!r} and {right!r}")
            break
    count, first = strings_differ
    return faults + ([f"{count} of {len(STRINGS)} strings differ, the first {first['text']!r}"] if first else [])


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Compare vocabulary, merges, strings and special tokens."""
    shard = shards(given.model)[0]
    place = Path(given.tokenizer or "")
    place = place / "tokenizer.json" if place.is_dir() else place
    if not given.tokenizer or not place.is_file():
        raise Missing("--tokenizer: a folder with tokenizer.json")
    raw = json.loads(place.read_text("utf-8"))
    theirs, tokens = vocabulary(raw), strings(shard, "tokenizer.ggml.tokens")
    vocab = differences(tokens, theirs)
    left, right, unknown = ours_and_theirs(shard, place)
    count, first = first_difference(left, right) if left else (None, None)
    special = specials(shard, place.parent, theirs)
    faults = faults_of(raw, shard, vocab, (count, first))
    unsaid = "" if special is not None else "no tokenizer_config.json"
    return {
        "status": "degraded" if unknown else "ok",
        "detail": unknown,
        "findings": [
            conclude("tokenizer-differs", faults, unknown, f"{len(tokens):,} tokens and {len(STRINGS)} strings agree"),
            conclude("special-tokens-differ", special, unsaid, "they agree"),
        ],
        "measurements": [
            {"name": "tokens in the file", "value": len(tokens), "unit": "tokens"},
            {"name": "tokens of the server", "value": len(theirs), "unit": "tokens"},
            {"name": "ids that differ", "value": len(vocab), "unit": "ids"},
            {"name": "strings that differ", "value": count, "unit": "strings"},
        ],
        "thresholds": [{"name": "strings that differ", "limit": 0, "unit": "strings", "passes": "equal"}],
        "controls": controls(with_library=left is not None),
        "sample": f"the whole vocabulary; {len(PIECES)} pieces in {len(FRAMES)} frames",
        "worst": first or ({"id": vocab[0][0], "file": vocab[0][1], "server": vocab[0][2]} if vocab else None),
        "details": {"pre": shard.fields.get("tokenizer.ggml.pre"), "model": shard.fields.get("tokenizer.ggml.model")},
    }


if __name__ == "__main__":
    main(measure)
