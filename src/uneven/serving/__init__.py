"""Predictions of a saved model over HTTP: ``uneven serve``. Needs the extra ``label``."""
