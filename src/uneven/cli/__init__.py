"""The command line: ``uneven compare``, ``fit``, ``predict``, ``explain``, ``noise``."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

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
        with _interrupts_in_callbacks():
            from uneven.cli.app import invoke

            return invoke(arguments)
    except KeyboardInterrupt:
        print("uneven: interrupted; nothing was written.", file=sys.stderr)
        return 130


@contextmanager
def _interrupts_in_callbacks() -> Iterator[None]:
    """Send an interrupt again that came while C code, such as a compiler, called Python.

    There it cannot be raised: the interpreter prints a traceback and continues. Nor does it help to
    hear of objects which were half made when the interrupt came, and cannot be closed.
    """
    before, interrupted = sys.unraisablehook, []

    def send_again(unraisable: Any) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            interrupted.append(True)
            threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
        elif not interrupted:
            before(unraisable)

    def interrupt(*received: Any) -> None:
        interrupted.append(True)
        signal.default_int_handler(*received)

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = send_again
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if not interrupted:
            sys.unraisablehook = before
