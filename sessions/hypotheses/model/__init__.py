"""A tree made by a language model and held to the log: what the log does not bear out is dropped and counted."""
