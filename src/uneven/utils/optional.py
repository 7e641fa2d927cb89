"""Packages that only some uses of the library need, loaded when they are."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, purpose: str, extra: str = "cli") -> ModuleType:
    """Return an optional package, or say what it is needed for and how to get it.

    Parameters
    ----------
    module : str
        Name of the package.
    purpose : str
        What needs the package; begins the error message.
    extra : str, default="cli"
        Extra of this library that installs it.

    Examples
    --------
    >>> require("pandas", "as_frame=True").__name__
    'pandas'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module}, which is not installed: pip install 'uneven[{extra}]'."
        ) from error
