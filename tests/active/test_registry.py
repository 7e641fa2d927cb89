"""What rules declare beside their code decides what a learner accepts, before anybody labels."""

from __future__ import annotations

import pickle
import re
from functools import partial, wraps
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import uneven.active
from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import RULES, STOPPING_RULES, rule
from uneven.active.registry import looks_at_rows, query_name

X, Y = load_iris(return_X_y=True)
DOCS = Path(__file__).parents[2] / "docs" / "active.md"


@pytest.fixture
def scratch():
    """A rule that needs probabilities and looks at nothing else."""

    @rule("scratch", "where the best class is least probable", needs="predict_proba")
    def utilities(state):
        return -state.model.predict_proba(state.inputs(state.candidates)).max(axis=1)

    yield utilities
    del RULES["scratch"]


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("estimator", [None, LogisticRegression(), KNeighborsClassifier(2)])
def test_a_new_rule_is_asked_by_name(estimator):
    learner = ActiveLearner(estimator, "scratch", batch="best").start(X)
    learner.tell([0, 60, 110], Y[[0, 60, 110]])
    best = learner.predict_proba(X[learner.unlabelled_]).max(axis=1)
    assert best[learner.unlabelled_ == learner.ask()[0]] == best.min()


def test_a_rule_without_what_it_needs_is_refused_before_anybody_labels(scratch):
    words = r"query='scratch' needs a classifier with predict_proba, and .* has none\."
    for query in ("scratch", scratch, partial(scratch)):
        for estimator in (LinearSVC(), make_pipeline(LinearSVC())):
            shown = words if query_name(query) else words.replace("'scratch'", ".*")
            with pytest.raises(ValueError, match=shown):
                ActiveLearner(estimator, query).start(X)
            with pytest.raises(ValueError, match="needs a classifier with predict_proba"):
                ActiveLearner(estimator, query).fit(X, Y)


def test_a_rule_may_need_a_decision_function():
    @rule("scratch_scores", "nearest to the border", needs="decision_function")
    def nearest(state):
        return -np.abs(state.model.decision_function(state.inputs(state.candidates))).min(axis=1)

    try:
        with pytest.raises(ValueError, match="with decision_function, and KNeighborsClassifier"):
            ActiveLearner(KNeighborsClassifier(), "scratch_scores").start(X)
        learner = (
            ActiveLearner(LinearSVC(), "scratch_scores").start(X).tell([0, 60, 110], [0, 1, 2])
        )
        assert learner.ask(2).shape == (2,)
    finally:
        del RULES["scratch_scores"]


@pytest.mark.usefixtures("scratch")
def test_a_blind_rule_takes_what_the_classifier_takes():
    texts = ["good", "bad", "good and bad", "very good"]

    class Reader(LogisticRegression):
        def fit(self, X, y):
            return super().fit([[len(text)] for text in X], y)

        def predict_proba(self, X):
            return super().predict_proba([[len(text)] for text in X])

    learner = ActiveLearner(Reader(), "scratch").start(texts).tell([0, 1], ["a", "b"])
    assert learner.ask().shape == (1,)


def test_a_rule_that_looks_at_rows_refuses_texts_at_the_start():
    @rule("sees", "looks at rows", needs="scores", blind=False)
    def sees(state):
        return state.rows(state.candidates)[:, 0]

    try:
        for query in ("sees", sees, partial(sees), "maxmin", uneven.active.maxmin_margin):
            with pytest.raises(ValueError, match=r"cannot be used here: .*they are texts"):
                ActiveLearner(LogisticRegression(), query).start(["a", "b"])
    finally:
        del RULES["sees"]


def test_functions_say_which_rule_they_are():
    assert query_name(uneven.active.simple_margin) == "simple"
    assert query_name(lambda state: state) == "<lambda>"
    assert query_name(partial(uneven.active.simple_margin)) == ""
    assert looks_at_rows(partial(uneven.active.simple_margin))
    assert not looks_at_rows(uneven.active.random_rows)
    assert pickle.loads(pickle.dumps(RULES["ratio"])) is uneven.active.ratio_margin


def test_names_are_given_once():
    with pytest.raises(ValueError, match="there is a query rule 'random' already"):
        rule("random", "again")(lambda state: state)
    with pytest.raises(ValueError, match="needs must be one of"):
        rule("other", "needs what there is not", needs="luck")


def test_every_rule_is_in_the_docs_and_in_the_docstring():
    text = DOCS.read_text(encoding="utf-8").partition("## Measured")[0]
    table = re.findall(r"^\| (`.*?`) \|", text, flags=re.M)
    named = set(re.findall(r'`"(\w+)"`', " ".join(table)))
    assert named == set(RULES)
    stops = {name for cell in table for name in re.findall(r"`([A-Z]\w+)\(", cell)}
    assert stops == set(STOPPING_RULES)
    for name in RULES:
        assert f'"{name}"' in ActiveLearner.__doc__


def test_the_default_classifier_is_made_once_for_a_pool_and_copied_for_a_fit(monkeypatch):
    made = []
    build = BayesPointClassifier.__init__

    @wraps(build)
    def count(self, *words, **choices):
        made.append(self)
        build(self, *words, **choices)

    monkeypatch.setattr(BayesPointClassifier, "__init__", count)
    learner = ActiveLearner(random_state=0).start(X).tell([0, 1, 60, 61], [0, 0, 1, 1])
    learner.tell([110, 111, 112], [2, 2, 2])
    assert learner.ask(2).shape == (2,)
    fits = 2  # the rule looks at the fitted model, which is the centre that it needs
    assert len(made) == 1 + fits
