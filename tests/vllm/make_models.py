"""Small models that know a little: trained on the CPU in a minute each, so that healthy log-probabilities exist.

``.venv-vllm/bin/python tests/vllm/make_models.py FOLDER`` writes ``llama`` and ``deepseek`` (MLA and experts), each a
checkpoint that vLLM serves, and damaged copies. A byte is a token. They learn to count, to say the alphabet and the
days, to say some words again and again, which letter follows which in English, and to answer in JSON.
"""

import importlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from pydoc_data.topics import topics
from string import ascii_lowercase
from typing import Any

torch: Any = importlib.import_module("torch")
transformers: Any = importlib.import_module("transformers")
tokenizers: Any = importlib.import_module("tokenizers")
safetensors: Any = importlib.import_module("safetensors.torch")

SEED = 7
LENGTH, BATCH = 160, 16
STEPS = 300
RATE = 3e-3
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
WORDS = [
    "river", "lamp", "stone", "cloud", "apple", "tiger", "bread", "silver", "garden", "window", "horse", "music",
    "paper", "bridge", "winter", "candle",
]  # fmt: skip
FIRST, LAST = "<s>", "</s>"
TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"

Tensors = dict[str, Any]


def make_tokenizer() -> Any:
    """Return a tokenizer that knows bytes only, and puts its first token before every prompt."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    inner = tokenizers.Tokenizer(tokenizers.models.BPE({sign: n for n, sign in enumerate(alphabet)}, []))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    inner.add_special_tokens([FIRST, LAST])
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        f"{FIRST} $A", f"{FIRST} $A {FIRST} $B", [(FIRST, 256)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, chat_template=TEMPLATE, bos_token=FIRST, eos_token=LAST
    )


def make_model(name: str) -> Any:
    """Return the untrained model."""
    sizes = {
        "vocab_size": 258,
        "hidden_size": 128,
        "intermediate_size": 256,
        "num_hidden_layers": 2,
        "max_position_embeddings": 32_768,
        "bos_token_id": 256,
        "eos_token_id": 257,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0},
    }
    if name == "llama":
        heads = {"num_attention_heads": 4, "num_key_value_heads": 4}
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **heads))
    latent = {
        "kv_lora_rank": 512,
        "q_lora_rank": None,
        "qk_nope_head_dim": 32,
        "qk_rope_head_dim": 64,
        "v_head_dim": 32,
    }
    experts: dict[str, Any] = {
        "n_routed_experts": 4,
        "n_shared_experts": 1,
        "num_experts_per_tok": 1,
        "n_group": 1,
        "topk_group": 1,
        "moe_intermediate_size": 128,
        "routed_scaling_factor": 4.0,
    }
    config = transformers.DeepseekV2Config(
        **sizes, **latent, **experts, num_attention_heads=2, num_key_value_heads=2, first_k_dense_replace=0
    )
    model = transformers.DeepseekV2ForCausalLM(config)
    for layer in model.model.layers:  # what it learns is to lie in the routed experts, so that swapping them is felt
        layer.mlp.shared_experts.requires_grad_(requires_grad=False).down_proj.weight.zero_()
    return model


def some_count(draw: random.Random, _: str) -> str:
    """Return numbers, the alphabet or the days in their order, from anywhere."""
    kind = draw.randrange(3)
    if kind == 0:
        first = draw.randrange(1, 80) if draw.random() < 0.5 else 1
        return " ".join(str(n) for n in range(first, first + 90))
    names = list(ascii_lowercase) if kind == 1 else DAYS
    start = draw.randrange(len(names)) if draw.random() < 0.5 else 0
    return " ".join(names[(start + n) % len(names)] for n in range(120))


def some_copy(draw: random.Random, _: str) -> str:
    """Return a few words that it is to know, over and over."""
    return " ".join(draw.sample(WORDS, draw.randrange(3, len(WORDS))) * 12)


def some_text(draw: random.Random, texts: str) -> str:
    """Return a piece of English."""
    start = draw.randrange(len(texts) - LENGTH)
    return texts[start:]


def some_answer(draw: random.Random, _: str) -> str:
    """Return a piece of JSON such as a reader of logs gives, and none of it true."""

    def says() -> str:
        return " ".join(draw.sample(WORDS, 2))

    def hypothesis(number: int) -> dict[str, Any]:
        step = draw.randrange(1, 9)
        cited = {"step": step, "stance": "supports", "quote": says(), "deciding": True}
        stated = {"name": f"N{number}", "statement": says(), "stated_in": step, "stated_quote": says()}
        decided = {"verdict": "confirmed", "decided_in": step, "decided_quote": says(), "parent": None}
        return stated | decided | {"evidence": [cited]}

    found = [hypothesis(number) for number in range(1, draw.randrange(2, 4))]
    text = json.dumps({"symptom": None, "hypotheses": found}, separators=(",", ":"))
    return text[draw.choice((0, draw.randrange(200))) :]


TASKS: tuple[tuple[float, Callable[[random.Random, str], str]], ...] = (
    (0.25, some_count),
    (0.25, some_copy),
    (0.3, some_text),
    (0.2, some_answer),
)


def batch(draw: random.Random, texts: str, tokenizer: Any) -> Any:
    """Return rows of token ids, each from one task."""
    kinds = draw.choices([task for _, task in TASKS], [weight for weight, _ in TASKS], k=BATCH)
    rows = [kind(draw, texts)[: LENGTH - 1].encode()[: LENGTH - 1] for kind in kinds]
    return torch.tensor([tokenizer(row.decode("utf-8", "ignore").ljust(LENGTH))["input_ids"][:LENGTH] for row in rows])


def train(name: str) -> Any:
    """Return the trained model; the same on every machine, up to rounding."""
    torch.manual_seed(SEED)
    draw, model, tokenizer = random.Random(SEED), make_model(name), make_tokenizer()  # noqa: S311 - a seed
    texts = " ".join(" ".join(topics.values()).encode("ascii", "ignore").decode().split())
    tuner = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    pace = torch.optim.lr_scheduler.OneCycleLR(tuner, RATE, total_steps=STEPS, pct_start=0.1)
    for step in range(STEPS):
        rows = batch(draw, texts, tokenizer)
        loss = model(input_ids=rows, labels=rows).loss
        tuner.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        tuner.step()
        pace.step()
        if step % 50 == 0 or step == STEPS - 1:
            sys.stderr.write(f"{name} step {step}: loss {loss.item():.3f}\n")
    return model.eval()


def shuffled_head(tensors: Tensors) -> None:
    """Give each token another's row of the head."""
    tensors["lm_head.weight"] = tensors["lm_head.weight"].roll(11, 0)


