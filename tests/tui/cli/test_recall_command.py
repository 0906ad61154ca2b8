"""``necropsy recall`` on the bundled session."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_it_tells_how_earlier_suspicions_ended(bundled: Run) -> None:
    told = bundled("recall", "dequantization", "kernel", "sm120").stdout
    assert told.startswith("✗ The GGUF dequantization kernel")
    assert "refuted, grounded" in told
    assert "ses_5c1f" in told
    assert "step " in told


def test_json_has_places_and_lines(bundled: Run) -> None:
    found = json.loads(bundled("recall", "--json", "--limit", "1", "tokenizer prompt").stdout)
    assert len(found) == 1
    assert (found[0]["hypothesis"], found[0]["verdict"]) == ("H1", "refuted")
    assert found[0]["evidence"][0]["deciding"] is True
    assert found[0]["evidence"][0]["quote"] == "round trip: True"


def test_nothing_found_is_a_no(bundled: Run) -> None:
    done = bundled("recall", "zebra")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Nothing like it" in done.stderr


def test_a_store_of_an_older_layout_is_brought_up_to_date(run: Run, store: Path) -> None:
    old = Path(__file__).parents[2] / "data" / "store-layout-1.db.gz"
    with gzip.open(old) as source, store.open("wb") as target:
        shutil.copyfileobj(source, target)
    assert "✗ The disk of the upload server is full" in run("recall", "disk", "upload").stdout
