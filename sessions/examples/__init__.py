"""The bundled sessions."""
