"""What a live host keeps where, held against the paths of a log: one place is proposed, of several none."""

from pathlib import Path

import pytest

from probes import catalogue, places, runner
from probes.host import local

RECORDED = (
    "/root/ml-env/bin/python3",
    "sed -n 1,20p /root/ml-env/lib/python3.12/site-packages/vllm/v1/engine.py",
    "/root/models/GLM-5/glm-5-00001-of-00010.gguf",
    "/usr/bin/python3",
)


def environment(prefix: Path, version: str, *packages: str) -> None:
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python3").touch(mode=0o755)
    for name in packages:
        (prefix / "lib" / f"python{version}" / "site-packages" / name).mkdir(parents=True)


def weights(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()


async def proposed(root: Path) -> dict[str, tuple[str, ...]]:
    """Look through `root` on this machine by the real probe, and say where the recorded prefixes may lie below it."""
    async with local.connect() as host:
        report = await runner.run(host, catalogue.named("host.places"), {"under": str(root)})
    assert report.document.status == "ok", report.document.detail
    found = places.propose(RECORDED, report.document.details)
    return {one.recorded: tuple(there.removeprefix(str(root)) for there in one.there) for one in found}


async def test_one_place_that_fits_is_proposed(tmp_path: Path) -> None:
    environment(tmp_path / "opt" / "venv", "3.12", "vllm", "torch")
    environment(tmp_path / "opt" / "plain", "3.12", "pip")
    environment(tmp_path / "opt" / "old", "3.10", "vllm")
    weights(tmp_path / "data" / "llm" / "GLM-5", "glm-5-00001-of-00010.gguf")
    weights(tmp_path / "data" / "llm" / "other", "other.gguf")
    assert await proposed(tmp_path) == {
        "/root/ml-env": ("/opt/venv",), "/root/models/GLM-5": ("/data/llm/GLM-5",),
    }  # fmt: skip


async def test_of_several_that_fit_none_is_chosen(tmp_path: Path) -> None:
    environment(tmp_path / "opt" / "venv", "3.12", "vllm")
    environment(tmp_path / "home" / "ops" / "venv2", "3.12", "vllm")
    weights(tmp_path / "models" / "a", "glm-5-00001-of-00010.gguf")
    weights(tmp_path / "mnt" / "nvme" / "b", "glm-5-00001-of-00010.gguf")
    assert await proposed(tmp_path) == {
        "/root/ml-env": ("/home/ops/venv2", "/opt/venv"), "/root/models/GLM-5": ("/mnt/nvme/b", "/models/a"),
    }  # fmt: skip


async def test_where_nothing_fits_nothing_is_proposed(tmp_path: Path) -> None:
    environment(tmp_path / "opt" / "venv", "3.12", "sglang")
    assert await proposed(tmp_path) == {"/root/ml-env": (), "/root/models/GLM-5": ()}


@pytest.mark.parametrize("other", ["/opt/venv", "/srv/x"])
def test_what_is_there_as_recorded_fits_alone(other: str) -> None:
    found = [
        {"prefix": prefix, "version": "3.12", "site": "", "packages": ["vllm"]} for prefix in ("/root/ml-env", other)
    ]
    (place, _) = places.propose(RECORDED, {"environments": found, "models": []})
    assert place == places.Place("environment", "/root/ml-env", ("/root/ml-env",))
