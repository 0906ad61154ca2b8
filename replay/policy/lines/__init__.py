"""From a recorded command line to the calls in it: two parsers, wrappers taken off, streams, places."""
