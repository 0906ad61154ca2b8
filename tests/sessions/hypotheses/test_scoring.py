"""How trees are held against annotations, and that a tree written as one agrees with itself."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sessions.errors import BadInput
from sessions.formats import claude_code, codex
from sessions.hypotheses.edits import apply
from sessions.hypotheses.gold import Annotation, Settled, export, read
from sessions.hypotheses.matching import Told, match
from sessions.hypotheses.quotes import around, fold, pick, telling
from sessions.hypotheses.rules.engine import analyze
from sessions.hypotheses.rules.text.annotate import terms
from sessions.hypotheses.scoring import Score, interval, score, total
from sessions.ingest.builder import build
from sessions.ingest.events import Count
from sessions.models.hypothesis import Tree
from sessions.models.session import Message, Step

TEXTS = (
    "Every third upload fails with a timeout.",
    "Maybe the disk of the upload host is full.",
    "The disk has room. Perhaps the proxy drops idle connections.",
    "I looked at the proxy log and at the workers.",
    "So one worker has an expired certificate.",
)
OUTPUTS = (("df -h /srv", "Filesystem\n41% /srv in use"), ("cat log", "worker 3: certificate expired 2026-11-28"))


def annotation(**more: Any) -> Annotation:
    disk = {
        "id": "h1", "parent": None, "statement": "The disk is full", "terms": ["disk"], "verdict": "refuted",
        "stated_quote": TEXTS[1], "decided_quote": "The disk has room.",
        "evidence": [{"quote": "41% /srv in use", "stance": "refutes"}],
    }  # fmt: skip
    worker = {
        "id": "h2", "parent": "h1", "statement": "A certificate has expired", "terms": ["certificate"],
        "stated_quote": TEXTS[4], "verdict": "confirmed", "decided_quote": None,
        "evidence": [{"quote": "certificate expired 2026-11-28", "stance": "supports"}],
    }  # fmt: skip
    return Annotation.model_validate({"log": "uploads.jsonl", "hypotheses": [disk, worker]} | more)


def guess(id_: str, statement: str, stated_in: int, **more: Any) -> dict[str, Any]:
    facts = {"id": id_, "parent": "H0", "verdict": "open", "support": "claimed", "evidence": []}
    return facts | {"statement": statement, "stated_in": stated_in} | more


def told(*hypotheses: dict[str, Any], candidates: tuple[dict[str, Any], ...] = ()) -> Told:
    report = {
        "messages": [{"ordinal": place, "text": text} for place, text in enumerate(TEXTS)],
        "steps": [{"ordinal": n, "command": command, "output": out} for n, (command, out) in enumerate(OUTPUTS)],
        "hypotheses": [{"id": "H0", "root": True, "statement": "x", "verdict": "open"}, *hypotheses],
        "candidates": list(candidates),
    }
    return Told.of_report(report)


def test_a_right_tree_scores_one_everywhere() -> None:
    tree = told(
        guess("H1", "the disk of the host is full", 1, verdict="refuted", evidence=[{"step": 0}]),
        guess("H2", "an expired certificate", 4, parent="H1", verdict="confirmed", support="grounded",
              evidence=[{"step": 1}]),
    )  # fmt: skip
    found = score(annotation(), tree)
    assert (found.gold, found.predicted, found.matched, found.quotes_missing) == (2, 2, 2, 0)
    assert (found.f1, found.verdict_accuracy, found.evidence_f1) == (1.0, 1.0, 1.0)
    assert (found.causes, found.causes_found, found.false_causes) == (1, 1, 0)
    assert (found.grounded, found.grounded_right) == (1, 1)
    assert (found.parents, found.parents_right) == (2, 2)


def test_a_term_and_a_place_are_both_needed() -> None:
    assert score(annotation(), told(guess("H1", "the cable is loose", 1))).matched == 0
    assert score(annotation(), told(guess("H1", "the " + "very " * 50 + "full disk", 1))).matched == 0
    far = guess("H1", "no certificate at all", 0)
    assert score(annotation(), told(far)).matched == 0
    assert score(annotation(), told(far | {"evidence": [{"step": 1}]})).matched == 1


def test_wrong_causes_links_and_parents_count_against_a_tree() -> None:
    tree = told(
        guess(
            "H1", "the disk is full", 1, parent="H2", verdict="confirmed", support="grounded", evidence=[{"step": 1}]
        ),
        guess("H2", "the certificate has expired", 4, verdict="confirmed"),
        guess("H3", "the proxy drops connections", 2, verdict="confirmed"),
    )
    found = score(annotation(), tree)
    assert (found.matched, found.verdicts_right) == (2, 1)
    assert (found.causes_found, found.false_causes, found.grounded, found.grounded_right) == (1, 2, 1, 0)
    assert (found.links_right, found.links_wrong, found.links_missed) == (0, 1, 2)
    assert (found.parents, found.parents_right) == (2, 0)


def test_candidates_count_up_to_three_times_the_annotated_ones() -> None:
    right = guess("C9", "an expired certificate", 4)
    others = tuple(guess(f"C{n}", "a loose cable", 4) for n in range(5))
    assert score(annotation(), told(candidates=(*others, right))).reachable == 1
    assert score(annotation(), told(candidates=(*others, others[0], right))).reachable == 0


def test_as_many_pairs_as_possible_are_made() -> None:
    assert match([[0, 1], [0]]) == {0: 1, 1: 0}
    assert match([[], [2]]) == {1: 2}


def test_quotes_that_the_log_does_not_have_are_counted() -> None:
    changed = annotation().model_dump()
    changed["hypotheses"][0]["stated_quote"] = "never said"
    changed["hypotheses"][1]["evidence"][0]["quote"] = "never shown"
    assert score(Annotation.model_validate(changed), told()).quotes_missing == 2


def test_totals_add_counts_and_average_shares() -> None:
    good = Score(gold=1, predicted=1, matched=1, verdicts_right=1)
    bad = Score(gold=3, predicted=1)
    figures = total([good, bad])
    assert (figures["precision"], figures["recall"], figures["f1"], figures["macro_f1"]) == (0.5, 0.25, 0.333, 0.5)
    assert interval([good, good], lambda each: each.f1) == (1.0, 1.0)
    low, high = interval([good, bad] * 4, lambda each: each.f1)
    assert 0 < low < 0.333 < high < 1


def test_what_is_no_annotation_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    path.write_text('{"log": "x", "hypotheses": [{"id": "h1"}]}')
    with pytest.raises(BadInput, match=r"hypotheses\.0\.statement"):
        read(path)


def test_quotes_are_verbatim_and_of_a_size() -> None:
    text = "short\n\nlines\nare joined until they are long enough\n" + "word " * 60 + "certificate " + "word " * 60
    assert pick("ok\nfine now, the disk has room", terms("disk")) == "ok fine now, the disk has room"
    found = pick(text, terms("certificate"))
    assert "certificate" in found
    assert len(found) <= 160
    assert " ".join(found.split()) in " ".join(text.split())
    assert around(text, "joined") == "short lines are joined until they are long enough"
    assert around(text, "not there") == ""


def test_terms_tell_a_statement_from_its_siblings() -> None:
    chosen = telling("the proxy drops idle connections", ["the proxy is slow", "the disk is full"])
    assert chosen == ("drops", "idle", "connections")
    assert fold("It's `KV_cache`!") == "it s kv cache"


def test_a_tree_written_as_an_annotation_agrees_with_itself(bundled: Any) -> None:
    tree = bundled.tree()
    written = export(Settled("bundled.json", "opencode", bundled.messages, bundled.steps, tree))
    found = score(Annotation.model_validate(written), Told.of(bundled.messages, bundled.steps, tree))
    assert found.gold == 8
    assert found.quotes_missing == 0
    assert (found.f1, found.verdict_accuracy, found.evidence_f1) == (1.0, 1.0, 1.0)
    assert (found.parents_right, found.causes_found, found.false_causes) == (8, 1, 0)


def test_an_annotation_says_where_things_were_mentioned_and_decided(bundled: Any) -> None:
    tree: Tree = bundled.tree()
    one = next(h for h in tree.hypotheses if h.verdict == "refuted")
    written = export(Settled("bundled.json", "opencode", bundled.messages, bundled.steps, tree))
    told_of = next(each for each in written["hypotheses"] if each["id"] == one.id.lower())
    assert (told_of["stated_in"], told_of["decided_in"]) == (one.stated_in, one.decided_in)
    assert told_of["decision_steps"] == sorted({piece.step for piece in one.evidence if piece.deciding})
    assert one.stated_in in {mention["message"] for mention in told_of["mentions"]}
    for each in written["hypotheses"]:
        assert all(20 <= len(quote) <= 160 for quote in (each["stated_quote"], each["decided_quote"] or "x" * 20))


def test_what_a_person_added_without_a_place_is_quoted_where_it_is_most_alike() -> None:
    messages = [Message(ordinal=n, role="agent", text=text) for n, text in enumerate(TEXTS)]
    steps = [Step(ordinal=0, message=1, kind="shell", tool="bash", command="df", output="41% /srv in use")]
    edit = {"key": "person:1", "action": "add", "author": "ada", "value": {"statement": "a certificate has expired"}}
    tree = apply(Tree(), [type("Edit", (), edit)()])
    (written,) = export(Settled("u", "opencode", messages, steps, tree))["hypotheses"]
    assert written["stated_quote"] == TEXTS[4]
    assert (written["decided_quote"], written["set_by"]) == (None, "person:ada")


READERS = {"claude-code": claude_code, "codex": codex}


def _report(path: Path, name: str) -> dict[str, Any]:
    count = Count()
    (source,) = READERS[name].sources(path)
    session = max(build(READERS[name].read(source, count), source, count), key=lambda each: len(each.messages))
    tree = analyze(session.messages, session.steps)
    return {
        "messages": [each.model_dump() for each in session.messages],
        "steps": [each.model_dump(include={"ordinal", "command", "output"}) for each in session.steps],
        "hypotheses": [each.model_dump() for each in tree.hypotheses],
        "candidates": [each.model_dump() for each in tree.candidates],
    }


@pytest.mark.corpus
def test_the_figures_are_those_of_the_scorer_beside_the_gold_logs(corpus: Path, gold: Path, tmp_path: Path) -> None:
    chosen, made, scores = tmp_path / "gold", tmp_path / "made", []
    chosen.mkdir()
    made.mkdir()
    for path in sorted(gold.glob("*.json")):
        one = read(path)
        if one.format in READERS:
            report = _report(corpus / one.log, one.format)
            (chosen / path.name).write_bytes(path.read_bytes())
            (made / path.name).write_text(json.dumps(report))
            scores.append(score(one, Told.of_report(report)))
    command = [sys.executable, str(gold.parent / "tools" / "score_hypotheses.py"), "--dir", str(chosen), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    assert theirs["sessions"] == 8
    assert total(scores) == theirs
