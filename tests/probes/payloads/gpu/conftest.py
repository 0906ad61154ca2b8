"""Payloads as modules: their parts one by one, Triton's kernels by its interpreter where there is no GPU."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pytest

PAYLOADS = Path(__file__).parents[4] / "probes" / "payloads"
SHADOW = "payload_under_test_"


class LoadPayload(Protocol):
    def __call__(self, place: str) -> ModuleType: ...


@pytest.fixture(scope="session")
def load_payload() -> LoadPayload:
    """Return a payload file as a module of its own."""
    torch = pytest.importorskip("torch", reason="needs torch: make test-torch")
    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"

    def load(place: str) -> ModuleType:
        name = SHADOW + place.removesuffix(".py").replace("/", "_")
        spec = importlib.util.spec_from_file_location(name, PAYLOADS / place)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
