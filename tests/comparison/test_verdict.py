"""Guesses in every ranking, and a verdict that says whether anything is any good."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from uneven import compare
from uneven.cli import run
from uneven.comparison import MEASURES, Comparison, make_problem
from uneven.comparison.dummies import guess
from uneven.metrics import confusion_norm

QUICK = {"refit": False, "diagnosis": False, "rounds": 5}
METHODS = {"line": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}


def noise(n=300, shift=0.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["often", "rare", "some"], n, p=[0.65, 0.1, 0.25])
    X = rng.normal(size=(n, 3)) + shift * (y == "rare")[:, None]
    X[:, 0] -= 2.0 * shift * (y == "some")
    return pd.DataFrame(X, columns=list("abc")).assign(label=y)


def test_guesses_are_those_of_scikit_learn_on_average():
    frame = noise(600)
    problem = make_problem(frame, "label")
    train, test = np.arange(400), np.arange(400, 600)
    most, drawn = guess(problem, [(train, test)], MEASURES)
    dummy = DummyClassifier(strategy="most_frequent").fit(problem.X.iloc[train], problem.y[train])
    assert most.scores["accuracy"] == [dummy.score(problem.X.iloc[test], problem.y[test])]
    assert most.scores["confusion_norm"] == pytest.approx([math.sqrt(2)])
    assert most.scores["mauc"] == drawn.scores["mauc"] == [0.5]
    values = []
    for seed in range(200):
        one = DummyClassifier(strategy="stratified", random_state=seed)
        one.fit(problem.X.iloc[train], problem.y[train])
        values.append(confusion_norm(problem.y[test], one.predict(problem.X.iloc[test])))
    assert drawn.scores["confusion_norm"][0] == pytest.approx(np.mean(values), abs=0.03)
    assert np.sum(drawn.confusion) == pytest.approx(200)


def test_every_ranking_holds_guesses_which_are_never_the_best():
    frame = noise(shift=0.3)
    found = compare(frame, "label", methods=METHODS, metric="accuracy", cv=3, **QUICK)
    assert set(found.ranking.index) == {"line", "tree", "most_frequent", "prior_guess"}
    assert found.best_ in METHODS
    assert set(found.predictions.columns) == set(METHODS)
    again = Comparison.from_json(found.to_json())
    assert again == found
    assert again.ranking.equals(found.ranking)
    row = found.ranking.loc["tree"]
    values = next(m for m in found.methods if m.name == "tree").scores["accuracy"]
    assert (row["accuracy_min"], row["accuracy_max"]) == (min(values), max(values))


@pytest.mark.parametrize("seed", range(3))
def test_nobody_better_than_guessing_is_said_first(seed):
    found = compare(noise(seed=seed), "label", methods=METHODS, cv=4, **QUICK)
    told = found.verdict
    assert not told.beats_guessing
    assert told.headline.startswith("No method is better than guessing on this table")
    assert "equally good" not in told.detail


def test_a_measure_on_which_the_most_frequent_class_wins_is_told():
    frame = noise(900, shift=0.4)
    found = compare(
        frame,
        "label",
        methods={"line": LogisticRegression(class_weight="balanced")},
        metric="accuracy",
        cv=3,
        **QUICK,
    )
    told = found.verdict
    assert told.headline.startswith("No method is better than guessing by accuracy: most frequent")
    assert "rank by another metric" in told.headline


@pytest.mark.slow
def test_rows_of_the_rarest_class_come_first():
    frame = noise(shift=3.0)
    found = compare(frame, "label", methods=METHODS, cv=3, **QUICK)
    told, best = found.verdict, found.winner
    place = found.classes.tolist().index("rare")
    right, total = best.confusion[place][place], sum(best.confusion[place])
    assert told.beats_guessing
    assert told.headline.startswith(f"{best.label} finds {right:g} of {total:g} rows of rare, ")
    assert "1.4 the worst; guessing has" in told.detail
    low, high = best.recall_intervals()[place]
    assert low < right / total <= high <= 1.0
    assert f"between {100 * low:.0f} % and" in told.detail
    assert told.guessing.pvalue < 1e-3
    thrice = compare(frame, "label", methods=METHODS, cv=3, repeats=3, **QUICK)
    assert f" of {total:g} rows of rare" in thrice.verdict.headline


def test_the_command_line_says_the_same(tmp_path, capsys):
    frame = noise(120)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["--cv", "3", "--methods", "logistic_regression,combo", "--rounds", "5"]
    out = ["--no-diagnosis", "--out", str(tmp_path / "o")]
    assert run(["compare", str(tmp_path / "t.csv"), "-t", "label", *words, *out]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "No method is better than guessing on this table" in told
    assert "Most frequent class" in told
    assert "Guess by class shares" in told
