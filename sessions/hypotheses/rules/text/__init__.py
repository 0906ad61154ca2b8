"""Messages taken apart: sentences, terms, names, language, symptom."""
