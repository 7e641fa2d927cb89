"""Calls to a call centre, learnt as spoken, tested as spoken (gold) and as recognised (ASR).

The published experiment cannot be repeated, since the corpus is not public; `make_dialogues`
emulates it. The claim that is checked: when words are misheard, late fusion and MuMBo lose a
smaller part of what they know than boosting on all columns at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from benchmarks.lines import Line
from uneven import AdaBoostMMClassifier, ComboClassifier, MuComboClassifier, MumboClassifier
from uneven.dialogues import VIEWS, DialogueViews, make_dialogues
from uneven.fusion import LateFusionClassifier

DRAWS = 10
STUMPS = {"n_estimators": 500, "max_depth": 1}


class Method(NamedTuple):
    """A classifier, its views, and the published errors gold and ASR on 152 test dialogues."""

    model: Any
    published: tuple[float, float] | None
    views: tuple[str, ...] = VIEWS


EARLY, LATE, MUMBO = "AdaBoost.MM, early fusion", "AdaBoost.MM, late fusion", "MuMBo"
ADABOOST, COMBO = AdaBoostMMClassifier(**STUMPS), ComboClassifier(**STUMPS)
METHODS = {
    "AdaBoost.MM, users": Method(ADABOOST, (0.263, 0.427), ("users",)),
    "AdaBoost.MM, operators": Method(ADABOOST, (0.283, 0.362), ("operators",)),
    "AdaBoost.MM, turns": Method(ADABOOST, (0.704, 0.704), ("turns",)),
    "AdaBoost.MM, prosody": Method(ADABOOST, (0.684, 0.684), ("prosody",)),
    "AdaBoost.MM, entities": Method(ADABOOST, (0.539, 0.539), ("entities",)),
    EARLY: Method(ADABOOST, (0.237, 0.322)),
    LATE: Method(LateFusionClassifier(ADABOOST, combine="margins"), (0.224, 0.296)),
    MUMBO: Method(MumboClassifier(**STUMPS), (0.204, 0.250)),
    "CoMBo, early fusion": Method(COMBO, (0.224, 0.283)),
    "CoMBo, late fusion": Method(LateFusionClassifier(COMBO, combine="margins"), (0.197, 0.250)),
    "µCoMBo, exact": Method(MuComboClassifier(**STUMPS), None),
    "µCoMBo, simplified": Method(
        MuComboClassifier(coefficients="simplified", **STUMPS), (0.197, 0.270)
    ),
}
"""Published: Koço (2013), Table 2.2 (single views, 1000 rounds) and Table 4.5 (best of 5000)."""


def run() -> list[Line]:
    draws = Parallel(n_jobs=2)(delayed(errors)(seed) for seed in range(DRAWS))
    gold, heard = np.array(draws).mean(axis=0).T
    loss = dict(zip(METHODS, heard / gold - 1))
    lines = []
    for (name, method), clean, noisy in zip(METHODS.items(), gold, heard):
        claimed = name in (LATE, MUMBO)
        lines.append(
            Line(
                name,
                f"{clean:.3f} | {noisy:.3f}  {loss[name]:+.0%}",
                _published(method.published),
                "",
                f"loss < {loss[EARLY]:+.0%}" if claimed else "",
                bool(loss[name] < loss[EARLY]) if claimed else None,
            )
        )
    return lines


def errors(seed: int) -> np.ndarray:
    """Errors of every method on 152 unseen dialogues, gold and ASR, shape (n_methods, 2)."""
    calls = make_dialogues(random_state=seed)
    train, test = train_test_split(
        np.arange(len(calls.target)), test_size=152, stratify=calls.target, random_state=seed
    )
    extract = DialogueViews().fit(calls.dialogues[train])
    X, y = extract.transform(calls.dialogues[train]), calls.target[train]
    tests = [extract.transform(said[test]) for said in (calls.dialogues, calls.dialogues_asr)]
    found = []
    for method in METHODS.values():
        views = {view: extract.views_[view] for view in method.views}
        model = clone(method.model).set_params(views=views).fit(X, y)
        found.append([np.mean(model.predict(Z) != calls.target[test]) for Z in tests])
    return np.array(found)


def _published(pair: tuple[float, float] | None) -> str:
    if pair is None:
        return ""
    gold, heard = pair
    return f"{gold:.3f} | {heard:.3f}  {heard / gold - 1:+.0%}"
