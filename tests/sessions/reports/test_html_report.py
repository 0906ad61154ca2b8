import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from sessions.models.hypothesis import Tree
from sessions.reports.collect import ReportData
from sessions.reports.html import render


class Page(HTMLParser):
    """The elements of a page, its ids and links, and the text of each ``mark``."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.marked: list[str] = []
        self._in_mark = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self._in_mark = tag == "mark"

    def handle_data(self, data: str) -> None:
        if self._in_mark:
            self.marked.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_mark = self._in_mark and tag != "mark"

    def all(self, name: str) -> list[str]:
        return [value for attribute, value in self.attributes if attribute == name]


@pytest.fixture
def page(data: ReportData) -> Page:
    return Page(render(data))


def test_the_page_asks_for_nothing_and_runs_nothing(page: Page) -> None:
    assert {"script", "img", "link", "iframe", "object", "form", "base"} & set(page.tags) == set()
    assert all(link.startswith("#") for link in page.all("href"))
    assert not page.all("src")
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    (policy,) = [value for value in page.all("content") if "default-src" in value]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_every_link_leads_somewhere_and_every_id_is_there_once(page: Page) -> None:
    ids = page.all("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.all("href")} <= set(ids)
    assert {"h-H1", "h-H5", "s-4", "m-6", "r-1"} <= set(ids)


def test_the_quotes_are_marked_in_the_outputs(data: ReportData, page: Page) -> None:
    quotes = {each.quote for hypothesis in data.tree.hypotheses for each in hypothesis.evidence}
    assert quotes <= set(page.marked)


def test_the_tree_nests_as_the_hypotheses_do(data: ReportData) -> None:
    text = render(data)
    tree = text[text.index('<ul class="tree">') : text.index('<section aria-labelledby="hypotheses">')]
    assert [re.sub(r"\s+", " ", each) for each in re.findall(r"<(?:ul>|/ul>)|#h-H\d", tree)] == [
        "#h-H1", "#h-H2", "#h-H3", "#h-H4", "<ul>", "#h-H5", "</ul>", "</ul>",
    ]  # fmt: skip
    assert re.findall(r'class="mark" title="\w+">(.)<', tree) == ["✗", "✗", "⊘", "✗", "✓"]


def test_the_cause_comes_first_and_the_dead_ends_are_counted(data: ReportData) -> None:
    text = re.sub(r"<[^>]+>", "", render(data).split("</style>")[1])
    words = re.sub(r"\s+", " ", text)
    assert "What it was ✓ Cause, carried by tool output The expert tensors are not mapped" in words
    assert "1 cause 4 dead ends 0 left open 5 steps on dead ends, 1 h 14 min, 6,600 tokens" in words
    assert "Undetermined on this target The run says neither yes nor no to these. H2 undetermined" in words


def test_a_session_without_a_tree_has_a_page_too(data: ReportData) -> None:
    text = render(replace(data, tree=Tree(note="The rules cover English only."), runs=()))
    assert "No cause was confirmed in this session." in text
    assert "The rules cover English only." in text
    assert 'class="tree"' not in text


def test_a_reconstruction_says_so_on_the_page(data: ReportData) -> None:
    assert "Reconstruction." in render(replace(data, session=replace(data.session, reconstructed=True)))
    assert "Reconstruction." not in render(data)


def test_where_a_hypothesis_without_a_place_comes_from_begins_the_line(data: ReportData) -> None:
    first, *rest = data.tree.hypotheses
    nodes = (first, *(node.model_copy(update={"stated_in": None, "decided_in": None}) for node in rest))
    said = render(replace(data, tree=data.tree.model_copy(update={"hypotheses": nodes})))
    lines = [re.sub("<[^>]*>", "", line) for line in re.findall(r'<p class="places quiet">(.*?)</p>', said, re.DOTALL)]
    assert len(lines) == len(rest)
    assert all(re.match(r"\s*(Refines H\d+ · from|From) \w+:", line) for line in lines), lines
