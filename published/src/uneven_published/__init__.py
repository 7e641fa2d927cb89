"""Published tables and figures, run again: descriptions, one runner, one record of the result.

The public names stand in ``__init__.pyi`` and are loaded when they are first used, so that
``uneven reproduce --list`` stays quick.
"""

from uneven.utils.lazy import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
