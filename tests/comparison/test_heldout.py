import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from uneven import compare
from uneven.cli import run
from uneven.comparison import InputError

QUICK = {"refit": False, "diagnosis": False, "cv": 2, "rounds": 5}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    labels = np.repeat(["often", "rare"], [60, 20])
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    frame["a"] += labels == "rare"
    frame.insert(0, "patient", [f"p{i}" for i in rng.permutation(80)])
    frame["label"] = labels
    frame.loc[[3, 70], "label"] = None
    return frame


def test_rows_are_told_in_the_order_of_the_table(table):
    methods = {"tree": DecisionTreeClassifier(max_depth=2), "line": LinearSVC()}
    found = compare(table, "label", id="patient", methods=methods, **QUICK)
    rows, kept = found.held_out, table["label"].notna().to_numpy()
    assert rows.numbers.tolist() == (np.flatnonzero(kept) + 1).tolist()
    assert rows.names.tolist() == table["patient"][kept].tolist()
    assert rows.labels(rows.truth).tolist() == table["label"][kept].tolist()
    assert rows.scores["line"].shape == (78, 2)
    assert rows.probable == {"tree"}
    assert set(rows.folds) == {0, 1}
    frame = rows.frame()
    assert frame.columns[:4].tolist() == ["row", "patient", "fold", "label"]
    assert {"predicted_line", "score_tree_often", "score_tree_rare"} <= set(frame.columns)
    assert (frame["predicted_tree"] == found.predictions["tree"].to_numpy()).all()
    assert found.predictions.index.name == "patient"


def test_folds_are_those_that_a_row_was_held_out_in(table):
    filled = table.dropna().drop(columns="patient")
    cut = StratifiedKFold(3, shuffle=True, random_state=1)
    pairs = list(cut.split(filled, filled["label"]))
    pairs += pairs[:1]
    found = compare(
        filled, "label", methods={"mine": LogisticRegression()}, **QUICK | {"cv": pairs}
    )
    rows = found.held_out
    for fold, (train, test) in enumerate(pairs):
        assert sorted(rows.places[rows.folds == fold]) == sorted(test)
        model = LogisticRegression().fit(filled.iloc[train, :2], filled["label"].iloc[train])
        at = rows.folds == fold
        expected = model.predict_proba(filled.iloc[rows.places[at], :2])
        np.testing.assert_allclose(rows.scores["mine"][at], expected, atol=1e-3)
    frame = rows.frame()
    assert frame["repeat"].tolist() == [1] * 78 + [2] * len(pairs[0][1])
    assert frame["fold"].max() == 4
    assert (frame["name"] == filled.index[rows.places]).all()


class Broken(DecisionTreeClassifier):
    def fit(self, X, y):
        if len(y) % 2:
            raise ValueError("an odd number of rows")
        return super().fit(X, y)


def test_failed_fits_leave_gaps_that_files_can_hold(table, tmp_path):
    labels = table["label"].dropna().eq("rare").astype(int)
    cut = [(np.arange(0, 77), [77]), (np.arange(1, 77), [0])]
    found = compare(
        table.loc[labels.index, ["a", "b"]].to_numpy(),
        labels.to_numpy(),
        methods=[Broken(), DecisionTreeClassifier(max_depth=2)],
        **QUICK | {"cv": cut},
    )
    rows = found.held_out
    assert (rows.answers["Broken"] < 0).sum() == 1
    assert np.isnan(rows.scores["Broken"]).all(axis=1).sum() == 1
    for ending, read in (("parquet", pd.read_parquet), ("csv", pd.read_csv)):
        again = read(found.write_predictions(tmp_path / f"predictions.{ending}"))
        assert again.columns.tolist() == rows.frame().columns.tolist()
        assert again["predicted_Broken"].isna().sum() == 1
        assert again["row"].tolist() == [1, 78]
    with pytest.raises(InputError, match=r"must end with \.parquet or \.csv"):
        found.write_predictions(tmp_path / "predictions.xlsx")


def test_names_of_methods_and_classes_never_hide_each_other():
    frame = pd.DataFrame({"x": np.sin(np.arange(40.0)), "y": ["b_c", "c"] * 20})
    methods = {"a": DecisionTreeClassifier(), "a_b": DecisionTreeClassifier()}
    found = compare(frame, "y", methods=methods, **QUICK)
    assert len(set(found.held_out.frame().columns)) == 3 + 2 * 3


@pytest.mark.slow
def test_command_line_and_python_write_the_same_rows(table, tmp_path):
    table.to_csv(tmp_path / "table.csv", index=False)
    words = ["--id", "patient", "--csv", "--cv", "2", "--rounds", "5", "--no-diagnosis"]
    words += ["--methods", "combo,logistic_regression", "--out", str(tmp_path / "out")]
    assert run(["compare", str(tmp_path / "table.csv"), "-t", "label", *words]) == 0
    told = pd.read_parquet(tmp_path / "out" / "predictions.parquet")
    found = compare(
        tmp_path / "table.csv", "label", id="patient", methods="combo", **QUICK
    ).held_out.frame()
    pd.testing.assert_frame_equal(told[found.columns], found, check_dtype=False)
    text = pd.read_csv(tmp_path / "out" / "predictions.csv")
    pd.testing.assert_frame_equal(text, told, check_dtype=False, rtol=1e-6)
    assert run(["compare", str(tmp_path / "table.csv"), "-t", "label", "--id", "label"]) == 2
    assert run(["compare", str(tmp_path / "table.csv"), "-t", "label", "--id", "patent"]) == 2


def test_rows_of_a_test_table_keep_their_numbers_and_names(table):
    learn, check = table.dropna().iloc[::2], table.iloc[60:]
    found = compare(learn, "label", test=check, id="patient", methods="combo", **QUICK)
    kept = check["label"].notna().to_numpy()
    assert found.held_out.numbers.tolist() == (np.flatnonzero(kept) + 1).tolist()
    assert found.held_out.names.tolist() == check["patient"][kept].tolist()
