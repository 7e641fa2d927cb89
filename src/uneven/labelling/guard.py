"""Who may come to the labelling page.

- A random token in the address says who it is; a cookie, SameSite and unreadable for scripts,
  says it from then on.
- Writes need the ``Origin`` of this page, JSON, and a second token that only the page knows
  (cross-site request forgery).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from uneven.labelling.store import Person
from uneven.web.guard import Guard, Scope, StopError

_OPEN = ("/page.css", "/page.js", "/favicon.ico")
"""What anybody may read: files that are the same for all."""


def write_token(token: str) -> str:
    """The second token of a person, which stands in the page and comes back with every write."""
    return hmac.new(token.encode(), b"write", hashlib.sha256).hexdigest()


class PeopleGuard(Guard):
    """Admits people by the token of their address, later by a cookie.

    Parameters
    ----------
    app : ASGI application
    people : callable
        Gives the people who have an address.
    host, port : str and int
        To which the server is bound.
    """

    def __init__(self, app: Any, people: Callable[[], list[Person]], host: str, port: int) -> None:
        super().__init__(app, host, port)
        self.people, self.cookie = people, f"uneven-label-{port}"

    def _admit(self, scope: Scope, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        fresh = self._find(query.get("token", [""])[0])
        person = fresh or self._find(_cookie(headers.get("cookie", ""), self.cookie))
        if person is None and scope["path"] not in _OPEN:
            raise StopError(403, "open the address with the token that the server printed.")
        scope.setdefault("state", {})["person"] = person
        if fresh is None:
            return []
        value = f"{self.cookie}={fresh.token}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"set-cookie", value.encode())]

    def _find(self, token: str) -> Person | None:
        found = None
        for person in self.people():
            if hmac.compare_digest(token.encode(), person.token.encode()):
                found = person
        return found

    def _check_write(self, scope: Scope, headers: dict[str, str]) -> None:
        own = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if not own:
            raise StopError(403, "the request does not say which page it comes from.")
        given, person = headers.get("x-write-token", ""), scope["state"]["person"]
        if person is None or not hmac.compare_digest(
            given.encode(), write_token(person.token).encode()
        ):
            raise StopError(403, "the page is out of date; load it again.")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise StopError(415, "answers are sent as JSON.")


def _cookie(header: str, name: str) -> str:
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return next((value for key, _, value in pairs if key == name), "")
