"""The learner in a process of its own, so that a fit never delays an answer.

Snapshots of the answers go in; questions, guesses and reviews come out. Of several snapshots that
wait the last one counts. A look back goes on step by step between them. The process ends with the
server: when nobody writes to it any more. If it dies, another one takes its place.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import IO, Any

from uneven.labelling.asking import Asker, Review, Setup, Snapshot

_SIZE = struct.Struct("!Q")
_MOST_STARTS = 5


def work(setup: Setup, inbox: queue.Queue[Any], send: Callable[[Any], None]) -> None:
    """Answer snapshots and questions about rows until None comes.

    Parameters
    ----------
    setup : Setup
    inbox : queue of Snapshot, int or None
        A whole number asks for the guess about that row.
    send : callable
        Gets a `Thought`, a `Review`, or a pair of row and `Guess`.
    """
    asker = Asker(setup)
    review: Iterator[Review | None] | None = None
    last: Snapshot | None = None
    reviewed: Snapshot | None = None
    while True:
        idle = review is None and last is reviewed
        messages = _waiting(inbox, block=idle)
        if None in messages:
            return
        snapshots = [message for message in messages if isinstance(message, Snapshot)]
        if snapshots:
            last = snapshots[-1]
            send(asker.think(last))
        for row in dict.fromkeys(message for message in messages if isinstance(message, int)):
            send((row, asker.guess(row)))
        if review is None and last is not None and last is not reviewed:
            review, reviewed = asker.review(last), last
        if review is not None:
            found = next(review, None)
            if found is not None:
                send(found)
                review = None


def _waiting(inbox: queue.Queue[Any], block: bool) -> list[Any]:
    messages = [inbox.get()] if block else []
    with contextlib.suppress(queue.Empty):
        while True:
            messages.append(inbox.get_nowait())
    return messages


class Worker:
    """Runs `work` in another process than the server.

    Parameters
    ----------
    setup : Setup
    heard : callable
        Gets what is sent, on a thread of its own.
    process : bool, default=True
        Whether to use a process; False uses a thread, which is at hand sooner.
    """

    def __init__(self, setup: Setup, heard: Callable[[Any], None], *, process: bool = True) -> None:
        self._setup, self._heard = setup, heard
        self._outbox: queue.Queue[Any] = queue.Queue()
        self._last: Snapshot | None = None
        self._stopped = False
        self._child: subprocess.Popen[bytes] | None = None
        target = self._supervise if process else self._run_here
        self._thread = threading.Thread(target=target, daemon=True)
        self._thread.start()

    def tell(self, message: Snapshot | int) -> None:
        """Send the answers so far, or ask about a row; never waits."""
        if isinstance(message, Snapshot):
            self._last = message
        self._outbox.put(message)

    def stop(self) -> None:
        """End it."""
        self._stopped = True
        self._outbox.put(None)
        child = self._child
        if child is not None:
            child.kill()
        self._thread.join(timeout=5)

    def _run_here(self) -> None:
        work(self._setup, self._outbox, self._heard)

    def _supervise(self) -> None:
        for _ in range(_MOST_STARTS):
            if self._stopped:
                return
            self._child = child = _start()
            writer = threading.Thread(target=self._write, args=(child,), daemon=True)
            writer.start()
            assert child.stdout is not None
            with contextlib.suppress(EOFError, OSError):
                while True:
                    self._heard(_read(child.stdout))
            child.kill()
            child.wait()
            self._outbox.put(self._last)
            writer.join()
        print("uneven: the learner ended; rows are queried in random order.", file=sys.stderr)

    def _write(self, child: subprocess.Popen[bytes]) -> None:
        """Hand messages on as long as the process lives; only the newest of several snapshots."""
        assert child.stdin is not None
        try:
            _send(child.stdin, self._setup)
            if self._last is not None:
                _send(child.stdin, self._last)
            while child.poll() is None:
                messages = _waiting(self._outbox, block=True)
                if child.poll() is not None or None in messages:
                    return
                snapshots = [m for m in messages if isinstance(m, Snapshot)][-1:]
                for message in [*snapshots, *(m for m in messages if isinstance(m, int))]:
                    _send(child.stdin, message)
        except OSError:
            return


def _start() -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-c", "from uneven.labelling.worker import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
    )


def _send(stream: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_SIZE.pack(len(content)) + content)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    (size,) = _SIZE.unpack(head)
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return pickle.loads(content)


def main() -> None:
    """Run `work` between standard input and output."""
    inbox: queue.Queue[Any] = queue.Queue()
    source, out = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if hasattr(os, "nice"):
        os.nice(5)

    def listen() -> None:
        try:
            while True:
                inbox.put(_read(source))
        except (EOFError, OSError):
            os._exit(0)

    warnings.simplefilter("ignore")  # a fit in between that has not settled is nobody's trouble
    setup = _read(source)
    threading.Thread(target=listen, daemon=True).start()
    work(setup, inbox, lambda message: _send(out, message))
