import json
from pathlib import Path

import pytest

from sessions.formats import opencode
from sessions.ingest.events import Called, Count, Used


@pytest.mark.corpus
def test_every_real_export_is_told_whole(corpus: Path) -> None:
    exports = sorted((corpus / "opencode-export").rglob("*.json"))
    assert exports
    for path in exports:
        count = Count()
        assert opencode.sniff(path, path.read_bytes()[:65536])
        events = [event for source in opencode.sources(path) for event in opencode.read(source, count)]
        document = json.loads(path.read_bytes())
        tools = [part for message in document["messages"] for part in message["parts"] if part["type"] == "tool"]
        assert [event.tool for event in events if isinstance(event, Called)] == [part["tool"] for part in tools]
        used = sum(event.output for event in events if isinstance(event, Used))
        assert used == document["info"]["tokens"]["output"]
        assert (count.skipped, count.unknown, count.live) == (0, 0, False)
