"""From messages and steps to a hypothesis tree."""
