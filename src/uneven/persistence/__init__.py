"""Model files that run no code when they are opened."""
