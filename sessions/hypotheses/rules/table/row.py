"""What a rule is: a pattern with a weight, why it has it, and two sentences that prove it."""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Row:
    """One rule. `pattern` is searched without regard to case; `hit` must contain it and `miss` must not."""

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
        return re.compile(self.pattern, re.IGNORECASE)
