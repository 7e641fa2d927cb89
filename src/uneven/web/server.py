"""A server of pages on a thread of its own, its address, and who may reach it."""

from __future__ import annotations

import errno
import signal
import socket
import threading
import time
from functools import partial
from typing import Any

from uneven.comparison.errors import InputError
from uneven.web.guard import is_loopback

WARNING = (
    "the page is open to everybody who can reach {host} and knows a token; what is sent is not "
    "encrypted, so whoever listens on the network can read rows, answers and tokens."
)


SILENCE = 10.0
"""Seconds for the head of a request to arrive."""


def _impatient_protocol() -> Any:
    """HTTP that ends connections whose request does not begin, or whose head arrives too slowly."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class ImpatientProtocol(H11Protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            self._end: Any = None
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, error: Exception | None) -> None:
            self._forget()
            super().connection_lost(error)

        def _watch(self) -> None:
            if self.cycle is not None and not self.cycle.response_complete:
                self._forget()
            elif self._end is None:
                self._end = self.loop.call_later(SILENCE, self.transport.abort)

        def _forget(self) -> None:
            if self._end is not None:
                self._end.cancel()
                self._end = None

    return ImpatientProtocol


class ServerThread:
    """Serves an application on a thread of its own.

    Parameters
    ----------
    app : ASGI application
    listening : socket
        Bound to the address.
    most : int
        Requests at the same time; further ones get the status 503.
    """

    def __init__(self, app: Any, listening: socket.socket, most: int = 500) -> None:
        import uvicorn

        config = uvicorn.Config(
            app,
            http=_impatient_protocol(),
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_keep_alive=30,
            limit_concurrency=most,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        run = partial(self._server.run, sockets=[listening])
        self._thread = threading.Thread(target=run, daemon=True)

    def start(self) -> None:
        """Begin to serve; returns when it answers."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)

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
        """End the server; requests that are under way have two seconds to finish."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=10)


def shown_address(host: str, port: int) -> str:
    """What to open in order to reach a server.

    Examples
    --------
    >>> shown_address("127.0.0.1", 8000), shown_address("2001:db8::1", 80)
    ('http://127.0.0.1:8000', 'http://[2001:db8::1]:80')
    """
    shown = "127.0.0.1" if is_loopback(host) else host
    if shown in ("0.0.0.0", "::"):
        shown = socket.gethostname()
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def bind(host: str, port: int) -> socket.socket:
    """A socket at an address of this machine; port 0 takes a free one."""
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


def check_host(host: str, consent: bool, warning: str = WARNING) -> str | None:
    """Refuse to be seen by others unless somebody says that they know; a warning if they do.

    Examples
    --------
    >>> check_host("127.0.0.1", False)
    >>> check_host("0.0.0.0", False)
    Traceback (most recent call last):
        ...
    uneven.comparison.errors.InputError: --host 0.0.0.0 lets others in: ... Add --i-know
        if that is what you want.
    """
    if is_loopback(host):
        return None
    said = warning.format(host=host)
    if not consent:
        raise InputError(
            f"--host {host} lets others in: {said} Add --i-know if that is what you want."
        )
    return said
