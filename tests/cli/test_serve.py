"""``uneven serve``: over HTTP come the predictions of ``uneven predict``, with the token only."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from uneven.comparison import InputError
from uneven.serving.served import open_model
from uneven.serving.service import LARGEST_BODY, MOST_ROWS, build_service, own_token
from uneven.web import guard, server

TOKEN, PORT = "t" * 24, 8000
HOST = f"127.0.0.1:{PORT}"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def model(uneven, table, tmp_path):
    words = ("--method", "combo", "--rounds", 4, "--out", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    return tmp_path / "m.skops"


def client(path, token=TOKEN, host="127.0.0.1"):
    app = build_service(open_model(path), token, host, PORT)
    return TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)


@pytest.fixture
def service(model):
    return client(model)


@pytest.fixture
def rows(frame):
    cells = frame.drop(columns="label").astype(object)
    return cells.where(cells.notna(), None).to_dict("records")


def ask(service, rows, **headers):
    return service.post("/predict", json={"rows": rows}, headers=BEARER | headers)


@pytest.mark.parametrize("suffix", ["skops", "onnx"])
def test_predictions_are_those_of_the_command(uneven, table, model, rows, suffix):
    assert uneven("predict", model, table, "--proba", "--out", "said.csv").code == 0
    said = pd.read_csv("said.csv")
    if suffix == "onnx":
        assert uneven("export", model, "m.onnx").code == 0
        model = model.with_suffix(".onnx")
    found = ask(client(model), rows)
    assert found.status_code == 200
    assert found.json()["predictions"] == said["predicted_label"].tolist()
    assert found.json()["classes"] == ["common", "less", "rare"]
    expected = said[[f"share_{name}" for name in found.json()["classes"]]]
    np.testing.assert_allclose(found.json()["probabilities"], expected, rtol=0, atol=1e-9)


def test_the_model_is_described(service):
    found = service.get("/model", headers=BEARER).json()
    assert found["target"] == "label"
    assert found["classes"] == ["common", "less", "rare"]
    assert {"name": "sound__pitch", "kind": "number"} in found["columns"]
    words = next(one for one in found["columns"] if one["name"] == "text__word")
    assert "other" in words["categories"]


def test_only_health_is_open_without_the_token(service, rows):
    assert service.get("/health").json() == {"status": "ok"}
    assert service.head("/health").status_code == 200
    assert service.get("/health/").status_code == 401
    lower = {"Authorization": f"bearer {TOKEN}"}
    assert service.get("/model", headers=lower).status_code == 200
    assert service.get("/nothing", headers=lower).json() == {"error": "Not Found."}
    for header in ({}, {"Authorization": TOKEN}, {"Authorization": "Bearer é"}):
        sent = {name: value.encode() for name, value in header.items()}
        assert service.get("/model", headers=sent).status_code == 401
        assert service.post("/predict", json={"rows": rows}, headers=sent).status_code == 401
    assert service.get(f"/model?token={TOKEN}").status_code == 401


def test_other_sites_and_names_are_refused(service, rows):
    assert service.get("/health", headers={"Host": "evil.test"}).status_code == 421
    assert ask(service, rows, Origin="http://evil.test").status_code == 403
    assert ask(service, rows, Host=f"evil.test:{PORT}").status_code == 421
    form = BEARER | {"Content-Type": "text/plain"}
    assert service.post("/predict", content='{"rows": []}', headers=form).status_code == 415
    assert service.delete("/model", headers=BEARER).status_code == 405


def test_wrong_rows_are_named(service, rows):
    known = dict(rows[5])
    lacking = {name: cell for name, cell in known.items() if name != "sound__pitch"}
    found = ask(service, [known, lacking])
    assert found.status_code == 422
    assert "row 2 lacks 'sound__pitch'; send null" in found.json()["error"]
    found = ask(service, [known | {"sound__pitch": "loud"}])
    assert found.status_code == 422
    assert "sound__pitch" in found.json()["error"]
    found = ask(service, [known | {"key": 7}])
    assert found.json()["ignored"] == ["key"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"rows": []}',
        b'{"rows": [[1]]}',
        b'{"rows": [{"sound__pitch": [1]}]}',
        b'{"rows": [{"sound__pitch": NaN}]}',
        b'{"rows": [{"sound__pitch": 1e999}]}',
        b'{"rows": ' + b"[" * 100_000,
        b'{"rows": [{"sound__pitch": ' + b"9" * 400 + b"}]}",
        b'{"rows": [{"sound__pitch": "\\ud800"}]}',
        b'{"rows": [{"\\ud800": 1}]}',
        b"\xff\xfe",
        b'{"rows": [' + b"{}," * MOST_ROWS + b"{}]}",
    ],
)
def test_wrong_bodies_are_refused(service, body):
    headers = BEARER | {"Content-Type": "application/json"}
    found = service.post("/predict", content=body, headers=headers)
    assert found.status_code in (400, 422)


def test_odd_cells_are_read_or_refused(service, rows):
    for cell in (None, "", True, 0, -1, 1e308, 10**18, 10**400, "7", "1,5", "\x00", "é" * 1000):
        for name in ("sound__pitch", "text__word"):
            found = ask(service, [rows[5] | {name: cell}])
            assert found.status_code in (200, 422), (name, cell, found.text)
    assert ask(service, [dict.fromkeys(rows[0])]).status_code == 200


def test_the_first_wrong_cell_is_named(service, rows):
    many = {f"c{j}": [] for j in range(20_000)}
    said = ask(service, [rows[0], many]).json()["error"]
    assert "row 2 holds no number, text, boolean or null in column 'c0'" in said


def test_exported_models_refuse_what_is_no_number(uneven, model, rows):
    assert uneven("export", model, "m.onnx").code == 0
    exported = client(model.with_suffix(".onnx"))
    for cell in ("inf", "1e999", "9" * 400, "1_000", "1,5", "loud"):
        found = ask(exported, [rows[0], rows[5] | {"sound__pitch": cell}])
        assert found.status_code == 422
        assert "in row 2" in found.json()["error"]
    assert ask(exported, [rows[5] | {"sound__pitch": "1.5"}]).status_code == 200


def test_cells_too_large_to_scale_are_named(uneven, frame, rows, tmp_path):
    frame.assign(sound__pitch=frame["sound__pitch"] / 100).to_csv("small.csv", index=False)
    words = ("--method", "logistic_regression", "--out", "l.skops")
    assert uneven("fit", "small.csv", "-t", "label", *words).code == 0
    rows = [row | {"sound__pitch": cell} for row, cell in zip(rows, (1.0, 1.7e308), strict=False)]
    found = ask(client(tmp_path / "l.skops"), rows)
    assert found.status_code == 422
    assert "1.7e+308 in row 2, which is too large" in found.json()["error"]


def test_probabilities_that_are_no_numbers_are_refused(model, rows, monkeypatch):
    served = open_model(model)
    monkeypatch.setattr(served, "predict", lambda rows: (["rare"], np.array([[np.nan] * 3]), []))
    app = TestClient(build_service(served, TOKEN, "127.0.0.1", PORT), base_url=f"http://{HOST}")
    found = ask(app, rows[:1])
    assert found.status_code == 422
    assert "row 1 holds numbers that are too large" in found.json()["error"]


def test_notes_come_with_the_predictions(service, rows):
    assert ask(service, rows[5:6]).json()["notes"] == []
    found = ask(service, [rows[5] | {"sound__pitch": "1,5"}]).json()
    assert "decimal commas" in found["notes"][0]


@pytest.mark.parametrize("day", [1.5, 1e308, -1e308, 10**18, True])
def test_numbers_are_no_dates(uneven, frame, tmp_path, day):
    days = pd.date_range("2024-01-01", periods=len(frame)).strftime("%Y-%m-%d")
    frame.assign(day=days).to_csv("days.csv", index=False)
    words = ("--method", "combo", "--rounds", 2, "--out", "d.skops")
    assert uneven("fit", "days.csv", "-t", "label", *words).code == 0
    row = dict.fromkeys(frame.columns.drop("label")) | {"day": day}
    found = ask(client(tmp_path / "d.skops"), [row])
    assert found.status_code == 422
    assert "expects a date" in found.json()["error"]
    assert "np." not in found.json()["error"]


def test_large_bodies_are_refused(service):
    headers = BEARER | {"Content-Type": "application/json"}
    found = service.post("/predict", content=b" " * (LARGEST_BODY + 1), headers=headers)
    assert found.status_code == 413


def test_slow_bodies_are_refused(service, monkeypatch):
    monkeypatch.setattr(guard, "LONGEST_WAIT", 0.05)
    sent = []

    async def receive():
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    headers = BEARER | {"Host": HOST, "Content-Type": "application/json"}
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/predict", "headers": raw}
    asyncio.run(asyncio.wait_for(service.app(scope, receive, send), 5))
    assert sent[0]["status"] == 408


@pytest.fixture
def impatient(monkeypatch):
    """Address of a server that gives requests a fifth of a second to arrive."""
    monkeypatch.setattr(server, "SILENCE", 0.2)

    async def app(scope, receive, send):
        await asyncio.sleep(0.5)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    listening = server.bind("127.0.0.1", 0)
    thread = server.ServerThread(app, listening)
    thread.start()
    yield listening.getsockname()
    thread.stop()
    listening.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_connections_without_a_request_are_ended(impatient, sent):
    with socket.create_connection(impatient, timeout=10) as connection:
        connection.sendall(sent)
        with suppress(ConnectionResetError):
            assert connection.recv(100) == b""


def test_slow_answers_and_later_requests_are_not_ended(impatient):
    with socket.create_connection(impatient, timeout=10) as connection:
        for pause in (0.0, 0.6):
            time.sleep(pause)
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        connection.sendall(b"GET / HT")
        with suppress(ConnectionResetError):
            assert connection.recv(100) == b""


def test_the_token_of_the_environment(monkeypatch):
    monkeypatch.delenv("UNEVEN_TOKEN", raising=False)
    assert own_token()[1]
    assert own_token()[0] != own_token()[0]
    monkeypatch.setenv("UNEVEN_TOKEN", TOKEN)
    assert own_token() == (TOKEN, False)
    for weak in ("short", "with a blank in between", "ö" * 30):
        monkeypatch.setenv("UNEVEN_TOKEN", weak)
        with pytest.raises(InputError, match="16 or more letters"):
            own_token()


def test_the_command_refuses_what_it_cannot_serve(uneven, model, tmp_path):
    assert "there is no model file none.skops" in uneven("serve", "none.skops").complaint
    assert "--i-know" in uneven("serve", model, "--host", "0.0.0.0").complaint
    (tmp_path / "x.onnx").write_bytes(b"no graph")
    assert "no file of uneven export" in uneven("serve", tmp_path / "x.onnx").complaint
    (tmp_path / "x.skops").write_bytes(b"no archive")
    assert "not a model file" in uneven("serve", tmp_path / "x.skops").complaint


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="ends the process by signals")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_until_it_is_ended(model, rows, how):
    process = subprocess.Popen(
        [sys.executable, "-m", "uneven", "serve", str(model), "--port", "0"],
        env=os.environ | {"UNEVEN_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = [process.stdout.readline() for _ in range(3)]
        address = said[1].split()[1]
        assert TOKEN not in "".join(said)
        body = json.dumps({"rows": rows[:3]}).encode()
        headers = BEARER | {"Content-Type": "application/json"}
        request = urllib.request.Request(address, body, headers)
        with urllib.request.urlopen(request, timeout=30) as found:
            assert len(json.load(found)["predictions"]) == 3
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address.replace("predict", "model"), timeout=30)
        process.send_signal(how)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert err == ""
