"""The requests of the page. Who may send them is decided in `uneven.labelling.guard`."""

from __future__ import annotations

import base64
import hashlib
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field

from uneven.comparison.errors import InputError
from uneven.labelling import cards, exports, views
from uneven.labelling.guard import PeopleGuard
from uneven.labelling.naming import LONGEST_LABEL, LONGEST_NAME, RefusedError
from uneven.labelling.peoplepage import people_page
from uneven.labelling.project import LONGEST_COMMENT, ChangedError, Project
from uneven.labelling.statuspanel import status_panel
from uneven.labelling.store import Event, NotKeptError, Person
from uneven.labelling.summary import summary_page
from uneven.report.markup import asset, page_style

LONGEST_SEARCH = 200
_MOST = 2**53

Number = Annotated[int, Field(ge=0, le=_MOST)]
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
RowNumber = Annotated[int, InPath(ge=0, le=_MOST)]


class Said(BaseModel):
    """An answer as the page sends it."""

    key: Key
    row: Number
    kind: Literal["label", "skip", "unsure", "ruling"]
    label: Annotated[str, Field(max_length=4 * LONGEST_LABEL)] = ""
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] = ""
    sure: bool = True
    seconds: Annotated[float | None, Field(ge=0, le=86_400, allow_inf_nan=False)] = None
    seen: Number = 0
    asked: Annotated[str, Field(max_length=20)] = ""
    stay: bool = False


class TakenBack(BaseModel):
    """An answer to undo; 0 is the last one."""

    key: Key
    event: Number = 0


class NewName(BaseModel):
    """A class, or the name of a person."""

    name: Annotated[str, Field(max_length=4 * LONGEST_NAME)]


