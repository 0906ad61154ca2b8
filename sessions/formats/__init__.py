"""One agent's log format per file."""
