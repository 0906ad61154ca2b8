"""What a rule is: a pattern with a weight, why it has it, and two sentences that prove it."""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Row:
    """One rule; `hit` must contain the pattern and `miss` must not.

    `pattern` is written in lower case and searched in lower-cased text: twice as fast as ignoring case.
    """

    name: str
    family: str
    pattern: str
    weight: float
    reason: str
    hit: str
    miss: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled at first use."""
        return re.compile(self.pattern)

    def hits(self, text: str) -> bool:
        """Return whether the rule fires in a text of any case."""
        return self.compiled.search(text.lower()) is not None
