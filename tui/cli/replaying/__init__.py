"""Commands that judge, run and compare recorded steps."""
