"""What secrets look like, and finding them."""

MARK = "<redacted:"
"""How what stands in the place of a secret begins."""
