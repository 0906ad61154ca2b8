"""The page in a real browser: what it draws at the width of a phone, and that nothing in it is alive."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sessions.reports.collect import ReportData
from sessions.reports.html import render

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--virtual-time-budget=5000",
    "--dump-dom", "--enable-logging=stderr",
)  # fmt: skip

MEASURE = """
<!doctype html><meta charset="utf-8"><body><iframe style="border:0;width:%(width)dpx;height:800px"></iframe><script>
const frame = document.querySelector('iframe');
frame.onload = () => {
  const page = frame.contentDocument, root = page.documentElement;
  const out = document.createElement('pre');
  out.id = 'measured';
  out.textContent = JSON.stringify({
    width: root.scrollWidth, height: root.scrollHeight, title: page.title,
    scripts: page.scripts.length, alive: [...page.querySelectorAll('*')].filter(
      e => [...e.attributes].some(a => /^on/i.test(a.name) || /^\\s*javascript:/i.test(a.value))).length,
    outward: [...page.links].filter(a => !a.getAttribute('href').startsWith('#')).length,
    foreign: page.querySelectorAll('img,iframe,object,embed,form,link,video,audio').length,
    tree: page.querySelectorAll('.tree .row').length,
    scrolling: [...page.querySelectorAll('pre.output')].filter(e => e.scrollWidth > e.clientWidth).length,
    paper: page.defaultView.getComputedStyle(page.body).backgroundColor,
  });
  document.body.replaceChildren(out);
};
frame.srcdoc = %(page)s;
</script>
"""


@pytest.fixture(scope="module")
def chromium() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    return path


def measure(chromium: str, folder: Path, page: str, width: int = 390) -> dict[str, object]:
    """Return what the browser says of `page` in a window `width` pixels wide, having complained of nothing."""
    source = json.dumps(page).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    file = folder / "page.html"
    file.write_text(MEASURE % {"width": width, "page": source}, encoding="utf-8")
    done = subprocess.run(
        [chromium, *FLAGS, f"--user-data-dir={folder / 'profile'}", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stdout[-2000:]
    measured = json.loads(html.unescape(found[1]))
    assert isinstance(measured, dict)
    return measured


def test_a_phone_shows_the_page_without_scrolling_sideways(chromium: str, tmp_path: Path, data: ReportData) -> None:
    wide = data.steps[4].model_copy(update={"output": data.steps[4].output + "mapped: " + "x" * 500 + "\n"})
    long = replace(data.session, title="An_unbroken_" + "title" * 30, id="ses_" + "0" * 200)
    page = render(replace(data, steps=(*data.steps[:4], wide), session=long))
    measured = measure(chromium, tmp_path, page)
    assert measured["width"] == 390
    assert measured["tree"] == 5
    assert measured["scrolling"] == 1
    assert measured["paper"] == "rgb(251, 250, 248)"
    assert measured["title"] == "Post-mortem: An_unbroken_" + "title" * 21 + "ti…"


def test_nothing_of_a_hostile_log_comes_alive(chromium: str, tmp_path: Path, hostile: ReportData) -> None:
    measured = measure(chromium, tmp_path, render(hostile))
    assert [measured[each] for each in ("scripts", "alive", "outward", "foreign")] == [0, 0, 0, 0]
    assert measured["width"] == 390
    assert measured["title"] == "Post-mortem: </title><script>document.title='taken'</script>"
