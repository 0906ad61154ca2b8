"""Parsers for the output of known programs."""
