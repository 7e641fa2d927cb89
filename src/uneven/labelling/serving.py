"""Start and stop the server of a project."""

from __future__ import annotations

import errno
import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from uneven.comparison.errors import InputError
from uneven.comparison.inputs import as_frame
from uneven.labelling.guard import is_loopback
from uneven.labelling.pool import PoolTable, pool_of_frame, read_pool
from uneven.labelling.project import Project
from uneven.labelling.summary import write_summary
from uneven.utils.optional import require

WARNING = (
    "the page is open to everybody who can reach {host} and knows a token; what is sent is not "
    "encrypted, so whoever listens on the network can read rows, answers and tokens."
)


class LabelServer:
    """A server that runs on a thread of its own.

    Parameters
    ----------
    project : Project
    host, port : str and int
        Port 0 takes that of the last time, so that an open page finds the server again, or a free
        one if it is taken.

    Attributes
    ----------
    addresses : dict of str to str
        By name the address, with its token, for each person.
    """

    def __init__(self, project: Project, host: str = "127.0.0.1", port: int = 0) -> None:
        uvicorn = require("uvicorn", "the labelling page", "label")
        require("fastapi", "the labelling page", "label")
        from uneven.labelling.server import build_app

        self.project, self.host = project, host
        self._socket = _bind(host, port) if port else _bind_again(project, host)
        self.port = int(self._socket.getsockname()[1])
        project.store.set_meta(port=str(self.port))
        config = uvicorn.Config(
            build_app(project, host, self.port),
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_keep_alive=30,
            limit_concurrency=500,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def addresses(self) -> dict[str, str]:
        """The address of each person."""
        shown = "127.0.0.1" if is_loopback(self.host) else self.host
        if shown in ("0.0.0.0", "::"):
            shown = socket.gethostname()
        shown = f"[{shown}]" if ":" in shown else shown
        people = self.project.people.values()
        return {p.name: f"http://{shown}:{self.port}/?token={p.token}" for p in people}

    def start(self) -> LabelServer:
        """Begin to serve; returns when it answers."""
        self.project.start()
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)
        return self

    def wait(self) -> None:
        """Return when the server ends, at Ctrl-C, or when the process is asked to end."""
        asked = threading.Event()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: asked.set())
        try:
            while self._thread.is_alive() and not asked.wait(0.3):
                pass
        except KeyboardInterrupt:
            pass

    def stop(self) -> None:
        """End the server; write labels, history and report."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        report = [partial(write_summary, self.project)] if self.project.ledger.labelled() else []
        try:
            self.project.stop(*report)
        finally:
            self._socket.close()

    def labels(self) -> dict[str, str]:
        """Labels so far, by the names of the rows."""
        return self.project.final_labels()

    def __enter__(self) -> LabelServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            said = f"port {port} of {host} cannot be used: {error.strerror}. Name another --port."
        else:
            said = f"--host {host} is no address of this machine: {error.strerror}."
        raise InputError(said) from error
    return found


def _bind_again(project: Project, host: str) -> socket.socket:
    """The port at which the project was served last, or a free one."""
    try:
        return _bind(host, int(project.store.meta().get("port", "0")))
    except InputError:
        return _bind(host, 0)


def check_host(host: str, consent: bool) -> str | None:
    """Refuse to be seen by others unless somebody says that they know; a warning if they do.

    Examples
    --------
    >>> check_host("127.0.0.1", False)
    >>> check_host("0.0.0.0", False)
    Traceback (most recent call last):
        ...
    uneven.comparison.errors.InputError: --host 0.0.0.0 opens the page to others: ... Add --i-know
        if that is what you want.
    """
    if is_loopback(host):
        return None
    said = WARNING.format(host=host)
    if not consent:
        raise InputError(
            f"--host {host} opens the page to others: {said} Add --i-know if that is what you want."
        )
    return said


def make_pool(
    pool: Any,
    key: str | None,
    *,
    text: str | Sequence[str] = (),
    image: str | None = None,
    drop: Sequence[str] = (),
) -> PoolTable:
    """A pool from a file or a frame; the images of a frame lie below the working folder."""
    text = (text,) if isinstance(text, str) else tuple(text)
    if isinstance(pool, str | Path):
        return read_pool(Path(pool), key, text=text, drop=tuple(drop), image=image)
    frame = as_frame(pool).copy()
    return pool_of_frame(Path.cwd() / "pool", frame, key, text=text, drop=drop, image=image)


def open_server(project: Project, host: str = "127.0.0.1", port: int = 0) -> LabelServer:
    """The server of a project, which is let go if there can be none."""
    try:
        return LabelServer(project, host, port)
    except BaseException:
        project.abandon()
        raise


def announce(server: LabelServer, browser: bool) -> None:
    """Print the addresses, and open the first one."""
    for name, address in server.addresses.items():
        print(f"{name:<14} {address}", flush=True)
    if browser:
        webbrowser.open(next(iter(server.addresses.values())))
