"""Classification when the data is uneven: rare classes and sources of uneven strength.

The public names stand in ``__init__.pyi``. They are loaded when they are first used, so that
``import uneven`` and ``uneven --help`` stay quick.
"""

from uneven.utils.lazy import names_of_stub

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
__all__ += ["__version__"]
