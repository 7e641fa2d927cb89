"""Comparisons of methods on a table: reading, encoding, cross-validation, results.

The names stand in ``__init__.pyi``. They are loaded when they are first used: looking at the header
of a table needs neither pandas nor scikit-learn.
"""

from uneven.utils.lazy import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
