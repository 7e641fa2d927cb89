"""Nobody in: each promise of the guard, and an attempt to break it."""

import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from starlette.testclient import TestClient

from tests.labelling.conftest import HOST, PORT, Visitor
from uneven.comparison import InputError
from uneven.labelling.curve import Point
from uneven.labelling.server import build_app
from uneven.labelling.serving import LabelServer
from uneven.labelling.statuspanel import curve_chart
from uneven.web.guard import LARGEST_BODY, own_name
from uneven.web.server import check_host

READS = ["/", "/next", "/answers", "/again", "/people", "/report", "/status", "/guess/1"]
READS += ["/cell/1/0", "/image/1", "/export/answers.csv", "/export/labels.csv", "/nothing"]


@pytest.fixture
def stranger(make_project):
    return TestClient(build_app(make_project(), "127.0.0.1", PORT), base_url=f"http://{HOST}")


def test_without_a_token_nothing_is_read(stranger):
    for path in READS:
        answer = stranger.get(path)
        assert answer.status_code == 403
        assert "token" in answer.text
        assert "T1000" not in answer.text


def test_a_wrong_token_opens_nothing(stranger):
    for token in ("", "x", "a" * 32, "%00", "é"):
        assert stranger.get(f"/?token={token}").status_code == 403


def test_the_token_becomes_a_strict_cookie_that_scripts_cannot_read(visitor):
    answer = visitor.web.get(f"/?token={visitor.person.token}")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert visitor.web.get("/next").status_code == 200


def test_a_foreign_host_is_refused(visitor):
    for host in ("evil.test", f"evil.test:{PORT}", "127.0.0.1:1", "", "[", "a b"):
        assert visitor.web.get("/next", headers={"Host": host}).status_code == 421


def test_own_names():
    assert own_name("[::1]:80", 80, "127.0.0.1")
    assert own_name("localhost", 80, "127.0.0.1")
    assert not own_name("192.168.1.2:80", 80, "127.0.0.1")
    assert own_name("192.168.1.2:80", 80, "0.0.0.0")
    assert not own_name("127.0.0.1.evil.test:80", 80, "0.0.0.0")


def test_a_foreign_origin_is_refused(visitor):
    row = visitor.question()["row"]
    foreign = ("http://evil.test", "null", "https://" + HOST, "http://[", "", f"http://a@{HOST}")
    for origin in foreign:
        sent = {"key": visitor.key(), "row": row, "kind": "skip"}
        assert visitor.post("/answer", headers={"Origin": origin}, **sent).status_code == 403
    assert visitor.project.ledger.events == {}


def test_a_write_needs_origin_write_token_and_json(visitor):
    row = visitor.question()["row"]
    body = {"key": visitor.key(), "row": row, "kind": "skip"}
    good = visitor.write_headers
    bare = {"X-Write-Token": good["X-Write-Token"]}
    assert visitor.web.post("/answer", json=body, headers=bare).status_code == 403
    forged = {**good, "X-Write-Token": "0" * 64}
    assert visitor.web.post("/answer", json=body, headers=forged).status_code == 403
    none = {"Origin": good["Origin"]}
    assert visitor.web.post("/answer", json=body, headers=none).status_code == 403
    assert visitor.web.post("/answer", data=body, headers=good).status_code == 415
    assert visitor.project.ledger.events == {}
    assert visitor.web.post("/answer", json=body, headers=good).status_code == 200


def test_the_write_token_of_another_person_is_refused(make_project):
    project = make_project(people=("ann", "bob"))
    ann, bob = Visitor(project, 1).enter(), Visitor(project, 2).enter()
    row = ann.question()["row"]
    forged = {"X-Write-Token": bob.write_headers["X-Write-Token"]}
    sent = {"key": ann.key(), "row": row, "kind": "skip"}
    assert ann.post("/answer", headers=forged, **sent).status_code == 403


def test_nobody_undoes_the_answer_of_another(make_project):
    project = make_project(people=("ann", "bob"))
    ann, bob = Visitor(project, 1).enter(), Visitor(project, 2).enter()
    saved = ann.answer(ann.question()["row"], "praise").json()["saved"]
    assert bob.post("/undo", key=bob.key(), event=saved).status_code == 422
    assert len(project.ledger.labelled()) == 1


def test_large_bodies_and_long_words_are_refused(visitor):
    row = visitor.question()["row"]
    assert visitor.answer(row, "x" * LARGEST_BODY).status_code == 413
    assert visitor.answer(row, "x" * 201).status_code == 422
    assert visitor.answer(row, "praise", comment="x" * 2001).status_code == 422

    def endless():
        for _ in range(100):
            yield b" " * 10_000

    headers = {**visitor.write_headers, "Content-Type": "application/json"}
    assert visitor.web.post("/answer", content=endless(), headers=headers).status_code == 413
    assert visitor.project.ledger.events == {}


