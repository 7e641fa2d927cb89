"""All combiners of the published comparison on the level-1 scores of one stack."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier, RidgeClassifierCV

from benchmarks.stacks import Stack
from uneven.fusion.rules import majority, mean
from uneven.stacking.combiner import LinearCombiner
from uneven.stacking.majorisation import PAPER, majorise
from uneven.stacking.multiresponse import mlr
from uneven.stacking.selection import StrengthChoice, best_of, choose_strength
from uneven.stacking.solve import STRENGTHS, solve

FAMILIES = ("ws", "cws", "lsg")
ELASTIC_HINGE, ELASTIC_SQUARED = "hinge group cws, elastic", "squared group cws, elastic"
"""Squared weights of 1 and 0.3 in the penalty: what did best on the first four stacks."""

TRIPLES = {
    **{f"hinge l2 {c}": (c, "hinge", "l2") for c in FAMILIES},
    **{f"hinge l1 {c}": (c, "hinge", "l1") for c in ("ws", "cws")},
    "hinge group cws": ("cws", "hinge", "group"),
    **{f"squared l2 {c}": (c, "squared", "l2") for c in FAMILIES},
    "squared group cws": ("cws", "squared", "group"),
    ELASTIC_HINGE: ("cws", "hinge", "group", 1.0),
    ELASTIC_SQUARED: ("cws", "squared", "group", 0.3),
}
WIDE = ("hinge l2 lsg",)
GROUP = "hinge group cws"
"""What MarginStackingClassifier does by default."""

REFIT = "hinge group cws, refit"
SMALLEST = "hinge group cws, smallest"
"""As the default, but with the smallest of several strengths that are level."""

DESCENTS = {f"descent {penalty}": f"hinge {penalty} cws" for penalty in ("l2", "l1", "group")}
"""The published descent, and the exact problem that it approximates."""

GRID = tuple(strength for strength in STRENGTHS if strength >= 1e-3)
"""The published strengths without 1e-11 to 1e-5: these overfit, and take most of the time."""

_TOL = 1e-4


@dataclass(frozen=True)
class Verdict:
    """Error in percent on new rows, classifiers used, strength and seconds of a combiner."""

    error: float
    used: int
    strength: float = float("nan")
    seconds: float = float("nan")


Verdicts = dict[str, Verdict]
Triple = tuple[str, str, str] | tuple[str, str, str, float]


def judge(stack: Stack, strengths: tuple[float, ...] = GRID) -> Verdicts:
    """Fit all combiners to the same level-1 scores, and count their errors on new rows.

    Hinges in which every score speaks for every class come separately: see :func:`judge_wide`.
    """
    bench = _Bench(stack, strengths)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        bench.rules()
        bench.flat_models()
        for family in FAMILIES:
            bench.linear(f"mlr {family}", mlr(stack.scores, stack.y, combination=family))
        for name, triple in TRIPLES.items():
            if name not in WIDE:
                bench.tuned(name, triple)
        for name, exact in DESCENTS.items():
            bench.descent(name, bench.found[exact].strength)
    return bench.found


def judge_wide(stack: Stack, strengths: tuple[float, ...] = GRID) -> Verdicts:
    """The slow ones: hinges in which every score of every classifier speaks for every class."""
    bench = _Bench(stack, strengths)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name in WIDE:
            bench.tuned(name, TRIPLES[name])
    return bench.found


@dataclass
class _Bench:
    """A stack, the strengths to choose from, and what was found."""

    stack: Stack
    strengths: tuple[float, ...]
    found: Verdicts = field(default_factory=dict)

    def note(self, name: str, answers: np.ndarray, used: int, **more: float) -> None:
        error = 100.0 * float(np.mean(answers != self.stack.new_y))
        self.found[name] = Verdict(error, used, **more)

    def linear(self, name: str, combiner: LinearCombiner, **more: float) -> None:
        used = int(combiner.selected.sum())
        self.note(name, combiner.predict(self.stack.new_scores), used, **more)

    def rules(self) -> None:
        stack, n_members = self.stack, self.stack.scores.shape[1]
        for name, rule in (("soft voting", mean), ("majority", majority)):
            self.note(name, rule(stack.new_scores).argmax(axis=1), n_members)
        hits = (stack.scores.argmax(axis=2) == stack.y[:, None]).mean(axis=0)
        self.note("best single", stack.new_scores[:, hits.argmax()].argmax(axis=1), 1)

    def flat_models(self) -> None:
        """What scikit-learn's StackingClassifier learns if there are more than two classes."""
        stack, models = self.stack, (LogisticRegression(), RidgeClassifier(), RidgeClassifierCV())
        flat, new = (part.reshape(len(part), -1) for part in (stack.scores, stack.new_scores))
        for name, model in zip(("logistic", "ridge", "ridge, tuned"), models):
            start = time.perf_counter()
            model.fit(flat, stack.y)
            seconds = time.perf_counter() - start
            self.note(name, model.predict(new), stack.scores.shape[1], seconds=seconds)

    def tuned(self, name: str, triple: Triple) -> None:
        """Strength by two folds of the level-1 scores, then weights from all of them."""
        start = time.perf_counter()
        choice, combiner = _choose(self.stack, self.strengths, triple)
        seconds = time.perf_counter() - start
        self.linear(name, combiner, strength=choice.strength, seconds=seconds)
        if name == GROUP:
            self._second_thoughts(choice, combiner, triple)

    def _second_thoughts(
        self, choice: StrengthChoice, combiner: LinearCombiner, triple: Triple
    ) -> None:
        """The other rule for ties; and new weights for the classifiers that were kept."""
        smallest = float(choice.strengths[best_of(choice.error_mean, "smallest")])
        if smallest != choice.strength:
            other = solve(
                self.stack.scores, self.stack.y, strength=smallest, tol=_TOL, **_words(triple)
            )
            self.linear(SMALLEST, other, strength=smallest)
        else:
            self.found[SMALLEST] = self.found[GROUP]
        kept = combiner.selected
        if not kept.any():
            self.found[REFIT] = self.found[GROUP]
            return
        part = replace(
            self.stack,
            scores=np.ascontiguousarray(self.stack.scores[:, kept]),
            new_scores=np.ascontiguousarray(self.stack.new_scores[:, kept]),
        )
        again, weights = _choose(part, self.strengths, ("cws", "hinge", "l2"))
        answers = weights.predict(part.new_scores)
        self.note(REFIT, answers, int(weights.selected.sum()), strength=again.strength)

    def descent(self, name: str, strength: float) -> None:
        """The published steps without guards; NaN answers with the first class."""
        penalty = name.split()[-1]
        scores, y = self.stack.scores, self.stack.y
        start = time.perf_counter()
        found = majorise(scores, y, penalty=penalty, strength=strength, guards=False, **PAPER)
        seconds = time.perf_counter() - start
        self.linear(name, found, strength=strength, seconds=seconds)


def _words(triple: Triple) -> dict[str, Any]:
    return dict(zip(("combination", "loss", "penalty", "elastic"), triple))


def _choose(
    stack: Stack, strengths: tuple[float, ...], triple: Triple
) -> tuple[StrengthChoice, LinearCombiner]:
    """Choose a strength as MarginStackingClassifier does, and solve with it."""
    words = _words(triple)
    choice = choose_strength(stack.scores, stack.y, strengths, random_state=0, **words)
    combiner = solve(stack.scores, stack.y, strength=choice.strength, tol=_TOL, **words)
    return choice, combiner
