"""Two thousand requests that nobody would send on purpose: none of them breaks the server."""

import json
import random

import pytest

from tests.labelling.conftest import Visitor

PATHS = ["/", "/next", "/answers", "/again", "/people", "/report", "/status", "/page.css", "/class"]
PATHS += ["/guess/{}", "/cell/{}/{}", "/image/{}", "/export/{}", "/answer", "/undo", "/name", "/x"]
ODD = [0, 1, -1, 39, 40, 2**31, 2**63, 10**30, "a", "", "%00", "..%2f..", "😀", "%ff", "1e3", None]
ODD += [1.5, True, [], {}, [1], {"a": 1}, "nan", "\ud800", "<b>", "x" * 300, "praise", "label"]
KINDS = ["label", "skip", "unsure", "ruling", "undo", "", None, 3]


def odd_body(rng):
    keys = ["key", "row", "kind", "label", "comment", "sure", "seconds", "seen", "asked", "event"]
    body = {key: rng.choice(ODD) for key in rng.sample([*keys, "name", "stay"], rng.randint(0, 9))}
    if rng.random() < 0.6:
        body["key"] = f"fuzz-key-{rng.randint(0, 400):05d}"
    if rng.random() < 0.6:
        body |= {"row": rng.randint(0, 45), "kind": rng.choice(KINDS)}
    text = json.dumps(body)
    return rng.choice([text, text, text, text, text[: rng.randint(0, len(text))], "[1", "null"])


@pytest.mark.slow
def test_no_request_gives_an_error_of_the_server(make_project, monkeypatch):
    project = make_project(people=("ann", "bob"))
    monkeypatch.setattr(project, "guess", lambda row: None)
    visitor = Visitor(project).enter()
    visitor.web.raise_server_exceptions = False
    rng, found = random.Random(0), {}
    for _ in range(2000):
        path = rng.choice(PATHS)
        while "{}" in path:
            path = path.replace("{}", str(rng.choice(ODD[:16])), 1)
        path = path.encode("utf-8", "replace").decode()
        headers = dict(visitor.write_headers) if rng.random() < 0.9 else {"Origin": "x"}
        headers["Content-Type"] = rng.choice(["application/json"] * 9 + ["text/plain"])
        if rng.random() < 0.5:
            query = {
                rng.choice(["q", "row", "token"]): rng.choice(["a", "-1", "1", "\x00", "é" * 90])
            }
            answer = visitor.web.get(path, params=query)
        else:
            answer = visitor.web.post(path, content=odd_body(rng), headers=headers)
        found[answer.status_code] = found.get(answer.status_code, 0) + 1
        assert answer.status_code < 500, (path, answer.text)
    assert found[200] > 200
    assert {403, 404, 422} <= set(found)
    assert len(project.store.events()) == len(project.ledger.events)
