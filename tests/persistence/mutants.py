"""Damaged model files by the thousand: none may crash, hang, eat memory or answer nonsense.

``python -m tests.persistence.mutants --count 20000`` takes every kept model file in turn, changes
something at random, and lets another process load it and predict. It prints how the mutants ended
and every one that ended badly; the same seed gives the same mutants.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import os
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.persistence.corpus import FOLDER, NUMBERS

REFUSED, SAME, OTHER = "refused", "same answers", "other answers"
FINE = (REFUSED, SAME, OTHER)
SECONDS = 60.0
NO_END = f"no end after {SECONDS:.0f} s"
STAGE = 1000
"""After so many mutants the ends so far are printed, so that a run may be stopped."""
SLACK = 24 * 2**20
"""Bytes by which resident memory varies from run to run."""

EXTREMES = [0, 1, -1, 2, 255, 2**31 - 1, -(2**31), 2**62, 1e-300, 1e308, -1e308, 0.5]
WORDS = [None, True, False, [], {}, "", "x", "vote", "numpy", "NaN", -1, 0, 1, 10**9, 1e308]

Parts = dict[str, bytes]


def read_parts(data: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(parts: Parts) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return stream.getvalue()


def flip_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    """Other bytes anywhere in the file."""
    changed = bytearray(data)
    for place in rng.integers(len(data), size=int(rng.integers(1, 4))):
        changed[place] = int(rng.integers(256))
    return bytes(changed)


def flip_entry(data: bytes, rng: np.random.Generator) -> bytes:
    """Other bytes in one entry, of which the archive knows."""
    parts = read_parts(data)
    name = str(rng.choice(sorted(parts)))
    return pack(parts | {name: flip_bytes(parts[name], rng)})


def change_number(data: bytes, rng: np.random.Generator) -> bytes:
    """One cell of an array is an extreme."""
    parts = read_parts(data)
    name = str(rng.choice([name for name in sorted(parts) if name.endswith(".npy")]))
    array = np.load(io.BytesIO(parts[name]))
    if not array.size:
        return flip_entry(data, rng)
    flat = array.reshape(-1)
    fields = array.dtype.names
    cells = flat[str(rng.choice(fields))] if fields else flat
    place = int(rng.integers(len(cells)))
    with np.errstate(all="ignore"):
        if cells.dtype.kind == "U":
            cells[place] = "other"
        elif cells.dtype.kind == "f" and rng.random() < 0.3:
            cells[place] = rng.choice([np.nan, np.inf, -np.inf])
        else:
            cells[place] = np.array(rng.choice(EXTREMES)).astype(cells.dtype)
    return pack(parts | {name: _npy(array)})


def change_array(data: bytes, rng: np.random.Generator) -> bytes:
    """An array has another shape, another type, or is another one of the file."""
    parts = read_parts(data)
    names = [name for name in sorted(parts) if name.endswith(".npy")]
    name, other = (str(one) for one in rng.choice(names, 2))
    array = np.load(io.BytesIO(parts[name]))
    ways: list[Callable[[], Any]] = [
        lambda: array[..., :-1] if array.ndim else array,
        lambda: array[:1] if array.ndim else array,
        lambda: array.reshape(-1),
        lambda: array.T,
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: array.astype(str(rng.choice(["f4", ">f8", "i1", "i8", "u4", "?", "c16", "U3"]))),
        lambda: np.load(io.BytesIO(parts[other])),
        lambda: np.zeros((0, *array.shape[1:]), array.dtype),
    ]
    with np.errstate(all="ignore"):
        try:
            changed = ways[int(rng.integers(len(ways)))]()
        except (TypeError, ValueError):
            changed = array[:0]
    return pack(parts | {name: _npy(changed)})


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def change_schema(data: bytes, rng: np.random.Generator) -> bytes:
    """A value, a key or a whole part of the schema is another one."""
    parts = read_parts(data)
    schema = json.loads(parts["schema.json"])
    places = list(_places(schema))
    owner, key = places[int(rng.integers(len(places)))]
    source, other = places[int(rng.integers(len(places)))]
    way = rng.integers(4)
    if way == 0:
        owner[key] = json.loads(json.dumps(source[other]))
    elif way == 1:
        owner[key] = WORDS[int(rng.integers(len(WORDS)))]
    elif way == 2:
        del owner[key]
    else:
        content = json.dumps(WORDS[int(rng.integers(len(WORDS)))])
        texts = [o for o, k in places if k == "content" and isinstance(o.get(k), str)]
        texts[int(rng.integers(len(texts)))]["content"] = content
    return pack(parts | {"schema.json": json.dumps(schema).encode()})


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        yield node, key
        if isinstance(value, dict | list):
            yield from _places(value)


MUTATIONS = (flip_bytes, flip_entry, change_number, change_number, change_array, change_schema)


class Judge:
    """Loads mutants of one kept file and says how they end."""

    def __init__(self, name: str, folder: Path) -> None:
        self.path = FOLDER / f"{name}.skops"
        self.data = self.path.read_bytes()
        before = json.loads(self.path.with_suffix(".json").read_text())
        self.rows = pd.DataFrame(before["rows"]).astype(dict.fromkeys(NUMBERS, float))
        self.file = folder / "mutant.skops"
        self.honest = self._answers(self.data)
        self.memory = _memory_of(lambda: self._answers(self.data))

    def _answers(self, data: bytes) -> tuple[list[Any], np.ndarray | None]:
        from uneven.persistence.model_file import in_use, load_model

        self.file.write_bytes(data)
        model = load_model(self.file)[0]
        with in_use(self.file):
            told = model.predict_proba(self.rows) if hasattr(model, "predict_proba") else None
            return model.predict(self.rows).tolist(), told

    def judge(self, data: bytes) -> str:
        from uneven.persistence.model_file import ModelFileError

        found: list[str] = []

        def run() -> None:
            try:
                labels, told = self._answers(data)
            except ModelFileError:
                found.append(REFUSED)
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}"[:200])
            else:
                found.append(self._compared(labels, told))

        memory = _memory_of(run)
        if memory > 2 * self.memory + SLACK:  # once more: the first mutant of a kind may import
            memory = _memory_of(run)
        if memory > 2 * self.memory + SLACK:
            return f"took {memory / 2**20:.0f} MiB in place of {self.memory / 2**20:.0f}"
        return found[0]

    def _compared(self, labels: list[Any], told: np.ndarray | None) -> str:
        if told is not None:
            is_share = np.isfinite(told).all() and (told >= -1e-9).all()
            if not is_share or not np.allclose(told.sum(axis=1), 1.0):
                return f"no probability: {told[0].tolist()}"[:200]
        same = labels == self.honest[0] and (told is None or np.array_equal(told, self.honest[1]))
        return SAME if same else OTHER


def _memory_of(work: Callable[[], Any]) -> int:
    """Bytes that resident memory grows by at most while something runs; 0 where none can tell."""
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        work()
        return 0
    before = _field(status, "VmRSS")
    work()
    return max(0, _field(status, "VmHWM") - before)


def _field(status: Path, name: str) -> int:
    line = next(line for line in status.read_text().splitlines() if line.startswith(name))
    return 1024 * int(line.split()[1])


def mutant(name: str, seed: int) -> bytes:
    """Mutant number ``seed`` of a kept file."""
    rng = np.random.default_rng([seed, 26])
    data = (FOLDER / f"{name}.skops").read_bytes()
    return MUTATIONS[int(rng.integers(len(MUTATIONS)))](data, rng)


def _work(pipe: Any, names: list[str]) -> None:
    """In another process: judge every mutant that is asked for."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        judges = {name: Judge(name, Path(folder)) for name in names}
        pipe.send("ready")
        while (seed := pipe.recv()) is not None:
            name = names[seed % len(names)]
            pipe.send(judges[name].judge(mutant(name, seed)))


