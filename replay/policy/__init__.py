"""What a recorded command may do: one file per family of programs."""
