"""What a recorded command line says: parsed, decoded, unwrapped; never run."""
