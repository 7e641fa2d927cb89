"""Who may come in: the checks that every request passes before anything else looks at it.

- The name in ``Host`` must be that of this server, so that a page elsewhere cannot reach it by
  letting its own name point here (DNS rebinding).
- A random token in the address says who it is; a cookie, SameSite and unreadable for scripts,
  says it from then on.
- Writes need the ``Origin`` of this page, JSON, and a second token that only the page knows
  (cross-site request forgery).
- Bodies are small. Nothing is loaded from elsewhere, and no script stands in the page itself
  (Content-Security-Policy).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from uneven.labelling.store import Person

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
_OPEN = ("/page.css", "/page.js", "/favicon.ico")
"""What anybody may read: files that are the same for all."""

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class StopError(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


def write_token(token: str) -> str:
    """The second token of a person, which stands in the page and comes back with every write."""
    return hmac.new(token.encode(), b"write", hashlib.sha256).hexdigest()


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


class Guard:
    """Accepts or refuses requests, and adds headers to every response.

    Parameters
    ----------
    app : ASGI application
    people : callable
        Gives the people who have an address.
    host, port : str and int
        To which the server is bound.
    """

    largest_body = LARGEST_BODY

    def __init__(self, app: Any, people: Callable[[], list[Person]], host: str, port: int) -> None:
        self.app, self.people, self.host, self.port = app, people, host, port
        self.cookie = f"uneven-label-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        extra: list[tuple[bytes, bytes]] = []
        try:
            headers = _headers(scope)
            self._check_address(scope, headers)
            person, fresh = self._who(scope, headers)
            if fresh and person:
                value = f"{self.cookie}={person.token}; Path=/; HttpOnly; SameSite=Strict"
                extra.append((b"set-cookie", value.encode()))
            if scope["method"] == "POST":
                self._check_write(headers, person)
            body = await _timely(_read_body(receive, headers, self.largest_body))
        except StopError as stop:
            await _refuse(_guarded(send, []), stop)
            return
        scope.setdefault("state", {})["person"] = person
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

    def _who(self, scope: Scope, headers: dict[str, str]) -> tuple[Person | None, bool]:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        token = query.get("token", [""])[0]
        person = self._find(token)
        if person is not None:
            return person, True
        person = self._find(_cookie(headers.get("cookie", ""), self.cookie))
        if person is None and scope["path"] not in _OPEN:
            raise StopError(403, "open the address with the token that the server printed.")
        return person, False

    def _find(self, token: str) -> Person | None:
        found = None
        for person in self.people():
            if hmac.compare_digest(token.encode(), person.token.encode()):
                found = person
        return found

    def _check_write(self, headers: dict[str, str], person: Person | None) -> None:
        own = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if not own:
            raise StopError(403, "the request does not say which page it comes from.")
        given = headers.get("x-write-token", "")
        if person is None or not hmac.compare_digest(
            given.encode(), write_token(person.token).encode()
        ):
            raise StopError(403, "the page is out of date; load it again.")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise StopError(415, "answers are sent as JSON.")


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key == "host" and key in found:
            raise StopError(400, "the request names two hosts.")
        found[key] = value.decode("latin-1")
    return found


def _cookie(header: str, name: str) -> str:
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return next((value for key, _, value in pairs if key == name), "")


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
