"""Pages about published tables and figures, beside what was measured."""
