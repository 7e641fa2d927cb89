"""Calls to a call centre, drawn by the emulator: what is measured for all tables about them.

The corpus of the source is not public. `uneven.datasets.make_dialogues` draws dialogues in its
proportions; methods learn from what was said and are tested on what was said (gold) and on what a
speech recogniser heard (ASR).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from uneven.boosting import (
    AdaBoostMMClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.dialogues import VIEWS, DialogueViews, make_dialogues
from uneven.fusion import LateFusionClassifier
from uneven_published.description import Item, Study
from uneven_published.protocols import ClassRecall, Drawn, Outcome, Sample, pick

__all__ = [
    "ALL_VIEWS",
    "FUSION",
    "SINGLE",
    "TEST_COUNTS",
    "VIEW_ROWS",
    "ClassError",
    "draw_calls",
    "fusion_methods",
    "single_methods",
]

TEST_COUNTS = {
    "aapl": 15,
    "etfc": 41,
    "horr": 5,
    "itnr": 21,
    "nvgo": 22,
    "objt": 12,
    "pv": 10,
    "vgc": 11,
    "other": 15,
}
"""Test dialogues of each theme in the source, in the order of the emulator's themes."""

VIEW_ROWS = {f"view {number}": view for number, view in enumerate(VIEWS, start=1)}
ALL_VIEWS = "all views"
ROUNDS = 1000


@lru_cache(maxsize=2)
def _drawn(seed: int) -> tuple[Sample, Mapping[str, slice]]:
    """All views of a draw, split into 508 and 152 dialogues with the class sizes of the source."""
    calls = make_dialogues(random_state=seed)
    rng = np.random.RandomState(seed)
    test = np.concatenate(
        [
            rng.permutation(np.flatnonzero(calls.target == theme))[:count]
            for theme, count in enumerate(TEST_COUNTS.values())
        ]
    )
    train = np.setdiff1d(np.arange(len(calls.target)), test)
    extract = DialogueViews().fit(calls.dialogues[train])
    tests = {
        "gold": extract.transform(calls.dialogues[test]),
        "asr": extract.transform(calls.dialogues_asr[test]),
    }
    X, y = extract.transform(calls.dialogues[train]), calls.target[train]
    return Sample(X, y, tests, calls.target[test]), extract.views_


def draw_calls(item: str, repeat: int) -> Sample:
    """A draw with one of its views, or with all of them.

    Parameters
    ----------
    item : str
        "view 1" to "view 5", or "all views".
    repeat : int
        Seed of the draw.

    Returns
    -------
    Sample
        Tested under the conditions "gold" and "asr".
    """
    sample, views = _drawn(repeat)
    kept = VIEWS if item == ALL_VIEWS else (VIEW_ROWS[item],)
    return Sample(
        sample.X, sample.y, sample.tests, sample.answers, {view: views[view] for view in kept}
    )


@dataclass(frozen=True)
class ClassError:
    """Share of a class that is wrong, in percent.

    Attributes
    ----------
    position : int
        Of the class.
    """

    position: int

    def __call__(self, outcome: Outcome) -> float:
        """Measure it."""
        return 100.0 * (1.0 - ClassRecall(self.position)(outcome))


@dataclass(frozen=True)
class ViewRounds:
    """Rounds in which a stump of a view entered the vote, for methods that choose one a round.

    Attributes
    ----------
    position : int
        Of the view.
    percent : bool
        Per hundred rounds, rather than their number.
    """

    position: int
    percent: bool = False

    def __call__(self, model: Any) -> float | None:
        """Count; None for methods in which every view speaks in every round."""
        if isinstance(model, MuComboClassifier | LateFusionClassifier):
            return None
        counts = np.zeros(len(model.views_))
        for term in model.vote_.terms():
            column = term.voter.feature[0]
            counts += [column in columns for columns in model.views_.columns]
        share = 100.0 / len(model.vote_) if self.percent else 1.0
        return float(share * counts[self.position])


def single_methods(n_rounds: int = ROUNDS) -> dict[str, Any]:
    """Boosted stumps, for a single view or for all columns at once."""
    stumps: dict[str, Any] = {"n_estimators": n_rounds, "max_depth": 1}
    return {"AdaBoost": AdaBoostMMClassifier(**stumps), "CoMBo": ComboClassifier(**stumps)}


def fusion_methods(n_rounds: int = ROUNDS) -> dict[str, Any]:
    """Ways to learn from all views, with stumps."""
    stumps: dict[str, Any] = {"n_estimators": n_rounds, "max_depth": 1}
    single = single_methods(n_rounds)
    early = {f"{name} (early)": model for name, model in single.items()}
    late = {
        f"{name} (late)": LateFusionClassifier(model, combine="margins")
        for name, model in single.items()
    }
    return {
        **early,
        **late,
        "MuMBo": MumboClassifier(**stumps),
        "µCoMBo": MuComboClassifier(coefficients="simplified", **stumps),
        "µCoMBo (exact)": MuComboClassifier(**stumps),
    }


def _percent_wrong(outcome: Outcome) -> float:
    return 100.0 * float(np.mean(outcome.answers != outcome.y))


_MEASURES = {"error": _percent_wrong, **pick("mauc", "gmean", "norm")}
_BY_CLASS = {name: ClassError(position) for position, name in enumerate(TEST_COUNTS)}
_CHOICES = {
    f"{key}.{view}": ViewRounds(position, percent=key == "rate")
    for key in ("rounds", "rate")
    for position, view in enumerate(VIEWS)
}

SINGLE = Study(
    "calls-by-view",
    tuple(Item(row) for row in VIEW_ROWS),
    Drawn(draw_calls, single_methods(), _MEASURES | _BY_CLASS),
    repeats=10,
    fast_repeats=2,
)
FUSION = Study(
    "calls",
    (Item(ALL_VIEWS),),
    Drawn(draw_calls, fusion_methods(), _MEASURES, _CHOICES),
    repeats=10,
    fast_repeats=2,
)
