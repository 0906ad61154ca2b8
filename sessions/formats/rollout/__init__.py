"""The parts of the Codex reader: calls, results, programs, texts."""