def test_every_answer_has_a_strict_policy(visitor):
    for path in ("/", "/answers", "/people", "/page.js", "/nothing", "/report"):
        headers = visitor.web.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "script-src 'unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_curves_and_matrices_have_their_style(visitor):
    style = visitor.web.get("/page.css").text
    drawn = curve_chart([Point(10, 9, 5, 0.3, 0.7), Point(20, 9, 2, 0.1, 0.4)])
    used = {name for names in re.findall(r'class="([^"]+)"', drawn) for name in names.split()}
    assert {"band", "line", "gridline"} <= used
    assert [name for name in (*used, "matrices") if f".{name}" not in style] == []


def test_pages_hold_no_script_and_no_style_of_their_own(visitor):
    for path in ("/", "/answers", "/again", "/people"):
        page = visitor.web.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert "<script src=" in page
        assert page.count("<script") == 1


NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=HYPERLINK(1)",
    "\x00\x1b[31m",
    "</textarea><b>",
    "a" * 1_000_000,
]


def test_rows_are_shown_as_text(make_project):
    cells = (NASTY * 7)[:40]
    frame = pd.DataFrame({"size": np.arange(40.0), "note": cells})
    project = make_project(frame)
    web = Visitor(project).enter()
    for row in range(len(NASTY)):
        page = web.web.get(f"/?row={row}").text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "<b>" not in page.partition("<aside")[0].replace("<b></b>", "")
        assert len(page) < 100_000
    long = NASTY.index("a" * 1_000_000)
    page = web.web.get(f"/?row={long}").text
    assert "Show all" in page
    column = project.pool.shown.index("note")
    whole = web.web.get(f"/cell/{long}/{column}")
    assert whole.headers["content-type"].startswith("text/plain")
    assert len(whole.text) == 1_000_000


def test_classes_and_names_are_text_and_no_formulas(visitor):
    row = visitor.question()["row"]
    assert visitor.answer(row, "=1+1").status_code == 422
    assert visitor.answer(row, "?").status_code == 422
    assert visitor.answer(row, "two\nlines").status_code == 422
    assert visitor.answer(row, "<b>bold</b>", comment="=SUM(A1)").status_code == 200
    assert visitor.post("/name", name="<i>me</i>").status_code == 200
    for path in ("/", "/answers", "/people", "/report", "/status"):
        page = visitor.web.get(path).text
        assert "<b>bold" not in page
        assert "<i>me" not in page
    assert "'=SUM(A1)" in visitor.web.get("/export/answers.csv").text


def test_images_come_from_the_column_and_from_below_the_folder_only(make_project, tmp_path):
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (8, 8), "red").save(tmp_path / "pictures" / "a.png")
    outside = tmp_path.parent / f"{tmp_path.name}-secret.png"
    Image.new("RGB", (8, 8)).save(outside)
    (tmp_path / "link.png").symlink_to(outside)
    (tmp_path / "drawing.svg").write_text("<svg onload='alert(1)'/>")
    (tmp_path / "fake.png").write_text("<script>alert(1)</script>")
    cells = ["pictures/a.png", f"../{outside.name}", str(outside), "link.png", "drawing.svg"]
    cells += ["fake.png", "", "missing.png", ".", "/etc/passwd", "pictures/../pictures/a.png"]
    frame = pd.DataFrame({"file": cells, "size": np.arange(float(len(cells)))})
    web = Visitor(make_project(frame)).enter().web
    found = [web.get(f"/image/{row}").status_code for row in range(len(cells))]
    assert found == [200, 404, 404, 404, 404, 404, 404, 404, 404, 404, 200]
    assert web.get("/image/0").headers["content-type"] == "image/png"
    assert 'src="/image/0"' in web.get("/?row=0").text
    told = web.get("/?row=9").text
    assert "No image of this row can be shown: /etc/passwd." in told
    assert "<img" not in told
    for path in ("/image/..%2f..%2fetc%2fpasswd", "/image/-1", "/image/999", "/image/a.png"):
        assert web.get(path).status_code in (404, 422)
    outside.unlink()


def test_exports_are_named_and_lead_to_no_path(visitor):
    for name in ("..%2fanswers.sqlite", "answers.sqlite", "%2e%2e", "labels.csv%00"):
        assert visitor.web.get(f"/export/{name}").status_code in (404, 422)


def test_another_host_needs_consent():
    with pytest.raises(InputError, match="--i-know"):
        check_host("0.0.0.0", False)
    assert "not encrypted" in check_host("0.0.0.0", True)


def test_the_server_is_bound_to_this_machine_and_a_used_port_is_told(make_project):
    server = LabelServer(make_project())
    assert server._socket.getsockname()[0] == "127.0.0.1"
    second = make_project(folder=server.project.folder.parent / "other")
    server._socket.listen()
    with pytest.raises(InputError, match="Name another --port"):
        LabelServer(second, port=server.port)
    server._socket.close()


def test_other_methods_and_sockets_are_refused(visitor):
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"):
        assert visitor.web.request(method, "/answer").status_code == 405