def build_app(project: Project, host: str = "127.0.0.1", port: int = 8000) -> PeopleGuard:
    """The server of a project.

    Parameters
    ----------
    project : Project
        That was started.
    host, port : str and int
        To which the server will be bound; requests under other names are refused.

    Returns
    -------
    ASGI application
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _handle_errors(app)
    _serve_pages(app, project)
    _serve_rows(app, project)
    _take_answers(app, project)
    _serve_exports(app, project)
    return PeopleGuard(app, lambda: list(project.people.values()), host, port)


def _me(request: Request) -> Person:
    person: Person = request.state.person
    return person


def _handle_errors(app: FastAPI) -> None:
    def say(status: int, said: str) -> JSONResponse:
        return JSONResponse({"said": said}, status_code=status)

    @app.exception_handler(RequestValidationError)
    def _wrong(request: Request, error: Any) -> Response:
        where = ", ".join(str(part) for one in error.errors()[:3] for part in one["loc"][1:])
        where = where.encode("ascii", "replace").decode()[:200]
        return say(422, f"the request is wrong in: {where or 'its form'}.")

    @app.exception_handler(ChangedError)
    def _changed(request: Request, error: Any) -> Response:
        return say(409, str(error))

    @app.exception_handler(RefusedError)
    def _refused(request: Request, error: Any) -> Response:
        return say(422, str(error))

    @app.exception_handler(NotKeptError)
    def _full(request: Request, error: Any) -> Response:
        return say(507, f"This is NOT saved: {error}")

    @app.exception_handler(InputError)
    def _damaged(request: Request, error: Any) -> Response:
        return say(409, str(error))

    @app.exception_handler(OSError)
    def _unreadable(request: Request, error: Any) -> Response:
        return say(507, f"A file cannot be read or written: {error}")


def _serve_pages(app: FastAPI, project: Project) -> None:
    @app.get("/", response_class=HTMLResponse)
    def label(request: Request, row: Annotated[int | None, Query(ge=0, le=_MOST)] = None) -> str:
        return views.label_page(project, _me(request), _row(project, row))

    @app.get("/answers", response_class=HTMLResponse)
    def answers(request: Request, q: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "") -> str:
        return views.answers_page(project, _me(request), q)

    @app.get("/again", response_class=HTMLResponse)
    def again(request: Request) -> str:
        return views.again_page(project, _me(request))

    @app.get("/people", response_class=HTMLResponse)
    def people(request: Request) -> str:
        return people_page(project, _me(request))

    @app.get("/report")
    def report() -> Response:
        digest = base64.b64encode(hashlib.sha256(asset("page.js").encode()).digest()).decode()
        policy = (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
            "img-src data:; base-uri 'none'; frame-ancestors 'none'"
        )
        return HTMLResponse(summary_page(project), headers={"Content-Security-Policy": policy})

    @app.get("/page.css")
    def style() -> Response:
        both = page_style() + asset("page.css", "uneven.labelling")
        return Response(both, media_type="text/css", headers={"Cache-Control": "max-age=3600"})

    @app.get("/page.js")
    def script() -> Response:
        text = asset("page.js", "uneven.labelling")
        kind = "text/javascript"
        return Response(text, media_type=kind, headers={"Cache-Control": "max-age=3600"})

    @app.get("/favicon.ico")
    def icon() -> Response:
        return Response(status_code=204)


def _row(project: Project, row: int | None) -> int | None:
    if row is not None and row >= len(project.pool.names):
        raise RefusedError("there is no such row.")
    return row


def _serve_rows(app: FastAPI, project: Project) -> None:
    @app.get("/next")
    def question(request: Request) -> dict[str, Any]:
        return cards.next_card(project, _me(request))

    @app.get("/status", response_class=HTMLResponse)
    def status(request: Request) -> str:
        return status_panel(project, _me(request))

    @app.get("/guess/{row}")
    def guess(row: RowNumber) -> Response:
        _row(project, row)
        found = project.guess(row)
        if found is None:
            return JSONResponse({"said": "The learner is thinking."}, status_code=202)
        return HTMLResponse(cards.guess_panel(project, found))

    @app.get("/cell/{row}/{column}")
    def cell(row: RowNumber, column: RowNumber) -> Response:
        _row(project, row)
        if column >= len(project.pool.shown):
            raise RefusedError("there is no such column.")
        cells = project.pool.cells([row])[0]
        text = cells[project.pool.shown[column]].encode("utf-8", "replace")
        return Response(text, media_type="text/plain; charset=utf-8")

    @app.get("/image/{row}")
    def image(row: RowNumber) -> Response:
        _row(project, row)
        if project.pool.image is None:
            raise RefusedError("this table has no images.")
        found = project.pool.image_of(row)
        if found is None:
            return JSONResponse({"said": "There is no image that can be shown."}, 404)
        content, kind = found
        keep = {"Cache-Control": "private, max-age=600"}
        return Response(content, media_type=kind, headers=keep)


def _take_answers(app: FastAPI, project: Project) -> None:
    @app.post("/answer")
    def answer(request: Request, said: Said) -> dict[str, Any]:
        _row(project, said.row)
        me = _me(request)
        event = Event(
            said.key,
            me.id,
            project.pool.names[said.row],
            said.kind,
            said.label if said.kind in ("label", "ruling") else "",
            said.comment.encode("utf-8", "replace").decode().replace("\x00", ""),
            said.sure,
            said.seconds,
            said.asked.encode("utf-8", "replace").decode().replace("\x00", ""),
        )
        kept = project.answer(event, said.seen)
        told = {"saved": kept.id, "said": cards.in_words(kept)}
        told["warning"] = cards.overruled(project, kept)
        return told if said.stay else {**told, **cards.next_card(project, me)}

    @app.post("/undo")
    def undo(request: Request, said: TakenBack) -> dict[str, Any]:
        me = _me(request)
        known = project.ledger.keys.get(said.key)
        number = said.event or (known.undoes if known else None)
        if not number:
            last = project.last_answer(me.id)
            if last is None:
                raise RefusedError("there is nothing to take back.")
            number = last.id
        kept = project.undo(said.key, me.id, number)
        row, undone = project.pool.where[kept.row], project.ledger.events[number]
        told = {"saved": kept.id, "said": f"Taken back: row {kept.row}."}
        if undone.kind == "ruling":
            told["warning"] = f"Your decision about row {kept.row} is taken back."
            return {**told, **cards.next_card(project, me)}
        project.desk.hold(me.id, row, undone.asked or "again")
        return {**told, **cards.row_card(project, me, row)}

    @app.post("/class")
    def new_class(said: NewName) -> dict[str, Any]:
        name = project.add_class(said.name)
        return {"said": f"New class: {name}.", "choices": cards.choices(project), "name": name}

    @app.post("/name")
    def rename(request: Request, said: NewName) -> dict[str, Any]:
        project.rename(_me(request).id, said.name)
        return {"said": "Your name is saved."}


def _serve_exports(app: FastAPI, project: Project) -> None:
    @app.get("/export/{name}")
    def export(name: Annotated[str, InPath(max_length=40)]) -> Response:
        if name not in exports.EXPORTS:
            raise RefusedError(f"there is no such export; there are {', '.join(exports.EXPORTS)}.")
        content, kind = exports.EXPORTS[name](project)
        attached = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=attached)
