"""The checks that every request passes before anything else looks at it.

- The name in ``Host`` must be that of this server, so that a page elsewhere cannot reach it by
  letting its own name point here (DNS rebinding).
- Requests of other sites are refused by their ``Origin``.
- Bodies are small and arrive in time. Nothing is loaded from elsewhere, and no script stands in a
  page itself (Content-Security-Policy).

Who may come in, and what a write needs, is decided by a subclass.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from abc import ABCMeta, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any
from urllib.parse import urlsplit

LARGEST_BODY = 65_536
LONGEST_WAIT = 30.0
"""Seconds for the body of a request to arrive."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class StopError(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def own_name(header: str, port: int, host: str) -> bool:
    """Whether a ``Host`` header names this server.

    Parameters
    ----------
    header : str
    port : int
    host : str
        The address to which the server is bound. If others can reach it, any address in numbers
        and the name of this machine are its own; a foreign name never is.

    Examples
    --------
    >>> own_name("127.0.0.1:8000", 8000, "127.0.0.1"), own_name("evil.test:8000", 8000, "0.0.0.0")
    (True, False)
    """
    if "@" in header:
        return False
    try:
        parts = urlsplit(f"//{header}")
        name, given = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return False
    if given != port and not (given is None and port == 80):
        return False
    if name in ("localhost", host.lower()) or is_loopback(name):
        return True
    if is_loopback(host):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == socket.gethostname().lower()
    return True


class Guard(metaclass=ABCMeta):
    """Accepts or refuses requests, and adds headers to every response.

    Parameters
    ----------
    app : ASGI application
    host, port : str and int
        To which the server is bound.

    Attributes
    ----------
    largest_body : int
        Bytes of the largest body that is read.
    """

    largest_body = LARGEST_BODY

    def __init__(self, app: Any, host: str, port: int) -> None:
        self.app, self.host, self.port = app, host, port

    @abstractmethod
    def _admit(self, scope: Scope, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
        """Raise `StopError` for strangers; note in ``scope`` who it is; headers to send back."""

    @abstractmethod
    def _check_write(self, scope: Scope, headers: dict[str, str]) -> None:
        """Raise `StopError` if a request that was admitted may not change anything."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            headers = _headers(scope)
            self._check_address(scope, headers)
            extra = self._admit(scope, headers)
            if scope["method"] == "POST":
                self._check_write(scope, headers)
            body = await _timely(_read_body(receive, headers, self.largest_body))
        except StopError as stop:
            await _refuse(_guarded(send, []), stop)
            return
        await self.app(scope, _replayed(body, receive), _guarded(send, extra))

    def _check_address(self, scope: Scope, headers: dict[str, str]) -> None:
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise StopError(405, "this server takes GET and POST only.")
        if not own_name(headers.get("host", ""), self.port, self.host):
            raise StopError(421, "this server goes by another name; open the address it printed.")
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin):
            raise StopError(403, "the request comes from another site.")
        if headers.get("sec-fetch-site") == "cross-site" and scope["method"] != "GET":
            raise StopError(403, "the request comes from another site.")

    def _is_own(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        return scheme == "http" and own_name(host, self.port, self.host)


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key == "host" and key in found:
            raise StopError(400, "the request names two hosts.")
        found[key] = value.decode("latin-1")
    return found


async def _timely(reading: Coroutine[Any, Any, bytes]) -> bytes:
    try:
        return await asyncio.wait_for(reading, LONGEST_WAIT)
    except TimeoutError:
        raise StopError(408, "the request took too long to arrive.") from None
    except asyncio.CancelledError:  # what the server does to slow requests when it ends
        raise StopError(503, "the server ends.") from None


async def _read_body(receive: Receive, headers: dict[str, str], most: int) -> bytes:
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length[:12]) > most or len(length) > 12:
        raise StopError(413, f"more than {most} bytes are not taken.")
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise StopError(400, "the request broke off.")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > most:
            raise StopError(413, f"more than {most} bytes are not taken.")
    return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _guarded(send: Send, extra: list[tuple[bytes, bytes]]) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", [])}
            added = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]
            added = [(k, v) for k, v in added if k not in given]
            message["headers"] = [*message.get("headers", []), *added, *extra]
        await send(message)

    return guarded


async def _refuse(send: Send, stop: StopError) -> None:
    body = f"{stop}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": stop.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
