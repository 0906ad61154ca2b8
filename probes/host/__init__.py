"""Where commands run: over ssh, here, in a sandbox."""
