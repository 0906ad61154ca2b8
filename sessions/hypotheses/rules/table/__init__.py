"""The rules, as data: what makes a sentence a suspicion, what settles one, and what an output shows.

The weights of the rules that fire in a sentence add up to its score; at `OPENS` it opens a hypothesis, in a log that
has few from `LEAST` on, and from `KEEPS` on it is kept as a candidate. Weights were set by hand while reading logs;
none is fitted. `VERSION` names the whole table: change it with any row.
"""

from sessions.hypotheses.rules.table.against import AGAINST
from sessions.hypotheses.rules.table.outputs import OUTPUTS
from sessions.hypotheses.rules.table.row import Row
from sessions.hypotheses.rules.table.stances import STANCES
from sessions.hypotheses.rules.table.stop import STOP
from sessions.hypotheses.rules.table.suspicions import SUSPICIONS
from sessions.hypotheses.rules.table.symptoms import SYMPTOMS

__all__ = [
    "AGAINST",
    "KEEPS",
    "LEAST",
    "OPENS",
    "OUTPUTS",
    "ROWS",
    "STANCES",
    "STOP",
    "SUSPICIONS",
    "SYMPTOMS",
    "VERSION",
    "Row",
]

VERSION = "rules-6"

OPENS = 1.25
"""Score from which a sentence states a hypothesis."""

LEAST = 0.8
"""Score from which the best of a log do, where few reach `OPENS`."""

KEEPS = 0.45
"""Score from which it is kept as a candidate."""

ROWS: tuple[Row, ...] = (*SUSPICIONS, *AGAINST, *STANCES, *OUTPUTS, *SYMPTOMS)
