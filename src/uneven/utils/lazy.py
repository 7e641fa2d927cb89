"""Names of a package that are loaded when they are first used.

They stand once, in the ``__init__.pyi`` next to the ``__init__.py``, where type checkers read them,
too: one line ``from home import name as name`` for each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def names_of_stub(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package needs to offer the names of its stub.

    Parameters
    ----------
    package, file : str
        Its ``__name__`` and ``__file__``.

    Returns
    -------
    tuple
        To be called ``__getattr__``, ``__dir__`` and ``__all__``.
    """
    stub = str(Path(file).with_suffix(".pyi"))
    loader: Any = sys.modules[package].__spec__.loader  # type: ignore[union-attr]
    lines = loader.get_data(stub).decode("utf-8").splitlines()  # also from inside a zip archive
    homes = {line.split()[3]: line.split()[1] for line in lines if line.startswith("from ")}
    names = sorted(homes)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find, lambda: names, names
