#!/usr/bin/env python3
"""Write a small GGUF file with the reference model's architecture, 1,809 tensors and plausible weights.

``python3 tests/gpu/model.py FILE``. The shapes keep the reference model's proportions (no K-quant fits the rows of
attn_k_b); the values are random, so nothing is said of any real model.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np

HIDDEN, HEADS, NOPE, ROPE, VALUE, RANK, QUERY = 256, 4, 192, 64, 256, 256, 256
EXPERTS, WIDE, NARROW, BLOCKS, DENSE, WORDS = 4, 512, 256, 79, 3, 512

FIELDS = {
    "block_count": BLOCKS,
    "leading_dense_block_count": DENSE,
    "nextn_predict_layers": 1,
    "embedding_length": HIDDEN,
    "expert_count": EXPERTS,
    "expert_used_count": 2,
    "expert_shared_count": 1,
    "expert_gating_func": 2,
    "attention.head_count": HEADS,
    "attention.head_count_kv": 1,
    "attention.q_lora_rank": QUERY,
    "attention.kv_lora_rank": RANK,
    "attention.key_length": RANK + ROPE,
    "attention.value_length": RANK,
    "attention.key_length_mla": NOPE + ROPE,
    "attention.value_length_mla": VALUE,
    "rope.dimension_count": ROPE,
}
ATTENTION: dict[str, tuple[int, ...]] = {
    "attn_norm": (HIDDEN,),
    "attn_q_a": (QUERY, HIDDEN),
    "attn_q_a_norm": (QUERY,),
    "attn_q_b": (HEADS * (NOPE + ROPE), QUERY),
    "attn_kv_a_mqa": (RANK + ROPE, HIDDEN),
    "attn_kv_a_norm": (RANK,),
    "attn_k_b": (HEADS, RANK, NOPE),
    "attn_v_b": (HEADS, VALUE, RANK),
    "attn_output": (HIDDEN, HEADS * VALUE),
    "ffn_norm": (HIDDEN,),
    "indexer.k_norm": (64,),
    "indexer.proj": (HEADS, HIDDEN),
    "indexer.attn_k": (64, HIDDEN),
    "indexer.attn_q_b": (HEADS * 64, QUERY),
}
DENSE_BLOCK = {"ffn_gate": (WIDE, HIDDEN), "ffn_up": (WIDE, HIDDEN), "ffn_down": (HIDDEN, WIDE)}
EXPERT_BLOCK: dict[str, tuple[int, ...]] = {
    "ffn_gate_inp": (EXPERTS, HIDDEN),
    "ffn_gate_exps": (EXPERTS, NARROW, HIDDEN),
    "ffn_up_exps": (EXPERTS, NARROW, HIDDEN),
    "ffn_down_exps": (EXPERTS, HIDDEN, NARROW),
    "ffn_gate_shexp": (NARROW, HIDDEN),
    "ffn_up_shexp": (NARROW, HIDDEN),
    "ffn_down_shexp": (HIDDEN, NARROW),
}
PREDICTION = {
    "nextn.eh_proj": (HIDDEN, 2 * HIDDEN),
    "nextn.enorm": (HIDDEN,),
    "nextn.hnorm": (HIDDEN,),
    "nextn.shared_head_norm": (HIDDEN,),
}


def tensors() -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each name and its shape in numpy's order."""
    yield "token_embd.weight", (WORDS, HIDDEN)
    yield "output_norm.weight", (HIDDEN,)
    yield "output.weight", (WORDS, HIDDEN)
    for number in range(BLOCKS):
        parts = ATTENTION | (DENSE_BLOCK if number < DENSE else EXPERT_BLOCK)
        parts |= PREDICTION if number == BLOCKS - 1 else {}
        yield from ((f"blk.{number}.{part}.weight", shape) for part, shape in parts.items())
        yield f"blk.{number}.indexer.k_norm.bias", (64,)
        if number >= DENSE:
            yield f"blk.{number}.exp_probs_b.bias", (EXPERTS,)


def write(path: Path) -> None:
    """Write the file: norms near 1 in F32, matrices of N(0, 0.02) in Q8_0."""
    source = np.random.default_rng(5)
    writer = gguf.GGUFWriter(path, "glm-dsa")
    for key, value in FIELDS.items():
        writer.add_uint32(f"glm-dsa.{key}", value)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{number}" for number in range(WORDS)])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    for name, shape in tensors():
        if len(shape) == 1:
            writer.add_tensor(name, source.normal(1, 0.02, shape).astype(np.float32))
        else:
            values = source.normal(0, 0.02, shape).astype(np.float32)
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
