"""What happened: agents' logs, steps, hypotheses, the store, reports."""
