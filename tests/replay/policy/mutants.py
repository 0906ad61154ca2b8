"""Small changes of the policy's source, each of which the fast tests must notice.

    python tests/replay/policy/mutants.py [COUNT] [SEED] [JOBS]

A comparison is turned round, ``and`` becomes ``or``, a number or a text another one, a condition its opposite, a
returned value ``None``, a member of a table is left out. Prints the share that was noticed, and the others.
"""

import ast
import contextlib
import importlib
import inspect
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from sessions.shell import parse as parsing
from tests.replay.policy.grammar import cases
from tests.replay.policy.grammar.cases import FAMILIES

PACKAGE = Path(__file__).parents[3] / "replay" / "policy"
FAST = (
    "grammar.test_tables", "test_effects", "test_open_words", "test_parts", "test_second_opinion",
    "hostile.test_adversarial", "hostile.test_bounds", "hostile.test_disguises", "hostile.test_languages",
    "grammar.test_grammar",
)  # fmt: skip
"""Tests that only judge."""
SLOW = frozenset({
    "test_two_parsers_come_to_the_same_decision", "test_an_option_that_no_manual_has_is_refused",
    "test_what_stands_around_a_call_counts_as_it_should",
})  # fmt: skip
"""Those of them that say nothing more of a mutant, or take too long for hundreds."""
PATIENCE = 120
"""Seconds after which a mutant that does not end is taken for noticed."""
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the number of its place in the module's tree, in the order of `places`."""

    path: Path
    number: int
    said: str


