"""Classification when the data is uneven: rare classes and sources of uneven strength.

The public names stand in ``__init__.pyi``, where type checkers read them, too. They are loaded when
they are first used, so that ``import uneven`` and ``uneven --help`` stay quick.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_LINES = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
_HOMES = {line.split()[3]: line.split()[1] for line in _LINES if line.startswith("from ")}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'uneven' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
