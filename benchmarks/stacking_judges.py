"""All combiners of the published comparison on the level-1 scores of one stack."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier, RidgeClassifierCV

from uneven.fusion.rules import majority
from uneven.stacking.solvers.strength_choice import best_of
from uneven_published.sen.runs import (
    GRID,
    Bench,
    Stack,
    Triple,
    Verdicts,
    quiet,
)

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


def judge(stack: Stack, strengths: tuple[float, ...] = GRID) -> Verdicts:
    """Fit all combiners to the same level-1 scores, and count their errors on new rows.

    Hinges in which every score speaks for every class come separately: see :func:`judge_wide`.
    """
    bench = _Bench(stack, strengths)
    with quiet():
        bench.rules()
        bench.flat_models()
        for family in FAMILIES:
            bench.regression(f"mlr {family}", family)
        for name, triple in TRIPLES.items():
            if name == GROUP:
                bench.default(triple)
            elif name not in WIDE:
                bench.tuned(name, triple)
        for name, exact in DESCENTS.items():
            bench.descent(name, name.split()[-1], bench.found[exact].strength)
    return bench.found


def judge_wide(stack: Stack, strengths: tuple[float, ...] = GRID) -> Verdicts:
    """The slow ones: hinges in which every score of every classifier speaks for every class."""
    bench = _Bench(stack, strengths)
    with quiet():
        for name in WIDE:
            bench.tuned(name, TRIPLES[name])
    return bench.found


class _Bench(Bench):
    """The published judges, and those beside them."""

    def rules(self) -> None:
        stack = self.stack
        self.mean_rule("soft voting")
        self.note("majority", majority(stack.new_scores).argmax(axis=1), self.n_members)
        hits = (stack.scores.argmax(axis=2) == stack.y[:, None]).mean(axis=0)
        self.note("best single", stack.new_scores[:, hits.argmax()].argmax(axis=1), 1)

    def flat_models(self) -> None:
        """What scikit-learn's StackingClassifier learns if there are more than two classes."""
        stack, models = self.stack, (LogisticRegression(), RidgeClassifier(), RidgeClassifierCV())
        flat, new = (part.reshape(len(part), -1) for part in (stack.scores, stack.new_scores))
        for name, model in zip(("logistic", "ridge", "ridge, tuned"), models):
            start = time.process_time()
            model.fit(flat, stack.y)
            seconds = time.process_time() - start
            self.note(name, model.predict(new), self.n_members, seconds=seconds)

    def default(self, triple: Triple) -> None:
        """The default; the other rule for ties; and new weights for the classifiers it keeps."""
        choice, combiner, seconds = self.choose(triple)
        self.linear(GROUP, combiner, strength=choice.strength, seconds=seconds)
        smallest = float(choice.strengths[best_of(choice.error_mean, "smallest")])
        self.found[SMALLEST] = self.found[REFIT] = self.found[GROUP]
        if smallest != choice.strength:
            self.linear(SMALLEST, self.solve(triple, smallest), strength=smallest)
        kept = combiner.selected
        if kept.any():
            part = replace(
                self.stack,
                scores=np.ascontiguousarray(self.stack.scores[:, kept]),
                new_scores=np.ascontiguousarray(self.stack.new_scores[:, kept]),
            )
            again = Bench(part, self.strengths)
            again.tuned(REFIT, ("cws", "hinge", "l2"))
            self.found[REFIT] = again.found[REFIT]
