"""A log that attacks its reader, from the events to each report."""

import json
import re
from itertools import pairwise

from markdown_it import MarkdownIt

from sessions.reports.collect import ReportData
from sessions.reports.render import RENDERERS

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]")


def test_no_report_shows_an_escape_a_control_or_a_secret(hostile: ReportData, hostile_secret: str) -> None:
    for form, render in RENDERERS.items():
        text = render(hostile)
        assert not CONTROLS.search(text), form
        assert not re.search(r"\\u00[01]|\\u202|\\u200b", text.replace(r"\\u", "")), form
        assert hostile_secret not in text, form
        assert "<redacted:huggingface:" in text.replace("&lt;", "<").replace("\\<", "<"), form


def test_the_text_itself_is_still_there(hostile: ReportData) -> None:
    document = json.loads(RENDERERS["json"](hostile))
    assert document["steps"][0]["output"].startswith("</pre><script>alert(1)</script>\n")
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in RENDERERS["html"](hostile)


def test_markdown_of_a_hostile_log_renders_without_links_images_or_html(hostile: ReportData) -> None:
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(RENDERERS["md"](hostile))
    kinds = {child.type for token in tokens for child in (token, *(token.children or ()))}
    assert kinds & {"html_block", "html_inline", "link_open", "image"} == set()
    prose = [child.content for token in tokens for child in (token.children or ()) if child.type == "text"]
    assert not [text for text in prose if re.search(r"https?://|www\.|\S@\S|(?:^|\s)@\w", text)]
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert "injected" not in headings
