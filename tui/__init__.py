"""The terminal interface: command line and full-screen app."""
