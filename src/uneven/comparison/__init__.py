"""Comparisons of methods on a table: reading, encoding, cross-validation, results.

The names stand in ``__init__.pyi``. They are loaded when they are first used: looking at the header
of a table needs neither pandas nor scikit-learn.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

_LINES = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
_HOMES = {line.split()[3]: line.split()[1] for line in _LINES if line.startswith("from ")}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'uneven.comparison' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
