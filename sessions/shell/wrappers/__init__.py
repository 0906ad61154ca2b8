"""Programs that run another program, a family a file, and how each is taken off."""
