"""From sentences to suspicions: scored, gathered, worded."""
