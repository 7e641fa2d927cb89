"""Views as the user of the command line meets them: diagnosis, missing views, methods."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from tests.cli.test_compare import QUICK, TWO, load_results
from uneven.comparison import METHODS, default_methods

pytestmark = pytest.mark.slow

VIEWS = ("--views", "prefix")


@pytest.mark.slow
def test_compare_tells_what_each_view_knows(uneven, table, tmp_path, frame):
    done = uneven("compare", table, *QUICK, *TWO, *VIEWS)
    assert done.code == 0, done.err
    results = load_results(tmp_path / "uneven-report")
    assert [view.name for view in results.views] == ["sound", "text"]
    assert results.view_rows == len(frame)
    sound, text = results.views
    assert text.recalls[results.data.classes.index("rare")] > 0.4
    assert sound.columns == 2
    assert text.presence == 1.0
    assert sound.redundancy[1] == text.redundancy[0]
    lines = [line.split() for line in done.out.splitlines()]
    (row,) = [words for words in lines if words[:1] == ["text"]]
    assert row == [
        "text",
        "2",
        "100%",
        *(f"{v:.3f}" for v in (text.accuracy, text.balanced_accuracy, text.confusion_norm)),
        text.verdict,
    ]
    page = (tmp_path / "uneven-report" / "report.html").read_text(encoding="utf-8")
    assert text.remark in page
    assert 'href="#views"' in page


@pytest.mark.parametrize("words", [("--no-diagnosis", *VIEWS), ()])
def test_diagnosis_can_be_left_out_and_needs_several_views(uneven, table, tmp_path, words):
    done = uneven("compare", table, *QUICK, "--methods", "combo", *words)
    assert done.code == 0
    assert "Each view" not in done.out
    raw = json.loads((tmp_path / "uneven-report" / "results.json").read_text(encoding="utf-8"))
    assert raw["views"] == []
    assert 'id="views"' not in (tmp_path / "uneven-report" / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_a_long_table_is_sampled(monkeypatch, uneven, table, tmp_path):
    monkeypatch.setattr("uneven.comparison.crossval.MOST_ROWS", 40)
    assert uneven("compare", table, *QUICK, "--methods", "combo", *VIEWS).code == 0
    assert load_results(tmp_path / "uneven-report").view_rows == 40


JOINING = ["mucombo", "mumbo", "carako", "bregman_vote", "late_fusion"]


def test_methods_that_join_views_are_known():
    assert [name for name in METHODS if METHODS[name].joins_views] == JOINING
    by_default = [name for name in METHODS if name != "bayespoint"]
    assert default_methods(several_views=True, noisy=True) == by_default


@pytest.mark.parametrize(("views", "ran"), [(VIEWS, ["combo", "mumbo"]), ((), ["combo"])])
def test_they_run_where_there_are_several_views(monkeypatch, uneven, table, tmp_path, views, ran):
    few = {name: METHODS[name] for name in ("combo", "mumbo")}
    monkeypatch.setattr("uneven.comparison.methods.METHODS", few)
    assert uneven("compare", table, *QUICK, "--no-diagnosis", *views).code == 0
    assert [m.name for m in load_results(tmp_path / "uneven-report").methods] == ran


@pytest.mark.parametrize("command", ["compare", "fit"])
def test_a_lone_view_is_no_failure_but_told(uneven, table, command):
    words = ("--methods", "mumbo,combo") if command == "compare" else ("--method", "mumbo")
    done = uneven(command, table, "-t", "label", "--rounds", 4, *words)
    assert done.code == 0, done.err
    told = [line for line in done.err.splitlines() if "joins views" in line]
    assert len(told) == 1
    assert "MuMBo" in told[0]
    assert "--views" in told[0]


@pytest.mark.slow
def test_methods_say_what_they_can_do(uneven, table, tmp_path):
    assert uneven("compare", table, *QUICK, *VIEWS, "--methods", ",".join(JOINING)).code == 0
    for method in load_results(tmp_path / "uneven-report").methods:
        assert not method.errors
        assert bool(method.curves) == METHODS[method.name].staged
        assert np.sum(method.view_share.values, axis=0) == pytest.approx(1.0)


@pytest.mark.parametrize("method", JOINING)
def test_explain_shows_which_view_speaks(uneven, table, method):
    assert uneven("fit", table, "-t", "label", "--rounds", 4, *VIEWS, "--method", method).code == 0
    done = uneven("explain", "model.skops")
    assert done.code == 0, done.err
    assert "Which view supports which class" in done.out
    assert ("Vote weights" in done.out) == METHODS[method].staged


def write_views(folder, **views):
    lines = [f"{name} = {json.dumps(columns)}" for name, columns in views.items()]
    (folder / "views.toml").write_text("\n".join(["[views]", *lines]), encoding="utf-8")
    return "--views", "views.toml"


@pytest.mark.slow
@pytest.mark.parametrize("by", ["prefix", "file"])
def test_empty_columns_are_left_out_for_everybody(uneven, frame, tmp_path, by):
    frame["smell__none"] = np.nan
    frame["sound__none"] = np.nan
    frame.to_csv(tmp_path / "table.csv", index=False)
    listed = write_views(tmp_path, sound="sound*", smell=["smell__none"], text=["text__word"])
    views = VIEWS if by == "prefix" else listed
    methods = ("--methods", "combo,hist_gradient_boosting")
    done = uneven("compare", "table.csv", *QUICK, *methods, *views)
    assert done.code == 0, done.err
    assert "column 'smell__none' is empty and is left out." in done.err
    results = load_results(tmp_path / "uneven-report")
    assert [view.name for view in results.views] == ["sound", "text"]
    assert results.data.views["sound"] == ["sound__pitch", "sound__noise"]
    assert not any(method.errors for method in results.methods)


@pytest.mark.slow
def test_all_methods_see_the_columns_of_the_views_and_no_others(uneven, frame, tmp_path):
    frame.assign(leak=frame["label"].factorize()[0]).to_csv(tmp_path / "table.csv", index=False)
    views = write_views(tmp_path, sound="sound*", noise=["sound__noise"])
    methods = ("--methods", "mumbo,random_forest")
    done = uneven("compare", "table.csv", *QUICK, *methods, *views)
    assert done.code == 0, done.err
    said = "columns in no view are left out: 'text__word', 'text__length', 'leak'."
    assert said in done.err
    results = load_results(tmp_path / "uneven-report")
    assert said in results.warnings
    assert results.data.columns == 2
    forest = next(m for m in results.methods if m.name == "random_forest")
    assert forest.mean("accuracy") < 0.95


@pytest.mark.parametrize("method", ["mumbo", "random_forest"])
def test_a_model_asks_only_for_the_columns_of_its_views(uneven, table, frame, tmp_path, method):
    views = write_views(tmp_path, sound="sound*", text=["text__length"])
    fitted = uneven("fit", table, "-t", "label", "--rounds", 4, "--method", method, *views)
    assert fitted.code == 0, fitted.err
    assert "columns in no view are left out: 'text__word'." in fitted.err
    frame.drop(columns=["label", "text__word"]).to_csv(tmp_path / "new.csv", index=False)
    done = uneven("predict", "model.skops", "new.csv")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (["label"], "column 'label' is the target."),
        (["lab*"], "'lab*' matches no feature, because column 'label' is the target."),
        (["text__word"], "column 'text__word' is left out by --drop."),
        (["row"], "column 'row' only numbers the rows and is left out (--keep row to use it)."),
        (["nothing"], "no feature column matches 'nothing'"),
        ([], "view 'text' has no columns"),
        (["gone"], "the columns of every view are empty"),
    ],
)
def test_a_view_that_names_no_feature_is_told_why(uneven, frame, tmp_path, columns, says):
    changed = frame.assign(row=range(len(frame)), gone=np.nan)
    changed.to_csv(tmp_path / "table.csv", index=False)
    views = write_views(tmp_path, text=columns)
    done = uneven("fit", "table.csv", "-t", "label", "--drop", "text__word", *views)
    assert done.code == 2
    assert says in done.complaint


def test_the_word_prefix_and_folders_are_recognised(uneven, table, tmp_path):
    (tmp_path / "b").mkdir()
    for given, says in (("Prefix", "did you mean 'prefix'?"), ("b", "that is a folder")):
        done = uneven("fit", table, "-t", "label", "--views", given)
        assert done.code == 2
        assert says in done.complaint


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1 of 90 rows has"), (3, "3 of 90 rows have"), (0, "")]
)
def test_predict_tells_how_many_rows_have_no_view(uneven, table, frame, tmp_path, n, said):
    assert uneven("fit", table, "-t", "label", "--method", "combo", "--rounds", 5, *VIEWS).code == 0
    features = frame.drop(columns="label").astype({"text__length": float})
    features.iloc[:n] = np.nan
    features.to_csv(tmp_path / "new.csv", index=False)
    done = uneven("predict", "model.skops", "new.csv")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1 : 1 + n] == ["common"] * n
    told = [line for line in done.err.splitlines() if "no view" in line]
    assert len(told) == bool(n)
    assert not n or (said in told[0] and "'common'" in told[0])


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fit", "compare"])
def test_warnings_are_notes_without_source_paths(uneven, frame, tmp_path, command):
    same = frame[["label"]].assign(sound__a=1.0, text__a=2.0)
    same.to_csv(tmp_path / "table.csv", index=False)
    choice = ("--method", "mucombo") if command == "fit" else (*TWO[:1], "mucombo", "--cv", 2)
    with warnings.catch_warnings(record=True) as leaked:
        kept = ("--keep", "sound__a", "--keep", "text__a")
        done = uneven(command, "table.csv", "-t", "label", "--rounds", 3, *choice, *VIEWS, *kept)
    assert done.code == 0, done.err
    said = [line for line in done.err.splitlines() if "better than guessing" in line]
    assert len(said) == 1
    assert said[0].startswith("note: no weak learner is better than guessing: ")
    assert "Warning" not in done.err
    assert not leaked
