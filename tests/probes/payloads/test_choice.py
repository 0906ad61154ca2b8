"""backend.choice on a small package with vLLM's outline: its own checks decide, and nothing of it is imported."""

import json
from pathlib import Path
from typing import Any

import pytest

PLACE = "backend/choice.py"
LINES = "raise SystemError('nobody may import this')\n"

REGISTRY = """
class AttentionBackendEnum(Enum):
    WIDE_MLA = "vllm.v1.attention.backends.mla.wide.WideBackend"
    NARROW_MLA = (
        "vllm.v1.attention.backends.mla.narrow."
        "NarrowBackend"
    )
    SPARSE_MLA = "vllm.v1.attention.backends.mla.narrow.SparseBackend"
    PLAIN = "vllm.v1.attention.backends.plain.PlainBackend"
    CUSTOM = None
"""

BASE = """
class AttentionBackend(ABC):
    supported_dtypes: ClassVar[list[torch.dtype]] = [torch.float16, torch.bfloat16]
    supported_kv_cache_dtypes: ClassVar[list["CacheDType"]] = ["auto", "bfloat16"]

    @classmethod
    def is_mla(cls) -> bool:
        return False

    @classmethod
    def is_sparse(cls) -> bool:
        return False

    @classmethod
    def supports_kv_cache_dtype(cls, kind: "CacheDType | None") -> bool:
        return kind in cls.supported_kv_cache_dtypes

    @classmethod
    def supports_compute_capability(cls, capability: "DeviceCapability") -> bool:
        return True

    @classmethod
    def supports_combination(cls, head_size, use_mla) -> str | None:
        return None

    @classmethod
    def validate_configuration(
        cls, head_size: int, dtype: torch.dtype, kv_cache_dtype, use_mla, use_sparse, device_capability: Absent
    ) -> list[str]:
        reasons = []
        if dtype not in cls.supported_dtypes:
            reasons.append("dtype not supported")
        if not cls.supports_kv_cache_dtype(kv_cache_dtype):
            reasons.append("kv_cache_dtype not supported")
        if use_mla != cls.is_mla():
            reasons.append("MLA not supported" if use_mla else "non-MLA not supported")
        if use_sparse != cls.is_sparse():
            reasons.append("sparse not supported" if use_sparse else "non-sparse not supported")
        if not cls.supports_compute_capability(device_capability):
            reasons.append("compute capability not supported")
        said = cls.supports_combination(head_size, use_mla)
        return reasons + ([said] if said else [])
"""

WIDE = """
from vllm.v1.attention.backend import AttentionBackend
from vllm.secret import loaded

class Common(AttentionBackend):
    @classmethod
    def is_mla(cls) -> bool:
        return True

class WideBackend(Common[Metadata]):
    supported_kv_cache_dtypes: ClassVar[list[CacheDType]] = ["auto", "bfloat16", "fp8"]
"""

NARROW = """
from vllm.v1.attention.backends.mla.wide import Common
from vllm.kernels import driver_allows

class NarrowBackend(Common):
    @classmethod
    def supports_compute_capability(cls, capability: DeviceCapability) -> bool:
        return capability.major == 9

    @classmethod
    def supports_combination(cls, head_size, use_mla) -> str | None:
        return None if driver_allows() else "the driver refuses"

class SparseBackend(Common):
    @classmethod
    def is_sparse(cls) -> bool:
        return True

    @classmethod
    def supports_compute_capability(cls, capability: DeviceCapability) -> bool:
        return capability >= DeviceCapability(9, 0) and capability.major != 12

    @classmethod
    def supports_combination(cls, head_size, use_mla) -> str | None:
        from vllm.config import get_current_vllm_config

        config = get_current_vllm_config().model_config
        wanted = getattr(config.hf_text_config, "qk_nope_head_dim", 1) if config is not None else 128
        return None if wanted in [128, 192] else f"needs a head of 128 or 192, not {wanted}"
"""

PLAIN = """
from vllm.v1.attention.backend import AttentionBackend
class PlainBackend(AttentionBackend):
    pass
"""

