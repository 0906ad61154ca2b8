"""Self-contained diagnostics that run on a bare host."""
