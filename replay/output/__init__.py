"""Recorded and new output, token by token."""
