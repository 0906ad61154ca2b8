"""The post-mortem as text: a function of the store."""
