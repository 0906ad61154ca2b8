"""Many pairs of lines looked at together, so that a log of a hundred thousand lines is not told apart line by line."""
