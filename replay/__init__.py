"""Do it again: plan, policy, rewrite, run, compare, judge."""
