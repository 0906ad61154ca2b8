"""Look at a host: connect, fingerprint, diagnose."""
