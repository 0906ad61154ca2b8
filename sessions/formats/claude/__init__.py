"""The parts of the Claude Code reader: calls, results, texts, the tree of a conversation."""
