"""Calls to a call centre, learnt as spoken, tested as spoken (gold) and as recognised (ASR).

The published experiment cannot be repeated, since the corpus is not public; `make_dialogues`
emulates it. The claim that is checked: when words are misheard, late fusion and MuMBo lose a
smaller part of what they know than boosting on all columns at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from benchmarks.lines import Line
from uneven_published import Context
from uneven_published.koco.call_prints import TABLE_2_2, TABLE_4_5
from uneven_published.koco.calls import (
    ALL_VIEWS,
    VIEW_ROWS,
    draw_calls,
    fusion_methods,
    single_methods,
)
from uneven_published.protocols import Drawn, pick

DRAWS = 10
ROUNDS = 500
EARLY, LATE, MUMBO = "AdaBoost (early)", "AdaBoost (late)", "MuMBo"
PRINTED = TABLE_2_2 | TABLE_4_5
"""Koço (2013): single views after 1000 rounds, and the best of 5000 rounds for all views."""


class Score(NamedTuple):
    """Error in a draw, gold and ASR."""

    name: str
    published: tuple[float, float] | None
    gold: float
    heard: float


def run() -> list[Line]:
    draws = Parallel(n_jobs=2)(delayed(errors)(seed) for seed in range(DRAWS))
    mean = [
        Score(same[0].name, same[0].published, *np.mean([one[2:] for one in same], axis=0))
        for same in zip(*draws)
    ]
    loss = {score.name: score.heard / score.gold - 1 for score in mean}
    lines = []
    for score in mean:
        claimed = score.name in (LATE, MUMBO)
        lines.append(
            Line(
                score.name,
                f"{score.gold:.3f} | {score.heard:.3f}  {loss[score.name]:+.0%}",
                _published(score.published),
                "",
                f"loss < {loss[EARLY]:+.0%}" if claimed else "",
                bool(loss[score.name] < loss[EARLY]) if claimed else None,
            )
        )
    return lines


def errors(seed: int) -> list[Score]:
    """Errors of AdaBoost on every view, and of every method on all of them."""
    plain = {"AdaBoost": single_methods(ROUNDS)["AdaBoost"]}
    found = []
    for row in (*VIEW_ROWS, ALL_VIEWS):
        methods = fusion_methods(ROUNDS) if row == ALL_VIEWS else plain
        answers = Drawn(draw_calls, methods, pick("error"))(row, seed, Context())
        for method, values in answers.items():
            name = method if row == ALL_VIEWS else f"{method}, {VIEW_ROWS[row]}"
            printed = [PRINTED.mean(row, method, f"{kind}.error") for kind in ("gold", "asr")]
            known = None if None in printed else (printed[0] / 100, printed[1] / 100)
            found.append(Score(name, known, values["gold.error"][0], values["asr.error"][0]))
    return found


def _published(pair: tuple[float, float] | None) -> str:
    if pair is None:
        return ""
    gold, heard = pair
    return f"{gold:.3f} | {heard:.3f}  {heard / gold - 1:+.0%}"