def places(tree: ast.Module) -> Iterator[tuple[str, Callable[[], None]]]:
    """Return what can be changed in a tree, each with what changes it."""
    told = _told(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for said, change in _changes(node, told):
            yield f"{line}: {said}", change


def _changes(node: ast.AST, told: set[int]) -> Iterator[tuple[str, Callable[[], None]]]:
    yield from _logic(node)
    match node:
        case ast.Constant(value=bool() as value):
            yield f"{not value} for {value}", lambda: setattr(node, "value", not value)
        case ast.Constant(value=int() as number):
            yield f"{number + 1} for {number}", lambda: setattr(node, "value", number + 1)
        case ast.Constant(value=str() as text) if id(node) not in told and len(text.split()) > 1:
            yield from _without_words(node, text)
        case ast.Dict(keys=keys) if keys and all(keys) and id(node) not in told:
            yield from _without_members(node)
        case ast.Set(elts=elements) | ast.Tuple(elts=elements) if (
            id(node) not in told and len(elements) > 1 and _all_text(elements)
        ):
            for place in range(len(elements)):
                yield f"without {ast.unparse(elements[place])}", lambda place=place: elements.pop(place)  # type: ignore[misc]


def _logic(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _TURNED:
            turned = _TURNED[type(operator)]
            yield f"{ast.unparse(node)} turned to {turned.__name__}", lambda: setattr(node, "ops", [turned()])
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"{type(other).__name__} in {ast.unparse(node)}", lambda: setattr(node, "op", other)
        case ast.UnaryOp(op=ast.Not()):
            twice = ast.UnaryOp(ast.Not(), node.operand)
            yield f"without not: {ast.unparse(node)}", lambda: setattr(node, "operand", twice)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield f"returns None for {ast.unparse(value)}", lambda: setattr(node, "value", ast.Constant(None))
        case ast.If() | ast.IfExp() | ast.While():
            yield f"never: {ast.unparse(node.test)}", lambda: setattr(node, "test", ast.Constant(value=False))


def _without_words(node: ast.Constant, value: str) -> Iterator[tuple[str, Callable[[], None]]]:
    words = value.split()
    if not all(word.isascii() and " " not in word for word in words):
        return
    for place, word in enumerate(words):
        rest = " ".join([*words[:place], *words[place + 1 :]])
        tail = " " if value.endswith(" ") else ""
        yield f"without {word}", lambda rest=rest, tail=tail: setattr(node, "value", rest + tail)  # type: ignore[misc]


def _without_members(node: ast.Dict) -> Iterator[tuple[str, Callable[[], None]]]:
    for place, key in enumerate(node.keys):

        def leave_out(place: int = place) -> None:
            node.keys.pop(place)
            node.values.pop(place)

        yield f"without {ast.unparse(key) if key else ''}", leave_out


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _all_text(elements: list[ast.expr]) -> bool:
    return all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in elements)


def _told(tree: ast.Module) -> set[int]:
    """Return the texts that only people read: documentation, and what says why, and a grammar's own examples."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            found.add(id(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"Problem", "failed"}:
            found |= {id(each) for argument in node.args[-1:] for each in ast.walk(argument)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Program" and node.args:
            found.add(id(node.args[0]))
        if isinstance(node, ast.keyword) and node.arg in {"examples", "asked", "note", "reason"}:
            found |= {id(each) for each in ast.walk(node.value)}
    return found


def every() -> list[Mutant]:
    """Return all mutants of the package."""
    return [
        Mutant(path, number, f"{path.relative_to(PACKAGE)}:{said}")
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, (said, _) in enumerate(places(ast.parse(path.read_text())))
    ]


class _Changed(MetaPathFinder):
    """Loads one module in its changed form."""

    def __init__(self, mutant: Mutant) -> None:
        parts = mutant.path.relative_to(PACKAGE.parents[1]).with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.mutant = mutant

    def find_spec(self, fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        del path, target
        if fullname != self.name:
            return None
        is_package = self.mutant.path.name == "__init__.py"
        spec = spec_from_loader(fullname, self, is_package=is_package)  # type: ignore[arg-type]
        if spec is not None and is_package:
            spec.submodule_search_locations = [str(self.mutant.path.parent)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        del spec

    def exec_module(self, module: ModuleType) -> None:
        tree = ast.parse(self.mutant.path.read_text())
        if self.mutant.number >= 0:
            dict(enumerate(change for _, change in places(tree)))[self.mutant.number]()
        exec(compile(ast.fix_missing_locations(tree), self.mutant.path, "exec"), module.__dict__)  # noqa: S102


def noticed(mutant: Mutant) -> bool:
    """Tell whether the fast tests fail with a mutant; it is loaded into a process of its own."""
    child = os.fork()
    if not child:
        code = 1
        with contextlib.suppress(BaseException):
            signal.alarm(PATIENCE)
            code = int(not _passes(mutant))
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def _passes(mutant: Mutant) -> bool:
    """Run the fast tests on a freshly loaded policy; what they assert decides."""
    for name in [name for name in sys.modules if name.startswith("replay.policy")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Changed(mutant))
    judge = importlib.import_module("replay.policy.judge")
    second = mutant.path.stem == "second"
    for name in FAST:
        module = importlib.import_module(f"tests.replay.policy.{name}")
        for known, value in list(vars(module).items()):
            home = getattr(value, "__module__", None) or ""
            if isinstance(value, ModuleType) and value.__name__.startswith("replay.policy"):
                setattr(module, known, importlib.import_module(value.__name__))
            if home.startswith("replay.policy") and callable(value):
                same = (
                    judge.assess
                    if known == "judge" and not second
                    else getattr(importlib.import_module(home), known, value)
                )
                setattr(module, known, same)
        for test in [value for known, value in vars(module).items() if known.startswith("test_")]:
            if name != "test_second_opinion" or second:
                _run(test, mutant)
    return True


def _run(test: Callable[..., None], mutant: Mutant) -> None:
    """Call a test with each set of its parameters; one that needs more than parameters is left out."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    names = [name for mark in marks for name in ([mark.args[0]] if isinstance(mark.args[0], str) else mark.args[0])]
    needed = set(inspect.signature(test).parameters)
    if needed != set(names) or test.__name__ in SLOW or hasattr(test, "hypothesis"):
        return
    sets = marks[0].args[1] if marks else [()]
    for values in sets:
        given = dict(zip(names, values if len(names) > 1 else [values], strict=True)) if marks else {}
        if _concerns(given.get("family"), mutant):
            test(**given)


def _concerns(family: str | None, mutant: Mutant) -> bool:
    """Tell whether a family's cases are worth trying: those of another family's file never reach a change in it."""
    own = mutant.path.stem if mutant.path.parent.name == "programs" else mutant.path.parent.name
    return family is None or own not in FAMILIES or own == family


def _keep_parsed() -> None:
    """Parse each text only once, in all processes: the parser is no part of what is changed."""
    kept = lru_cache(maxsize=None)(parsing.parse)
    parsing.parse = kept
    for name in [name for name in sys.modules if name.startswith("replay.policy")]:
        del sys.modules[name]
    unchanged = Mutant(PACKAGE / "__init__.py", -1, "")
    if not _passes(unchanged):
        sys.exit("the tests fail as they are")


def main() -> None:
    """Try as many mutants as asked for, 400 by default; fail if fewer than nine in ten are noticed."""
    count, seed, jobs = (int(word) for word in (*sys.argv[1:], *("400", "1", str(os.cpu_count()))[len(sys.argv) - 1 :]))
    chosen = random.Random(seed).sample(every(), count)  # noqa: S311 -- the same mutants for the same seed
    missed: list[Mutant] = []
    cases.MOST = 1
    _keep_parsed()
    with get_context("fork").Pool(jobs) as pool:
        for number, (mutant, seen) in enumerate(zip(chosen, pool.imap(noticed, chosen), strict=True), 1):
            if not seen:
                missed.append(mutant)
                sys.stdout.write(f"{mutant.said}\n")
                sys.stdout.flush()
            if number % 50 == 0:
                sys.stderr.write(f"{number} of {count}, {len(missed)} unnoticed\n")
    sys.stdout.write(f"{count - len(missed)} of {count} noticed ({100 * (count - len(missed)) / count:.1f} %)\n")
    kinds = Counter(mutant.path.relative_to(PACKAGE).as_posix() for mutant in missed)
    sys.stdout.write("".join(f"  {number} in {name}\n" for name, number in kinds.most_common()))
    sys.exit(len(missed) * 10 > count)


if __name__ == "__main__":
    main()
