"""From a log file to a stored session."""
