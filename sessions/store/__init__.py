"""The one SQLite file in which everything meets."""
