"""What the words of one recorded call tell of the files that it writes, and which they leave in doubt."""
