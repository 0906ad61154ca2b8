"""Make the pictures of the README: the app on the bundled session, as docs/app.svg and docs/app.png.

    python docs/make_pictures.py

The PNG needs cairosvg and the font DejaVu Sans Mono.
"""

import asyncio
import re
import tempfile
from pathlib import Path

import cairosvg  # type: ignore[import-untyped]  # it ships no types

from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tui.app import NecropsyApp

HERE = Path(__file__).parent
SESSION = HERE.parent / "sessions" / "examples" / "glm5-blackwell.json"
SIZE = (136, 50)
FONT = "DejaVu Sans Mono"


def main() -> None:
    """Write both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        with Writer.open(store) as writer:
            for _ in ingest(recognise(SESSION), writer):
                pass
        svg = asyncio.run(_draw(store))
    (HERE / "app.svg").write_text(svg, encoding="utf-8")
    cairosvg.svg2png(bytestring=svg.encode(), write_to=str(HERE / "app.png"), scale=1.2)
    print(f"Wrote {HERE / 'app.svg'} and {HERE / 'app.png'}.")


async def _draw(store: Path) -> str:
    with Reader.open(store) as reader:
        session = reader.resolve("latest").id
    app = NecropsyApp(store, session)
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(3):
            await app.workers.wait_for_complete()
            await pilot.pause()
        svg = app.export_screenshot(title="necropsy")
    return _with_local_font(svg)


def _with_local_font(svg: str) -> str:
    """Return the picture without the font that it would load from the network: a README must not."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code", FONT)


if __name__ == "__main__":
    main()