class Workers:
    """A process that is replaced when a mutant kills or stops it."""

    def __init__(self, names: list[str]) -> None:
        self.names, self.process = names, None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, self.names), daemon=True)
        self.process.start()
        theirs.close()
        assert self.pipe.recv() == "ready"

    def judge(self, seed: int) -> str:
        end = self._judge_once(seed)
        return self._judge_once(seed) if end == NO_END else end  # the machine may have been busy

    def _judge_once(self, seed: int) -> str:
        self.pipe.send(seed)
        try:
            if self.pipe.poll(SECONDS):
                return str(self.pipe.recv())
            told = NO_END
            self.process.kill()
        except (EOFError, ConnectionResetError):
            self.process.join(10.0)
            told = f"crash, exit code {self.process.exitcode}"
        self.process.join()
        self._start()
        return told

    def close(self) -> None:
        self.pipe.send(None)
        self.process.join(10.0)


def run(seeds: range, names: list[str]) -> tuple[Counter[str], list[tuple[int, str, str]]]:
    """How mutants ended, and those that ended badly: seed, file, what happened."""
    ends: Counter[str] = Counter()
    bad = []
    workers = Workers(names)
    for seed in seeds:
        end = workers.judge(seed)
        ends[end if end in FINE else "bad"] += 1
        if end not in FINE:
            bad.append((seed, names[seed % len(names)], end))
            print(*bad[-1], flush=True)
        if not (seed + 1) % STAGE:
            print(f"up to {seed + 1}: {dict(ends)}", flush=True)
    workers.close()
    return ends, bad


def kept_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.skops"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first mutant")
    given = parser.parse_args()
    begun = time.perf_counter()
    ends, bad = run(range(given.seed, given.seed + given.count), kept_names())
    print(f"{given.count} mutants of {len(kept_names())} files", dict(ends), end="; ")
    print(f"{len(bad)} bad; {time.perf_counter() - begun:.0f} s, {os.cpu_count()} cores")
    raise SystemExit(bool(bad))
