"""Which class vectors UMA should keep: the last, their mean, or those of lowest estimated error.

``python -m benchmarks uma-average`` makes 30 % of the training labels of eleven tables wrong, more
often in some classes than in others, as ``python -m benchmarks.noise`` does. UMA with an intercept
learns scaled columns, with the true noise matrix and with one that is estimated from a tenth of the
rows. Shown are test errors, mean of three splits.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.lines import Line
from benchmarks.noise.settings import GROUPS, row_name
from uneven import UMAClassifier
from uneven_published.description import Context

GROUP_OF = {
    **dict.fromkeys(("Vehicle", "Segment", "Waveform", "Vowel", "Steel"), "development"),
    **dict.fromkeys(
        ("Pendigits", "Robot", "Satimage", "Breast cells", "Radar", "Display"), "report"
    ),
}
KEPT = {
    "last": {"average": False},
    "mean": {"average": True},
    "pocket": {"average": False, "pocket": True},
}
SPLITS = 3


def errors(table: str, knowledge: str) -> dict[str, float]:
    """Mean test error of each kind of class vectors on a table."""
    noisy = GROUPS[f"{GROUP_OF[table]}, {knowledge}"][row_name(table, "class", 0.3)]
    found = np.zeros((SPLITS, len(KEPT)))
    for seed in range(SPLITS):
        split = noisy.draw(seed, Context())
        for column, kept in enumerate(KEPT.values()):
            uma = UMAClassifier(split.told.matrix, fit_intercept=True, **kept)
            model = make_pipeline(StandardScaler(), uma)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(split.X, split.labels)
            found[seed, column] = np.mean(model.predict(split.X_test) != split.y_test)
    return dict(zip(KEPT, found.mean(axis=0).tolist()))


def run() -> list[Line]:
    """Test errors, tables below each other."""
    lines = []
    for knowledge in ("known", "10 % clean"):
        for table in GROUP_OF:
            found = errors(table, knowledge)
            told = "; ".join(f"{name} {value:.3f}" for name, value in found.items())
            better = found["mean"] <= found["last"]
            lines.append(Line(f"{table}, matrix {knowledge}", told, "", "", "mean <= last", better))
    return lines
