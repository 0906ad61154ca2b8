#!/usr/bin/env python3
"""Write a small MLA model anew with heads of 128 numbers, as FlashAttention 3 wants them; it says what it said.

``python3 tests/gpu/pad_heads.py MODEL COPY``, with torch and safetensors. The new numbers are zeros; the scale of the
scores, which follows from the width of a query, is made good in the queries.
"""

import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

torch: Any = importlib.import_module("torch")
safetensors: Any = importlib.import_module("safetensors.torch")

WIDE = 128


def widened(part: Any, axis: int) -> Any:
    """Return heads with zeros after their numbers along an axis."""
    shape = list(part.shape)
    shape[axis] = WIDE - shape[axis]
    return torch.cat([part, part.new_zeros(shape)], axis)


def pad(tensors: dict[str, Any], config: dict[str, int]) -> None:
    """Change the tensors that know the width of a head."""
    heads, nope, value = (config[name] for name in ("num_attention_heads", "qk_nope_head_dim", "v_head_dim"))
    rope = config["qk_rope_head_dim"]
    scale = ((WIDE + rope) / (nope + rope)) ** 0.5
    for name, weight in tensors.items():
        if name.endswith("q_proj.weight"):
            plain, rotated = (weight * scale).view(heads, nope + rope, -1).split([nope, rope], 1)
            tensors[name] = torch.cat([widened(plain, 1), rotated], 1).flatten(0, 1)
        elif name.endswith("kv_b_proj.weight"):
            parts = weight.view(heads, nope + value, -1).split([nope, value], 1)
            tensors[name] = torch.cat([widened(part, 1) for part in parts], 1).flatten(0, 1)
        elif name.endswith("o_proj.weight"):
            tensors[name] = widened(weight.view(-1, heads, value), 2).flatten(1)


def main() -> None:
    """Copy the folder, then replace what changes."""
    source, copy = map(Path, sys.argv[1:])
    shutil.copytree(source, copy)
    config = json.loads((source / "config.json").read_text("utf-8"))
    tensors = safetensors.load_file(source / "model.safetensors")
    pad(tensors, config)
    kept = {name: tensor.contiguous() for name, tensor in tensors.items()}
    safetensors.save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    config.update(qk_nope_head_dim=WIDE, v_head_dim=WIDE, qk_head_dim=WIDE + config["qk_rope_head_dim"])
    (copy / "config.json").write_text(json.dumps(config))


if __name__ == "__main__":
    main()
