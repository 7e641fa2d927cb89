"""Linear classifiers that learn from their mistakes."""

__all__: list[str] = []