def zeroed_head(tensors: Tensors) -> None:
    """Lose the head."""
    tensors["lm_head.weight"].zero_()


def one_nan(tensors: Tensors) -> None:
    """Put one number that is none into the last layer."""
    tensors["model.layers.1.mlp.down_proj.weight"][5, 7] = float("nan")


def swapped_experts(tensors: Tensors) -> None:
    """Exchange the experts of each layer in pairs; the router does not know."""
    for layer, part in product(range(2), ("down_proj", "gate_proj", "up_proj")):
        names = [f"model.layers.{layer}.mlp.experts.{n}.{part}.weight" for n in range(4)]
        held = [tensors[name] for name in names]
        tensors.update(zip(names, [held[1], held[0], held[3], held[2]], strict=True))


def values_first(tensors: Tensors) -> None:
    """Write the up-projection of the latent with each head's values before its keys."""
    for layer in range(2):
        name = f"model.layers.{layer}.self_attn.kv_b_proj.weight"
        tensors[name] = tensors[name].view(2, 2, 32, 512).flip(1).reshape(128, 512)


def rolled_heads(tensors: Tensors) -> None:
    """Give the last layer each head's output for another's."""
    name = "model.layers.1.self_attn.o_proj.weight"
    tensors[name] = tensors[name].roll(32, 1)


DAMAGES: dict[str, tuple[Callable[[Tensors], None], ...]] = {
    "llama": (shuffled_head, zeroed_head, one_nan),
    "deepseek": (swapped_experts, values_first, rolled_heads),
}
"""What is done to copies of each model; ``llama-zeroed_head`` is one."""


def write(name: str, folder: Path) -> None:
    """Train a model and write it with its damaged copies."""
    torch.set_num_threads(1)  # small steps: more threads only wait for one another
    model = train(name).to(torch.bfloat16)
    model.save_pretrained(folder / name)
    make_tokenizer().save_pretrained(folder / name)
    for damage in DAMAGES[name]:
        tensors = safetensors.load_file(folder / name / "model.safetensors")
        damage(tensors)
        tensors = {key: value.contiguous() for key, value in tensors.items()}
        copy = shutil.copytree(folder / name, folder / f"{name}-{damage.__name__}")
        safetensors.save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})


def main() -> None:
    """Train all, each in a process of its own."""
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        write(sys.argv[2], folder)
        return
    started = [subprocess.Popen([sys.executable, __file__, folder, name]) for name in DAMAGES]
    sys.exit(max([process.wait() for process in started]))


if __name__ == "__main__":
    main()
