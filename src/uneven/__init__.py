"""Classification when the data is uneven."""

__version__ = "0.1.0"
