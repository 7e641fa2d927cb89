"""Models in ONNX format: size, processor time per call and agreement, one thread."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks.lines import Line
from uneven import ComboClassifier, UnevenClassifier, export_onnx

ROUNDS = 100
MODELS = {
    f"CoMBo, {ROUNDS} trees": ComboClassifier(n_estimators=ROUNDS, max_depth=3, random_state=0),
    f"CoMBo with score leaves, {ROUNDS} trees": ComboClassifier(
        n_estimators=ROUNDS, leaves="scores", random_state=0
    ),
    "UnevenClassifier": UnevenClassifier(random_state=0),
    f"Random forest, {ROUNDS} trees": RandomForestClassifier(ROUNDS, random_state=0),
}
MANY = 899


def run() -> list[Line]:
    """Half of the digits (64 columns, 10 classes) are learned, the other half is predicted."""
    X, X_new, y, _ = train_test_split(*load_digits(return_X_y=True), test_size=MANY, random_state=0)
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        return [
            line
            for name, model in MODELS.items()
            for line in _compare(name, model.fit(X, y), X_new, Path(folder, "model.onnx"))
        ]


def _compare(name: str, model: object, X: np.ndarray, path: Path) -> list[Line]:
    import onnxruntime

    export_onnx(model, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    labels, probabilities = session.run(["label", "probabilities"], {"X": X})
    gap = float(np.abs(probabilities - model.predict_proba(X)).max())
    same = bool((labels == model.predict(X)).all())
    one = [
        _seconds(lambda: session.run(None, {"X": X[:1]})),
        _seconds(lambda: model.predict(X[:1])),
    ]
    many = [_seconds(lambda: session.run(None, {"X": X})), _seconds(lambda: model.predict(X))]
    return [
        Line(f"{name}: size", f"{os.path.getsize(path) / 1e3:.0f} kB"),
        Line(f"{name}: one row; other: predict", *(f"{1e6 * s:.0f} µs" for s in one)),
        Line(f"{name}: {MANY} rows; other: predict", *(f"{1e3 * s:.1f} ms" for s in many)),
        Line(
            f"{name}: largest difference of probabilities; labels equal",
            f"{gap:.0e}; {'yes' if same else 'no'}",
            "",
            "",
            "<= 1e-5; yes",
            gap <= 1e-5 and same,
        ),
    ]


def _seconds(call: Callable[[], object]) -> float:
    """Least processor time of a call, of as many as fit into a second."""
    call()
    best, end = np.inf, time.process_time() + 1.0
    while time.process_time() < end:
        begun = time.process_time()
        call()
        best = min(best, time.process_time() - begun)
    return float(best)
