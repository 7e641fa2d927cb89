"""Decision rules for what counts: chosen on out-of-fold probabilities, kept in the model."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from uneven import compare
from uneven.cli import run
from uneven.comparison import Comparison, InputError
from uneven.decisions import TunedDecisionClassifier
from uneven.persistence.model_file import load_model

COST = "true,well,ill,worse\nwell,0,1,2\nill,10,0,1\nworse,20,5,0\n"
PRICES = np.array([[0.0, 10.0, 1.0], [1.0, 0.0, 2.0], [5.0, 20.0, 0.0]])
QUICK = {"refit": False, "diagnosis": False, "cv": 3, "rounds": 10}
LINE = {"line": LogisticRegression()}


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["ill", "well", "worse"], n, p=[0.15, 0.75, 0.1])
    X = rng.normal(size=(n, 4))
    X[:, 0] += 1.5 * (y == "ill")
    X[:, 1] += 1.5 * (y == "worse")
    return pd.DataFrame(X, columns=list("abcd")).assign(state=y)


@pytest.fixture
def files(tmp_path):
    table().to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "cost.csv").write_text(COST)
    return tmp_path


def price(truth, said):
    names = ["ill", "well", "worse"]
    return np.mean([PRICES[names.index(t), names.index(s)] for t, s in zip(truth, said)])


def test_answers_of_least_expected_cost_cost_less(files):
    frame = table()
    plain = compare(frame, "state", methods=LINE, **QUICK)
    found = compare(frame, "state", methods=LINE, cost=files / "cost.csv", **QUICK)
    decision = found.methods[0].decision
    assert found.metric == "cost"
    assert decision.before == pytest.approx(price(plain.truth, plain.predictions["line"]), abs=0.02)
    assert found.ranking.loc["line", "cost"] == pytest.approx(decision.after)
    assert price(found.truth, found.predictions["line"]) < 0.7 * decision.before
    assert found.ranking.index[0] == "line"
    assert "cheapest_answer" in found.ranking.index
    assert Comparison.from_json(found.to_json()) == found
    assert pickle.loads(pickle.dumps(found)) == found
    assert "Decision rule: Predicts the class with the smallest" in found.verdict.detail
    model = found.best_model()
    assert isinstance(model.pipeline[-1], TunedDecisionClassifier)
    new = table(seed=1)
    assert price(new["state"], model.predict(new)) < 0.7 * price(
        new["state"], plain.best_model().predict(new)
    )
    as_frame = pd.DataFrame(PRICES, ["ill", "well", "worse"], ["ill", "well", "worse"])
    for given in (PRICES, as_frame.iloc[::-1]):
        same = compare(frame, "state", methods=LINE, cost=given, **QUICK)
        assert same.methods[0].scores == found.methods[0].scores


def test_a_rule_is_judged_on_rows_that_it_was_not_chosen_on():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame["y"] = rng.choice(["one", "two"], 60, p=[0.8, 0.2])
    found = [
        compare(frame.assign(y=rng.permutation(frame["y"])), "y", methods=LINE, calibrate=True,
                metric="balanced_accuracy", **QUICK).methods[0].decision.after
        for _ in range(8)
    ]  # fmt: skip
    assert np.mean(found) < 0.56


@pytest.mark.parametrize("name", ["macro_f1", "confusion_norm", "worst_recall", "accuracy"])
def test_a_measure_ranks_and_decides(name):
    found = compare(table(), "state", methods=LINE, measure=name, **QUICK)
    decision = found.methods[0].decision
    assert found.metric == decision.measure == name
    better = found.chosen.better(decision.after, decision.before)
    assert decision.used == (better > 0)
    assert found.winner.mean(name) == pytest.approx(
        decision.after if decision.used else decision.before
    )


def test_one_may_rank_by_another_measure_and_only_rank():
    found = compare(table(), "state", methods=LINE, measure="gmean", metric="mauc", **QUICK)
    assert (found.metric, found.methods[0].decision.measure) == ("mauc", "gmean")
    assert (
        compare(table(), "state", methods=LINE, metric="gmean", **QUICK).methods[0].decision is None
    )


def test_calibration_alone_mends_probabilities():
    sure = {"line": LogisticRegression(C=1e6, class_weight="balanced")}
    words = QUICK | {"metric": "log_loss"}
    plain = compare(table(), "state", methods=sure, **words).winner.mean("log_loss")
    found = compare(table(), "state", methods=sure, calibrate=True, **words)
    assert found.winner.mean("log_loss") < plain - 0.05
    assert found.winner.decision.calibrated
    off = compare(table(), "state", methods=sure, measure="gmean", calibrate=False, **QUICK)
    assert not off.winner.decision.calibrated


@pytest.mark.slow
def test_a_test_table_and_the_past_choose_rules_without_what_they_answer_for(files):
    frame = table()
    learn, check = frame.iloc[:200], frame.iloc[200:].copy()
    check.iloc[0, 4] = "unheard of"
    words = {"methods": LINE, "measure": "gmean", "calibrate": True} | QUICK
    found = compare(learn, "state", test=check, **words)
    assert found.held_out.scores["line"].shape == (100, 4)
    assert found.best_model().predict(check).shape == (100,)
    swapped = check.assign(state=check["state"].to_numpy()[::-1])
    other = compare(learn, "state", test=swapped, **words)
    assert other.predictions["line"].tolist() == found.predictions["line"].tolist()
    past = compare(frame, "state", time=np.arange(300), **words)
    assert past.methods[0].decision.used


def test_methods_without_probabilities_answer_as_ever():
    methods = {"line": LogisticRegression(), "svm": LinearSVC()}
    found = compare(table(), "state", methods=methods, measure="gmean", **QUICK)
    assert {m.name: m.decision is None for m in found.methods} == {"line": False, "svm": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true,well,ill\nwell,0,1\nill,1,0\n", "its first column lacks 'worse'"),
        (COST.replace("worse", "wors"), "did you mean 'worse'"),
        (COST.replace("20", "much"), "holds 'much' where a price must stand"),
        ("0,1\n1,0\n", "2 x 2 numbers without names, but the table has 3 classes"),
        ("1,1,1\n1,1,1\n1,1,1\n", "every prediction costs the same"),
        ("0,1,1\n-1,0,1\n1,1,0\n", "'ill' for a row of 'well' costs less than the correct class"),
    ],
)
def test_prices_that_cannot_be_are_refused_on_both_sides(files, capsys, text, message):
    (files / "cost.csv").write_text(text)
    with pytest.raises(InputError, match=f"cost .*: .*{message}"):
        compare(files / "t.csv", "state", methods=LINE, cost=files / "cost.csv", **QUICK)
    words = ["compare", str(files / "t.csv"), "-t", "state", "--cost", str(files / "cost.csv")]
    assert run([*words, "--methods", "combo"]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_wrong_names_are_refused_before_anything_is_read(files, capsys):
    words = ["compare", str(files / "t.csv"), "-t", "state"]
    for extra, message in (
        (["--measure", "gmaen"], "did you mean 'gmean'"),
        (["--measure", "cost"], "needs a cost matrix"),
        (["--metric", "cost"], "needs a cost matrix"),
        (["--cost", "nothing.csv"], "there is no such file"),
    ):
        assert run([*words, *extra]) == 2
        assert message in " ".join(capsys.readouterr().err.split())
    with pytest.raises(InputError, match="did you mean 'gmean'"):
        compare(files / "t.csv", "state", measure="gmaen")
    with pytest.raises(InputError, match="needs a cost matrix; give it with cost"):
        compare(files / "t.csv", "state", measure="cost")


@pytest.mark.slow
def test_the_rule_goes_into_the_model_of_compare_and_of_fit(files, capsys):
    out, path = files / "o", str(files / "t.csv")
    words = ["--cv", "3", "--rounds", "10", "--no-diagnosis", "--cost", str(files / "cost.csv")]
    words += ["--methods", "combo,logistic_regression", "--out", str(out)]
    assert run(["compare", path, "-t", "state", *words]) == 0
    assert "smallest expected cost. Held out: cost per row" in " ".join(
        capsys.readouterr().out.split()
    )
    found = compare(
        path, "state", methods=["combo", "logistic_regression"], cost=files / "cost.csv", **QUICK
    )
    assert (
        run(["predict", str(out / "model.skops"), path, "--proba", "-o", str(files / "p.csv")]) == 0
    )
    said = pd.read_csv(files / "p.csv")
    assert said["predicted_state"].tolist() == found.best_model().predict(path).tolist()
    np.testing.assert_allclose(said.iloc[:, 1:], found.best_model().predict_proba(path), atol=1e-9)
    model = str(files / "m.skops")
    words = ["--method", "logistic_regression", "--measure", "macro_f1", "-o", model]
    assert run(["fit", path, "-t", "state", *words]) == 0
    pipeline, card = load_model(model)
    assert isinstance(pipeline[-1], TunedDecisionClassifier)
    assert card.params["decision"] == "chosen for macro F1"
    assert run(["explain", model]) == 0
    assert "fitted for macro F1" in " ".join(capsys.readouterr().out.split())
    assert run(["fit", path, "-t", "state", "--method", "uma", "--calibrate"]) == 2
