"""How well the later stages judge what they are given: annotated suspicions take the place of those that were found.

    python -m tests.bench.judging CORPUS ANNOTATION… [--each]

Each annotated hypothesis is handed on as the sentence in which the log states it. What the stages after `identify` make
of it is held against the annotation: none is missed or taken for another, so that errors of finding are left out.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sessions.hypotheses.gold import Annotation, Suspected, read
from sessions.hypotheses.matching import Told, locate
from sessions.hypotheses.quotes import squash
from sessions.hypotheses.rules.engine import SENTENCE_RULES, settle
from sessions.hypotheses.rules.find.identify import Suspicion, identify, topic
from sessions.hypotheses.rules.find.score import Mention, score
from sessions.hypotheses.rules.judge.record import Record
from sessions.hypotheses.rules.text.annotate import Note, annotate, terms
from sessions.hypotheses.rules.text.segment import segment
from sessions.hypotheses.scoring import Score
from sessions.ingest.builder import build
from sessions.ingest.events import Count
from sessions.ingest.registry import format_named
from sessions.ingest.sniff import recognise
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.session import Session

_ALIKE = 0.5
"""Likeness from which a later sentence mentions an annotated suspicion again."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An annotated hypothesis, what was made of it, and how many links to steps were right, wrong and missed."""

    gold: Suspected
    made: Hypothesis
    links: tuple[int, int, int]


def load(corpus: Path, annotation: Annotation) -> Session:
    """Return the session that an annotation is of: the longest that its log holds."""
    (source,) = recognise(corpus / annotation.log)
    count = Count()
    return max(build(format_named(source.format).read(source, count), source, count), key=lambda s: len(s.messages))


def judge(session: Session, annotation: Annotation) -> list[Judged]:
    """Return what the later stages make of the annotated hypotheses that stand in a sentence of the log."""
    notes = annotate(segment(session.messages), SENTENCE_RULES)
    first = next((n.sentence.message for n in notes if n.sentence.role == "user"), None)
    mentions = score(notes, session.messages, first)
    rarity = identify(mentions, notes)[1]
    record = Record(session.messages, session.steps, notes, rarity)
    scored = {m.note.sentence.number: m for m in mentions}
    given: dict[str, tuple[Suspected, Suspicion]] = {}
    for one in annotation.hypotheses:
        note = _stated(record, one)
        if note is not None:
            given[one.id] = one, _suspicion(record, one, note, scored)
    suspicions = sorted((s for _, s in given.values()), key=lambda s: (s.message, s.end))
    for mention in mentions:
        _mention(record, mention, suspicions)
    made = {h.key: h for h in settle(record, suspicions, session.steps)}
    told = Told.of(session.messages, session.steps, Tree())
    return [_judged(one, made[suspicion.key], told) for one, suspicion in given.values()]


def _stated(record: Record, one: Suspected) -> Note | None:
    """Return the sentence that states `one`: that of the quote which shares most of its words."""
    quote, wanted = squash(one.stated_quote), terms(one.stated_quote)
    places = {m.ordinal for m in record.messages if quote in squash(m.text)}
    near = [n for n in record.notes if n.sentence.message in places]
    best = max(near, key=lambda n: (len(n.terms & wanted), -n.sentence.number), default=None)
    return best if best is not None and best.terms & wanted else None


def _suspicion(record: Record, one: Suspected, note: Note, scored: dict[int, Mention]) -> Suspicion:
    sentence = note.sentence
    rules = tuple(f"rule:{row.name}" for row in note.rules)
    mention = scored.get(sentence.number) or Mention(note, score=1.0, rules=rules, listed=False)
    lead = topic(note, sentence.text, record.by_number.get(sentence.number - 1))
    words = note.terms | (lead.terms if lead else frozenset())
    names = note.entities | (lead.entities if lead else frozenset())
    return Suspicion(one.id, sentence.message, sentence.text, [mention], words, names, {sentence.message})


def _mention(record: Record, mention: Mention, suspicions: Sequence[Suspicion]) -> None:
    """Add a later sentence to the suspicion that it is most like, as `identify` does."""
    note = mention.note
    known = [s for s in suspicions if s.mentions[0].note.sentence.number < note.sentence.number]
    best = max(known, key=lambda s: record.rarity.likeness(note.terms, s.terms), default=None)
    if best is not None and record.rarity.likeness(note.terms, best.terms) >= _ALIKE:
        best.mentions.append(mention)
        best.places.add(note.sentence.message)


def _judged(one: Suspected, made: Hypothesis, told: Told) -> Judged:
    place = locate(one, told)
    steps = {piece.step for piece in made.evidence}
    hit = sum(bool(steps & cited) for cited in place.cited)
    return Judged(one, made, (hit, len(steps - place.steps), len(place.cited) - hit))


def figures(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the figures over `judged`, a line each."""
    right = sum(each.gold.verdict == each.made.verdict for each in judged)
    yield f"verdicts right       {right}/{len(judged)} = {right / max(1, len(judged)):.3f}"
    hits, wrong, missed = (sum(each.links[n] for each in judged) for n in range(3))
    yield f"evidence F1          {Score(links_right=hits, links_wrong=wrong, links_missed=missed).evidence_f1:.3f}"
    for verdict in ("confirmed", "refuted"):
        reached = [each for each in judged if each.made.verdict == verdict]
        carried = [each for each in reached if each.made.support == "grounded"]
        sound, sure = (sum(each.gold.verdict == verdict for each in some) for some in (reached, carried))
        there = sum(each.gold.verdict == verdict for each in judged)
        yield f"{verdict:20} {sound}/{len(reached)} right, of {there}; grounded {sure}/{len(carried)}"
    pairs = Counter((each.gold.verdict, each.made.verdict) for each in judged)
    for (wanted, got), times in sorted(pairs.items()):
        yield f"  {wanted:10} judged {got:10} {times}"


def main() -> None:
    """Judge the annotations that were named and print the figures."""
    parser = argparse.ArgumentParser(description="Measure the judging of suspicions apart from their finding.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("annotations", type=Path, nargs="+")
    parser.add_argument("--each", action="store_true", help="also show what became of each hypothesis")
    arguments = parser.parse_args()
    everything: list[Judged] = []
    for path in arguments.annotations:
        annotation = read(path)
        judged = judge(load(arguments.corpus, annotation), annotation)
        everything += judged
        right = sum(each.gold.verdict == each.made.verdict for each in judged)
        sys.stdout.write(f"{path.stem[:50]:50} {right}/{len(judged)}, of {len(annotation.hypotheses)} annotated\n")
        for each in judged if arguments.each else ():
            sys.stdout.write(_line(each) + "\n")
    sys.stdout.write("\n".join(figures(everything)) + "\n")


def _line(each: Judged) -> str:
    made = each.made
    mark = " " if made.verdict == each.gold.verdict else "!"
    return (
        f" {mark} {each.gold.id:4} {each.gold.verdict:9} -> {made.verdict:9} {made.support:9} stated {made.stated_in}, "
        f"decided {made.decided_in}, links {'/'.join(map(str, each.links))}  {','.join(t.source for t in made.history)}"
    )


if __name__ == "__main__":
    main()
