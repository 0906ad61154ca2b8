"""Commands that look at the store and change nothing."""
