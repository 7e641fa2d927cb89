from __future__ import annotations

import itertools

import pandas as pd
import pytest
from starlette.testclient import TestClient

from uneven.labelling.demo import CLASSES, demo_messages
from uneven.labelling.guard import write_token
from uneven.labelling.pool import pool_of_frame
from uneven.labelling.project import Options, Project
from uneven.labelling.server import build_app

PORT = 8123
HOST = f"127.0.0.1:{PORT}"


class Visitor:
    """A person in front of the page, without a browser."""

    _keys = itertools.count()

    def __init__(self, project: Project, person: int = 1) -> None:
        self.project, self.person = project, project.people[person]
        app = build_app(project, "127.0.0.1", PORT)
        self.web = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
        self.write_headers = {
            "Origin": f"http://{HOST}",
            "X-Write-Token": write_token(self.person.token),
        }

    def enter(self) -> Visitor:
        assert self.web.get(f"/?token={self.person.token}").status_code == 200
        return self

    def post(self, path: str, headers: dict | None = None, **body: object):
        return self.web.post(path, json=body, headers={**self.write_headers, **(headers or {})})

    def key(self) -> str:
        return f"test-key-{next(self._keys):08d}"

    def question(self) -> dict:
        return self.web.get("/next").json()

    def answer(self, row: int, label: str = "", kind: str = "label", **more: object):
        return self.post(
            "/answer", **{"key": self.key(), "row": row, "kind": kind, "label": label, **more}
        )


@pytest.fixture
def messages():
    """Forty messages and what they are about."""
    return demo_messages(40)


@pytest.fixture
def make_project(tmp_path, messages):
    """Build projects without a learner beside them; all are closed at the end."""
    made = []

    def make(frame: pd.DataFrame | None = None, *, folder=None, start=False, **options):
        frame = messages[0] if frame is None else frame
        key = "ticket" if "ticket" in frame else None
        text = ("message",) if "message" in frame else ()
        image = "file" if "file" in frame else None
        pool = pool_of_frame(tmp_path / "pool.csv", frame, key, text=text, image=image)
        chosen = Options(**{"classes": CLASSES, **options})
        project = Project(pool, folder or tmp_path / "project", None, chosen, process=False)
        made.append(project)
        if start:
            project.start()
        return project

    yield make
    for project in made:
        try:
            project.stop()
        except Exception:
            project.store.close()


@pytest.fixture
def visitor(make_project):
    return Visitor(make_project()).enter()