CUDA = """
@cache
def _get_backend_priorities(use_mla: bool, device_capability: DeviceCapability) -> list[AttentionBackendEnum]:
    if use_mla:
        return [AttentionBackendEnum.NARROW_MLA, AttentionBackendEnum.WIDE_MLA, AttentionBackendEnum.SPARSE_MLA]
    return [AttentionBackendEnum.PLAIN]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site-packages folder with that package; importing any file of it would fail."""
    root = tmp_path_factory.mktemp("site")
    modules = {
        "vllm/__init__.py": "",
        "vllm/platforms/cuda.py": CUDA,
        "vllm/v1/attention/backend.py": BASE,
        "vllm/v1/attention/backends/registry.py": REGISTRY,
        "vllm/v1/attention/backends/plain.py": PLAIN,
        "vllm/v1/attention/backends/mla/wide.py": WIDE,
        "vllm/v1/attention/backends/mla/narrow.py": NARROW,
    }
    for name, text in modules.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(LINES + text)
    (root / "vllm-9.9.9.dist-info").mkdir()
    return root


def chosen(document: Any) -> dict[str, Any]:
    return {each.name: each.value for each in document.measurements}


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def config(tmp_path: Path, **fields: Any) -> tuple[str, str]:
    (tmp_path / "config.json").write_text(json.dumps(fields))
    return "--config", str(tmp_path)


def test_each_capability_gets_its_backend(run_payload: Any, site: Path) -> None:
    document = run_payload(PLACE, "--site", str(site), "--capability", "12.0")
    assert chosen(document) == {
        "vllm": "9.9.9",
        "chosen on 8.0": "WIDE_MLA",
        "chosen on 8.9": "WIDE_MLA",
        "chosen on 9.0": "perhaps NARROW_MLA, else WIDE_MLA",
        "chosen on 10.0": "WIDE_MLA",
        "chosen on 12.0": "WIDE_MLA",
    }
    assert document.details["backends"]["9.0"]["NARROW_MLA"] == {
        "usable": "unknown",
        "why": ["supports_combination needs driver_allows"],
    }
    assert document.details["backends"]["12.0"]["NARROW_MLA"]["why"] == ["compute capability not supported"]
    assert answers(document) == {"backend-unsupported": "refuted", "kv-dtype-unsupported": "refuted"}
    assert document.never_run


def test_a_backend_that_refuses_the_gpu_is_confirmed(run_payload: Any, site: Path) -> None:
    document = run_payload(PLACE, "--site", str(site), "--capability", "12.0", "--backend", "NARROW_MLA")
    assert answers(document) == {"backend-unsupported": "confirmed", "kv-dtype-unsupported": "refuted"}
    assert document.findings[0].why.startswith(
        "NARROW_MLA on 12.0: compute capability not supported; others that may do: WIDE"
    )


def test_a_kv_dtype_that_it_cannot_read_is_confirmed(run_payload: Any, site: Path) -> None:
    words = ("--site", str(site), "--capability", "10.0", "--backend")
    assert answers(run_payload(PLACE, *words, "WIDE_MLA", "--kv", "fp8"))["kv-dtype-unsupported"] == "refuted"
    narrow = run_payload(PLACE, *words, "NARROW_MLA", "--kv", "fp8")
    assert answers(narrow) == {"backend-unsupported": "confirmed", "kv-dtype-unsupported": "confirmed"}


def test_a_check_that_needs_a_driver_is_unknown(run_payload: Any, site: Path) -> None:
    document = run_payload(PLACE, "--site", str(site), "--capability", "9.0", "--backend", "NARROW_MLA")
    assert set(answers(document).values()) == {"inconclusive"}


MLA = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_topk": 2048}


def test_a_sparse_model_may_find_none(run_payload: Any, site: Path, tmp_path: Path) -> None:
    words = config(tmp_path, qk_nope_head_dim=192, **MLA)
    document = run_payload(PLACE, "--site", str(site), "--capability", "12.0", *words)
    assert (chosen(document)["chosen on 12.0"], chosen(document)["chosen on 10.0"]) == ("none", "SPARSE_MLA")
    assert answers(document)["backend-unsupported"] == "confirmed"
    assert document.findings[0].why.startswith("none is left on 12.0: NARROW_MLA: sparse not supported")


def test_checks_see_the_models_configuration(run_payload: Any, site: Path, tmp_path: Path) -> None:
    words = config(tmp_path, qk_nope_head_dim=64, **MLA)
    document = run_payload(PLACE, "--site", str(site), "--capability", "10.0", *words)
    assert document.details["backends"]["10.0"]["SPARSE_MLA"]["why"] == ["needs a head of 128 or 192, not 64"]


def test_a_plain_model_asks_the_plain_backends(run_payload: Any, site: Path, tmp_path: Path) -> None:
    words = config(tmp_path, hidden_size=1024, num_attention_heads=8, torch_dtype="float32")
    document = run_payload(PLACE, "--site", str(site), "--capability", "9.0", *words)
    assert document.details["backends"]["9.0"] == {"PLAIN": {"usable": "no", "why": ["dtype not supported"]}}
