"""Commands that look harmless and are not."""
