"""Commands that look at a host and at a model."""
