"""From suspicions to verdicts: focus, evidence, decision, parent."""
