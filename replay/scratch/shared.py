"""The scratch folders that a plan's writing steps share, followed ahead of time: what would be there at each step."""

from collections import defaultdict

from replay.policy.judgement import Judgement
from replay.rewrite import PathRules
from replay.scratch.closure import Files
from replay.scratch.ground import Ledger
from replay.scratch.looking import Looked, folder_of, look
from replay.scratch.writing import Written, prepare_writes
from sessions.models.session import Step


class Shared:
    """Plans steps in order, as if every writing step were consented to."""

    def __init__(self, files: Files, rules: PathRules) -> None:
        """Begin with empty folders."""
        self._files = files
        self._rules = rules
        self._ledgers: defaultdict[str, Ledger] = defaultdict(Ledger)

    def write(self, step: Step) -> Written | str:
        """Return what would run for a step that writes, or why nothing can."""
        found = prepare_writes(step, self._files, self._rules)
        if isinstance(found, str):
            return found
        ledger = self._ledgers[found.scratch.folder]
        laid = ledger.lay(found.needs, found.reads)
        if isinstance(laid, str):
            return laid
        ledger.take(laid)
        ledger.wrote(step.ordinal, found.reads, [path for path, _ in found.scratch.written])
        return found

    def look(self, step: Step, judgement: Judgement) -> Looked | str | None:
        """Return how a reading step reads what earlier ones write; None if it looks at nothing of that."""
        ledger = self._ledgers[folder_of(judgement, self._files)]
        found = look(step, judgement, self._files, self._rules, ledger)
        if not isinstance(found, Looked):
            return found
        laid = ledger.lay(found.needs, found.scratch.read)
        if isinstance(laid, str):
            return laid
        ledger.take(laid)
        return found
