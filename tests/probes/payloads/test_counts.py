"""gguf.counts against files with every tensor, one less, one more, a shard less, an end less."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

PLACE = "gguf/counts.py"


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory, glm: Any) -> Path:
    path: Path = glm.write(tmp_path_factory.mktemp("glm") / "glm.gguf", shards=3)
    return path


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def measured(document: Any, name: str) -> Any:
    return next(each.value for each in document.measurements if each.name == name)


def test_the_reference_model_has_1809_tensors(run_payload: Any, healthy: Path) -> None:
    document = run_payload(PLACE, "--model", str(healthy))
    assert (document.status, document.detail) == ("ok", "")
    assert answers(document) == {"tensors-missing": "refuted", "tensors-stray": "refuted"}
    assert measured(document, "tensors") == measured(document, "tensors expected") == 1809
    assert measured(document, "shards") == 3
    identity = "3 outside blocks + 3 dense blocks x 18 + 1 mtp blocks x 27 + 75 expert blocks x 23 + 0 optional"
    assert document.details["identity"] == identity
    assert [control.kind for control in document.controls] == ["positive", "negative", "negative"]


def test_any_shard_or_the_folder_names_the_model(run_payload: Any, healthy: Path) -> None:
    for named in (healthy.parent, healthy.with_name("glm-00003-of-00003.gguf")):
        assert measured(run_payload(PLACE, "--model", str(named)), "tensors") == 1809


@pytest.mark.parametrize("lost", ["blk.40.ffn_down_exps.weight", "blk.78.nextn.hnorm.weight", "token_embd.weight"])
def test_a_missing_tensor_is_named(run_payload: Any, glm: Any, tmp_path: Path, lost: str) -> None:
    document = run_payload(PLACE, "--model", str(glm.write(tmp_path / "a.gguf", lost=(lost,))))
    assert answers(document) == {"tensors-missing": "confirmed", "tensors-stray": "refuted"}
    assert document.worst == {"missing": [lost], "stray": []}


def test_a_stray_tensor_is_named(run_payload: Any, glm: Any, tmp_path: Path) -> None:
    document = run_payload(PLACE, "--model", str(glm.write(tmp_path / "a.gguf", added=("blk.9.ffn_strange.weight",))))
    assert answers(document) == {"tensors-missing": "refuted", "tensors-stray": "confirmed"}
    assert document.worst == {"missing": [], "stray": ["blk.9.ffn_strange.weight"]}


def test_a_missing_shard_is_said(run_payload: Any, healthy: Path, tmp_path: Path) -> None:
    for number in (1, 3):
        name = f"glm-0000{number}-of-00003.gguf"
        (tmp_path / name).write_bytes(healthy.with_name(name).read_bytes())
    missing = run_payload(PLACE, "--model", str(tmp_path)).findings[0]
    assert missing.answer == "confirmed"
    assert missing.why.startswith(
        "2 of 3 shards are here; the first shard promises 1,809 tensors in all, 1,206 are here"
    )


def test_a_cut_end_is_said(run_payload: Any, healthy: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        name = f"glm-0000{number}-of-00003.gguf"
        content = healthy.with_name(name).read_bytes()
        (tmp_path / name).write_bytes(content[:-1000] if number == 2 else content)
    missing = run_payload(PLACE, "--model", str(tmp_path)).findings[0]
    assert missing.answer == "confirmed"
    assert missing.why.startswith("glm-00002-of-00003.gguf ends 9")


def test_an_unknown_architecture_is_judged_by_its_peers(run_payload: Any, write_gguf: Any, tmp_path: Path) -> None:
    names = [f"blk.{n}.{part}.weight" for n in range(5) for part in ("attn_q", "ffn_up", "ffn_down")]
    tensors = {name: np.ones(1, np.float32) for name in names}
    fields = {"general.architecture": "novel", "novel.block_count": 5}
    whole = run_payload(PLACE, "--model", str(write_gguf(tmp_path / "whole.gguf", tensors, fields)))
    del tensors["blk.4.ffn_down.weight"]
    holed = run_payload(PLACE, "--model", str(write_gguf(tmp_path / "holed.gguf", tensors, fields)))
    assert (whole.status, answers(whole)["tensors-missing"]) == ("degraded", "refuted")
    assert "novel" in whole.detail
    assert (answers(holed)["tensors-missing"], holed.worst["missing"]) == ("confirmed", ["blk.4.ffn_down.weight"])
