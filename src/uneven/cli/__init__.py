"""The command line: ``uneven compare``, ``fit``, ``predict``, ``explain``, ``noise``."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

__all__ = ["main", "run"]

NEEDED = ("typer", "rich", "skops", "pandas", "pyarrow")


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str
        What stands after ``uneven``.

    Returns
    -------
    int
        Exit code: 0 done, 1 unexpected failure, 2 wrong input, 130 interrupted, 141 output
        closed by its reader.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"uneven: the command line needs {', '.join(missing)}; "
            'install it with: pip install "uneven[cli]"',
            file=sys.stderr,
        )
        return 2
    try:
        from uneven.cli.app import invoke

        return invoke(arguments)
    except KeyboardInterrupt:
        print("uneven: interrupted; nothing was written.", file=sys.stderr)
        return 130
