"""Start and stop the server of a project."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from uneven.comparison.errors import InputError
from uneven.comparison.inputs import as_frame
from uneven.labelling.pool import PoolTable, pool_of_frame, read_pool
from uneven.labelling.project import Project
from uneven.labelling.summary import write_summary
from uneven.utils.optional import require
from uneven.web.server import ServerThread, bind, shown_address


class LabelServer:
    """The server of a labelling project.

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
        require("uvicorn", "the labelling page", "label")
        require("fastapi", "the labelling page", "label")
        from uneven.labelling.server import build_app

        self.project, self.host = project, host
        self._socket = bind(host, port) if port else _bind_again(project, host)
        self.port = int(self._socket.getsockname()[1])
        project.store.set_meta(port=str(self.port))
        self._thread = ServerThread(build_app(project, host, self.port), self._socket)

    @property
    def addresses(self) -> dict[str, str]:
        """The address of each person."""
        shown = shown_address(self.host, self.port)
        return {p.name: f"{shown}/?token={p.token}" for p in self.project.people.values()}

    def start(self) -> LabelServer:
        """Begin to serve; returns when it answers."""
        self.project.start()
        self._thread.start()
        return self

    def wait(self) -> None:
        """Return when the server ends, at Ctrl-C, or when the process is asked to end."""
        self._thread.wait()

    def stop(self) -> None:
        """End the server; write labels, history and report."""
        self._thread.stop()
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


def _bind_again(project: Project, host: str) -> socket.socket:
    """The port at which the project was served last, or a free one."""
    try:
        return bind(host, int(project.store.meta().get("port", "0")))
    except InputError:
        return bind(host, 0)


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
