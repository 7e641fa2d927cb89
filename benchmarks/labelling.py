"""The labelling page: answers under SIGKILL, many people at once, large pools, answers saved.

``python -m benchmarks.labelling kills|load|latency|learning|picture``
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import random
import re
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from uneven.labelling.asking import Asker, Setup, Snapshot
from uneven.labelling.assigning import Desk
from uneven.labelling.demo import CLASSES, demo_messages
from uneven.labelling.ledger import Ledger
from uneven.labelling.pool import PoolTable, pool_of_frame
from uneven.labelling.project import Options, Project
from uneven.labelling.serving import LabelServer
from uneven.labelling.store import FILE, Event, Store
from uneven.versionspace import BayesPointClassifier

LOOK_SECONDS = 1.5
"""The page asks no sooner again how far it is."""


class Client:
    """A person without a browser, who repeats an answer until it is acknowledged."""

    def __init__(self, address: str) -> None:
        host, _, token = address.removeprefix("http://").partition("/?token=")
        self.host, self.token, self.looked = host, token, 0.0
        self.link = http.client.HTTPConnection(host, timeout=10)
        page = self._get(f"/?token={token}")
        write_token = re.search(r'name="write-token" content="(\w+)"', page)
        self.row = int(re.search(r'data-row="(\d+)"', page)[1])  # type: ignore[index]
        self.headers = {
            "Cookie": f"uneven-label-{host.rpartition(':')[2]}={token}",
            "Origin": f"http://{host}",
            "X-Write-Token": write_token[1],  # type: ignore[index]
            "Content-Type": "application/json",
        }

    def _get(self, path: str) -> str:
        self.link.request("GET", path)
        return self.link.getresponse().read().decode()

    def look(self) -> None:
        """Fetch what stands beside the row, as the page does after an answer."""
        if time.perf_counter() - self.looked < LOOK_SECONDS:
            return
        self.looked = time.perf_counter()
        self.link.request("GET", "/status", headers=self.headers)
        answer = self.link.getresponse()
        answer.read()
        if answer.status != 200:
            raise ValueError(f"/status: {answer.status}")

    def answer(self, key: str, label: str, row: int | None = None) -> dict[str, Any]:
        body = {"key": key, "row": self.row if row is None else row, "kind": "label"}
        self.link.request("POST", "/answer", json.dumps({**body, "label": label}), self.headers)
        answer = self.link.getresponse()
        told: dict[str, Any] = json.loads(answer.read())
        if answer.status != 200:
            raise ValueError(f"{answer.status}: {told}")
        self.row = told["row"]
        return told


def make_pool(folder: Path, frame: pd.DataFrame) -> PoolTable:
    text = ("message",) if "message" in frame else ()
    return pool_of_frame(folder / "pool.csv", frame, text=text)


def make_project(folder: Path, pool: PoolTable, people: int = 1, **how: Any) -> Project:
    options = Options(classes=CLASSES, people=people)
    return Project(pool, folder / "project", None, options, **how)


def _serve(folder: Path, pool: PoolTable, told: int) -> None:
    server = LabelServer(make_project(folder, pool, process=False)).start()
    os.write(told, f"{next(iter(server.addresses.values()))}\n".encode())
    time.sleep(600)


def _start(folder: Path, pool: PoolTable) -> tuple[int, str]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _serve(folder, pool, write)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as stream:
        return child, stream.readline().strip()


def kill_server(kills: int, folder: Path, seed: int = 0) -> dict[str, int]:
    """Kill a server at random moments while answers are sent, and count what is there at the end.

    Needs a process without further threads. An answer without acknowledgement is sent again under
    its key after the restart.

    Returns
    -------
    dict
        How many answers were acknowledged, are missing, and are there twice.
    """
    X = np.random.default_rng(seed).normal(size=(20_000, 3))
    pool = make_pool(folder, pd.DataFrame(X, columns=list("abc")))
    make_project(folder, pool).store.close()
    rng, acknowledged, numbers = random.Random(seed), [], itertools.count()
    pending: tuple[str, str, int] | None = None
    for _ in range(kills):
        server, address = _start(folder, pool)
        client = Client(address)
        killer = os.fork()
        if killer == 0:
            time.sleep(rng.uniform(0.0, 1.5))
            os.kill(server, signal.SIGKILL)
            os._exit(0)
        rng.random()
        try:
            while True:
                pending = pending or (
                    f"answer-{next(numbers):07d}",
                    rng.choice(CLASSES),
                    client.row,
                )
                client.answer(*pending)
                acknowledged.append(pending[0])
                pending = None
        except (OSError, http.client.HTTPException):
            os.waitpid(killer, 0)
            os.waitpid(server, 0)
    store = Store(folder / "project" / FILE)
    kept = [event.key for event in store.events()]
    store.close()
    missing = set(acknowledged) - set(kept)
    lines = len(acknowledged), len(missing), len(kept) - len(set(kept))
    return dict(zip(("acknowledged", "missing", "twice"), lines))


def load(people: int = 20, rate: float = 50.0, seconds: float = 60.0, rows: int = 20_000) -> None:
    """Many people at once, each at a steady pace, against a server on this machine.

    As the page does, each one asks after an answer how far it is. One row in five goes to three
    people.
    """
    folder = Path(tempfile.mkdtemp())
    frame, _ = demo_messages(rows)
    times: list[float] = []
    with LabelServer(make_project(folder, make_pool(folder, frame), people)) as server:
        clients = [Client(address) for address in server.addresses.values()]
        start, spent_before = time.perf_counter() + 1.0, time.process_time()

        def label(who: int, client: Client) -> None:
            rng = random.Random(who)
            for turn in itertools.count():
                due = start + (turn + who / people) * people / rate
                if due > start + seconds:
                    return
                time.sleep(max(0.0, due - time.perf_counter()))
                sent = time.perf_counter()
                client.answer(f"load-{who:03d}-{turn:06d}", rng.choice(CLASSES))
                times.append(time.perf_counter() - sent)
                client.look()

        threads = [threading.Thread(target=label, args=pair) for pair in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent, computed = time.perf_counter() - start, time.process_time() - spent_before
    store = Store(folder / "project" / FILE)
    kept = [event.key for event in store.events()]
    store.close()
    print(f"{people} people, {len(times)} answers in {spent:.0f} s: {len(times) / spent:.1f}/s")
    each = 1000 * computed / len(times)
    print(f"processor time of server and clients together: {each:.1f} ms per answer")
    print(f"lost {len(times) - len(set(kept))}, twice {len(kept) - len(set(kept))}")
    _print_times(times)


def latency(rows: int = 100_000, answers: int = 300, pause: float = 0.3) -> None:
    """One person before a large table of 20 numbers, the learner at work all the time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    truth = np.where(X[:, 0] + X[:, 1] > 0.5, CLASSES[0], CLASSES[1])
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(20)])
    folder, times = Path(tempfile.mkdtemp()), []
    with LabelServer(make_project(folder, make_pool(folder, frame))) as server:
        client = Client(next(iter(server.addresses.values())))
        computed = time.process_time()
        for turn in range(answers):
            time.sleep(pause)
            sent = time.perf_counter()
            client.answer(f"latency-{turn:06d}", str(truth[client.row]))
            times.append(time.perf_counter() - sent)
        computed = time.process_time() - computed
        lag = len(times) - server.project.desk.thought.version
    print(f"{rows} rows, {answers} answers, a pause of {pause} s; the learner is {lag} behind")
    each = 1000 * computed / answers
    print(f"processor time of server and client together: {each:.1f} ms per answer")
    _print_times(times)


