"""``uneven serve``: a small HTTP service around one model.

``GET /health`` says that the service answers, ``GET /model`` which columns it needs, and
``POST /predict`` predicts rows. Everything but ``/health`` needs a token.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import numpy as np
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from uneven.comparison import InputError
from uneven.persistence.model_file import ModelFileError
from uneven.serving.served import Served, check_rows, open_model
from uneven.web.guard import Guard, Scope, StopError
from uneven.web.server import ServerThread, bind, check_host, shown_address

LARGEST_BODY = 8 << 20
MOST_ROWS = 10_000
MOST_REQUESTS = 64
"""At the same time; one after another is predicted."""

TOKEN = "UNEVEN_TOKEN"
"""The variable of the environment with the token."""

LEAST_TOKEN = 16
WARNING = (
    "everybody who can reach {host} and knows the token can ask for predictions, and the "
    "connection is not encrypted: use a reverse proxy with TLS."
)


class Rows(BaseModel):
    """Rows to predict: a value, or null, for each column.

    The cells are checked by `check_rows`, which stops at the first wrong one; here each of them
    would become several errors, gigabytes for one request.
    """

    rows: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_ROWS)]


class TokenGuard(Guard):
    """Accepts requests with the token of the service, except those for its health.

    Parameters
    ----------
    app : ASGI application
    token : str
    host, port : str and int
        To which the server is bound.
    """

    largest_body = LARGEST_BODY

    def __init__(self, app: Any, token: str, host: str, port: int) -> None:
        super().__init__(app, host, port)
        self.token = token

    def _admit(self, scope: Scope, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        known = hmac.compare_digest(given.encode(), self.token.encode())
        known = known and scheme.lower() == "bearer"
        if not known and scope["path"] != "/health":
            raise StopError(401, "send the header Authorization: Bearer TOKEN.")
        return []

    def _check_write(self, scope: Scope, headers: dict[str, str]) -> None:
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise StopError(415, "rows are sent as JSON.")


def build_service(model: Served, token: str, host: str = "127.0.0.1", port: int = 8000) -> Guard:
    """The application that serves a model.

    Parameters
    ----------
    model : Served
    token : str
    host, port : str and int
        To which the server will be bound; requests under other names are refused.

    Returns
    -------
    ASGI application
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    one_at_a_time = Lock()

    @app.exception_handler(RequestValidationError)
    def _wrong(request: Request, error: Any) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:4])
        where = where.encode("ascii", "replace").decode()[:200]
        return _refusal(f"the request is wrong in {where or 'its form'}: {first['msg']}.")

    @app.exception_handler(InputError)
    def _refused(request: Request, error: Any) -> Response:
        return _refusal(str(error))

    @app.exception_handler(ModelFileError)
    def _damaged(request: Request, error: Any) -> Response:
        return JSONResponse({"error": str(error)}, status_code=500)

    @app.exception_handler(HTTPException)
    def _stopped(request: Request, error: Any) -> Response:
        return JSONResponse({"error": f"{error.detail}."}, error.status_code, error.headers)

    @app.api_route("/health", methods=["GET", "HEAD"])
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/model")
    def describe() -> dict[str, Any]:
        shown = ("label", "target", "classes", "columns")
        return {name: getattr(model, name) for name in shown}

    @app.post("/predict")
    def predict(sent: Rows) -> dict[str, Any]:
        ignored = check_rows(sent.rows, [one["name"] for one in model.columns])
        with one_at_a_time:
            predictions, shares, notes = model.predict(sent.rows)
        if shares is not None and not np.isfinite(shares).all():
            k = int(np.flatnonzero(~np.isfinite(shares).all(axis=1))[0])
            raise InputError(f"row {k + 1} holds numbers that are too large for this model.")
        found = {"predictions": predictions, "classes": model.classes, "ignored": ignored}
        found["notes"] = notes
        return found | ({} if shares is None else {"probabilities": shares.tolist()})

    return TokenGuard(app, token, host, port)


def _refusal(said: str) -> Response:
    return JSONResponse({"error": said}, status_code=422)


def own_token() -> tuple[str, bool]:
    """The token of the environment, or a new one, and whether it is new.

    Raises
    ------
    InputError
        If that of the environment is too short or cannot stand in a header.
    """
    given = os.environ.get(TOKEN, "")
    if not given:
        return secrets.token_urlsafe(24), True
    if len(given) < LEAST_TOKEN or not (given.isascii() and given.isprintable()) or " " in given:
        raise InputError(
            f"{TOKEN} must have {LEAST_TOKEN} or more letters, digits and signs of ASCII."
        )
    return given, False


def serve(path: Path, host: str = "127.0.0.1", port: int = 8000, consent: bool = False) -> None:
    """Serve a model until Ctrl-C, or until the process is asked to end.

    Parameters
    ----------
    path : Path
        File of ``uneven fit``, ``compare`` or ``export``.
    host, port : str and int
    consent : bool
        Whether others may reach the service.

    Raises
    ------
    InputError
        If the model cannot be read, or the address cannot be used.
    """
    warning = check_host(host, consent, WARNING)
    token, is_new = own_token()
    model = open_model(path)
    listening = bind(host, port)
    port = int(listening.getsockname()[1])
    thread = ServerThread(build_service(model, token, host, port), listening, MOST_REQUESTS)
    try:
        thread.start()
        print(f"Model    {model.label} predicts {model.target}", flush=True)
        print(f"Address  {shown_address(host, port)}/predict", flush=True)
        print(f"Token    {token if is_new else f'that of {TOKEN}'}", flush=True)
        if warning:
            print(f"Warning  {warning}", flush=True)
        thread.wait()
    finally:
        thread.stop()
        listening.close()
