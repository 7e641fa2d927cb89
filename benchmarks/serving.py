"""``uneven serve`` under load: clients on this machine that ask as fast as they get answers.

``python -m benchmarks serving``: eight clients send 2000 requests with one row and 80 with a
thousand rows; all stop after a minute.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.lines import Line
from uneven.datasets import make_waveform

CLIENTS, LIMIT = 8, 60.0
LOADS = ((1, 2000), (1000, 80))
TOKEN = "load-test-on-this-machine"


def run() -> list[Line]:
    """Latency and rows per second of a boosted vote and of `UnevenClassifier`."""
    waves = make_waveform(2000, random_state=0)
    frame = pd.DataFrame(waves.data, columns=[f"x{j}" for j in range(waves.data.shape[1])])
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "waves.csv")
        frame.iloc[:1000].assign(label=waves.target[:1000]).to_csv(table, index=False)
        rows = frame.iloc[1000:].to_dict("records")
        for method in ("combo", "uneven"):
            model = Path(folder, f"{method}.skops")
            fit = ("fit", table, "-t", "label", "--method", method, "--out", model)
            subprocess.run([sys.executable, "-m", "uneven", *map(str, fit)], check=True)
            exported = model.with_suffix(".onnx")
            words = [sys.executable, "-m", "uneven", "export", str(model), str(exported)]
            subprocess.run(words, check=True)
            for served in (model, exported):
                lines += _load(served, rows)
    return lines


def _load(model: Path, rows: list[dict[str, float]]) -> list[Line]:
    words = [sys.executable, "-m", "uneven", "serve", str(model), "--port", "0"]
    environment = os.environ | {"UNEVEN_TOKEN": TOKEN}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        return [_requests(model.name, port, rows[:size], n) for size, n in LOADS]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _requests(name: str, port: int, rows: list[dict[str, float]], n: int) -> Line:
    body = json.dumps({"rows": rows})
    begun = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        share = n // CLIENTS
        found = list(pool.map(lambda _: _client(port, body, share, begun), range(CLIENTS)))
    taken = time.perf_counter() - begun
    times = np.concatenate([np.array(one[0]) for one in found])
    failed = sum(one[1] for one in found)
    middle, late = 1e3 * np.quantile(times, [0.5, 0.95])
    return Line(
        f"{name}: {len(rows)} row{'s' * (len(rows) > 1)} per request, {CLIENTS} clients",
        f"{len(times) * len(rows) / taken:,.0f} rows/s",
        f"median {middle:.0f} ms, 95 % {late:.0f} ms",
        target="none refused",
        met=failed == 0,
    )


def _client(port: int, body: str, n: int, begun: float) -> tuple[list[float], int]:
    """Times of the requests of one client, and how many were not answered with predictions."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    times, failed = [], 0
    for _ in range(n):
        if time.perf_counter() - begun > LIMIT:
            break
        start = time.perf_counter()
        connection.request("POST", "/predict", body, headers)
        with connection.getresponse() as response:
            response.read()
            failed += response.status != 200
        times.append(time.perf_counter() - start)
    connection.close()
    return times, failed