def _print_times(times: list[float]) -> None:
    p50, p95, worst = np.quantile(times, [0.5, 0.95, 1.0])
    print(f"p50 {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms, worst {1000 * worst:.0f} ms")


def pools() -> dict[str, tuple[pd.DataFrame, np.ndarray, str | None]]:
    """A text, a table and images, with their classes."""
    from PIL import Image
    from sklearn.datasets import load_breast_cancer, load_digits

    frame, classes = demo_messages(1200, seed=7)
    cells = load_breast_cancer(as_frame=True)
    digits = load_digits()
    folder = Path(tempfile.mkdtemp())
    names = [f"{k}.png" for k in range(len(digits.images))]
    for name, image in zip(names, digits.images):
        Image.fromarray((image * 15).astype(np.uint8)).resize((32, 32)).save(folder / name)
    pictures = pd.DataFrame({"file": [str(folder / name) for name in names]})
    pictures.attrs["folder"] = folder
    kinds = np.array(["malignant", "benign"])[cells.target]
    return {
        "text (messages)": (frame.drop(columns="ticket"), classes, None),
        "table (breast cancer)": (cells.data, kinds, None),
        "images (digits)": (pictures, digits.target.astype(str), "file"),
    }


def simulate(
    frame: pd.DataFrame, truth: np.ndarray, image: str | None, budget: int, seed: int, share: float
) -> np.ndarray:
    """A person who answers as the page asks, with the learner always up to date.

    Returns
    -------
    ndarray of shape (budget // 5,)
        Accuracy on the half of the rows that are never asked for, after every five answers.
    """
    rng = np.random.default_rng(seed)
    half = rng.permutation(len(frame))
    inside, outside = half[: len(half) // 2], half[len(half) // 2 :]
    folder = frame.attrs.get("folder", Path("."))
    pool = pool_of_frame(folder / "pool.csv", frame.reset_index(drop=True), image=image)
    kernel = "linear" if pool.text else "rbf"
    whole = pool.matrix(constant=kernel == "linear")
    order = np.random.default_rng(seed).permutation(len(inside))
    setup = Setup(whole[inside], order, [], BayesPointClassifier(kernel), seed=seed)
    asker, ledger = Asker(setup), Ledger()
    names = [str(k) for k in range(len(inside))]
    first = asker.think(Snapshot(0, [], [], wanted=12)).queue
    desk = Desk(names, ledger, order, first, lambda: [1], random_share=share, seed=seed)
    rows: list[int] = []
    scores = []
    while len(rows) < budget:
        question = desk.next(1)
        assert question is not None
        label, number = str(truth[inside[question.row]]), len(rows) + 1
        rows.append(question.row)
        ledger.add(Event(str(number), 1, names[question.row], "label", label, id=number))
        desk.heard(names[question.row])
        if number % 5 == 0:
            labels = [str(truth[inside[row]]) for row in rows]
            desk.thought = asker.think(Snapshot(number, rows, labels, wanted=12))
            model = asker.learner.model_
            said = model.predict(whole[outside]) if model is not None else np.full(len(outside), "")
            scores.append(float(np.mean(said == truth[outside])))
    return np.array(scores)


def learning(budget: int = 120, seeds: int = 5) -> None:
    """How many answers the page needs for what random rows reach."""
    for name, pool in pools().items():
        runs = {
            share: np.mean(
                [simulate(*pool, budget, seed, share) for seed in range(seeds)],
                axis=0,
            )
            for share in (0.1, 1.0)
        }
        asked, chance = runs[0.1], runs[1.0]
        print(f"{name}: after {budget} answers {asked[-1]:.3f}, random {chance[-1]:.3f}")
        for goal in (60, budget):
            target = chance[goal // 5 - 1]
            enough = np.flatnonzero(asked >= target)
            needed = f"{5 * (enough[0] + 1)}" if len(enough) else "more"
            print(f"  what {goal} random rows reach ({target:.3f}): {needed} answers")


def picture(path: Path = Path("docs/images/labelling.png"), answers: int = 160) -> None:
    """The page after some answers, as a person sees it who asks for the guess."""
    from tests.browser import open_browser

    folder = Path(tempfile.mkdtemp())
    frame, truth = demo_messages()
    pool = pool_of_frame(folder / "messages.csv", frame, "ticket", text=("message",))
    project = Project(pool, folder / "project", None, Options(classes=CLASSES))
    with LabelServer(project) as server, open_browser() as browser:
        address = next(iter(server.addresses.values()))
        client = Client(address)
        for turn in range(answers):
            client.answer(f"picture-{turn:06d}", str(truth[client.row]))
            time.sleep(0.3)
        while project.review is None or project.review.version < answers:
            time.sleep(0.5)
        page = browser.new_page(viewport={"width": 1180, "height": 760}, device_scale_factor=1.5)
        page.goto(address)
        page.keyboard.press("g")
        page.locator("#guess .bars").wait_for()
        page.screenshot(path=path)


PARTS = {"load": load, "latency": latency, "learning": learning, "picture": picture}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["kills", *PARTS])
    parser.add_argument("--kills", type=int, default=200)
    given = parser.parse_args()
    if given.part == "kills":
        started = time.time()
        print(kill_server(given.kills, Path(tempfile.mkdtemp())), f"{time.time() - started:.0f} s")
    else:
        PARTS[given.part]()


if __name__ == "__main__":
    main()
